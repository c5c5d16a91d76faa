// What the platform would refuse, checked before anything is sent.
import type { CreatorOptions, Draft, Finding, Media } from '../connector.js';
import { planChunks } from './chunks.js';
import { textFindings } from './texts.js';

const MAX_SLIDES = 35;
const VIDEO_TYPES = ['video/mp4', 'video/quicktime', 'video/webm'];

export function checkDraft(draft: Draft, media: Media, creator: CreatorOptions | null): Finding[] {
  return [
    ...textFindings(draft),
    ...mediaFindings(media, creator),
    ...coverFindings(draft, media),
    ...(draft.mode === 'direct' ? directFindings(draft, creator) : []),
  ];
}

const problem = (code: string, detail: string, field?: string): Finding => ({
  level: 'error',
  code,
  detail,
  ...(field === undefined ? {} : { field }),
});

function mediaFindings(media: Media, creator: CreatorOptions | null): Finding[] {
  if ('addresses' in media) {
    const { length } = media.addresses;
    if (length >= 1 && length <= MAX_SLIDES) return [];
    return [problem('slide_count', `The post has ${length} slides. Use 1 to ${MAX_SLIDES}.`)];
  }
  const seconds = (media.durationMs ?? 0) / 1000;
  const most = creator?.maxVideoSeconds ?? Number.POSITIVE_INFINITY;
  return [
    ...(planChunks(media.bytes) ? [] : [problem('video_size', 'The video is empty or larger than 4 GB.')]),
    ...(VIDEO_TYPES.includes(media.contentType)
      ? []
      : [problem('video_type', 'The platform accepts only MP4, QuickTime and WebM videos.')]),
    ...(seconds <= most
      ? []
      : [problem('video_too_long', `The video is too long: this account can post up to ${most} seconds.`)]),
  ];
}

function coverFindings({ coverIndex, coverMs, mode }: Draft, media: Media): Finding[] {
  if ('addresses' in media) {
    const { length } = media.addresses;
    if (coverIndex == null || coverIndex < length) return [];
    const detail = `The cover is slide ${coverIndex + 1}, but the post has ${length}. Choose another cover.`;
    return [problem('cover_out_of_range', detail, 'cover_index')];
  }
  if (coverMs == null) return [];
  const warning = (code: string, detail: string): Finding[] => [
    { level: 'warning', code, detail, field: 'cover_ms' },
  ];
  if (mode === 'inbox')
    return warning('cover_not_sent', 'A video for the inbox carries no cover. Choose it in the app.');
  // The platform then takes the first frame.
  return media.durationMs != null && coverMs > media.durationMs
    ? warning('cover_beyond_video', 'The moment of the cover is after the end, so the first frame is used.')
    : [];
}

function directFindings(draft: Draft, creator: CreatorOptions | null): Finding[] {
  const { privacyLevel } = draft;
  const findings: Finding[] = [];
  if (privacyLevel === null)
    findings.push(problem('privacy_level_missing', 'Choose who can see the post.', 'privacy_level'));
  else if (creator && !creator.privacyLevels.includes(privacyLevel))
    findings.push(
      problem(
        'privacy_level_not_offered',
        `This account can't use ${privacyLevel}. Choose one of ${creator.privacyLevels.join(', ')}.`,
        'privacy_level',
      ),
    );
  // The platform does not document the effect; its rules for apps forbid it.
  if (draft.isBrandedContent && privacyLevel === 'SELF_ONLY')
    findings.push(
      problem(
        'branded_content_private',
        'Branded content visibility cannot be set to private.',
        'privacy_level',
      ),
    );
  if (!creator) return findings;
  const isVideo = draft.type === 'video';
  const switches = [
    ['disable_comment', 'Comments', creator.isCommentDisabled && !draft.disableComment],
    ['disable_duet', 'Duets', isVideo && creator.isDuetDisabled && !draft.disableDuet],
    ['disable_stitch', 'Stitches', isVideo && creator.isStitchDisabled && !draft.disableStitch],
  ] as const;
  for (const [field, name, isOverruled] of switches)
    if (isOverruled) {
      const detail = `${name} are off in the account's settings, so they'll be off for this post.`;
      findings.push({ level: 'warning', code: 'turned_off_by_account', detail, field });
    }
  return findings;
}
