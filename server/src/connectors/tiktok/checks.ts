// What the platform would refuse, checked before anything is sent.
import type { CreatorInfo, Draft, Finding, Media } from '../connector.js';
import { planChunks } from './chunks.js';
import { joinCaption, MAX_PHOTO_TITLE } from './requests.js';

const MAX_SLIDES = 35;
const MAX_VIDEO_CAPTION = 2200;
const MAX_PHOTO_DESCRIPTION = 4000;
const VIDEO_TYPES = ['video/mp4', 'video/quicktime', 'video/webm'];

export function checkDraft(draft: Draft, media: Media, creator: CreatorInfo | null): Finding[] {
  return [
    ...textFindings(draft),
    ...mediaFindings(media, creator),
    ...coverFindings(draft, media),
    ...(draft.mode === 'direct' ? directFindings(draft, creator) : []),
  ];
}

const finding = (level: Finding['level'], code: string, detail: string, field?: string): Finding => ({
  code,
  detail,
  pointer: field === undefined ? null : `/${field}`,
  level,
});

/** Lengths are UTF-16 code units, as JavaScript counts. */
export function textFindings(draft: Draft): Finding[] {
  const text = joinCaption(draft);
  const isVideo = draft.type === 'video';
  if (isVideo && draft.mode === 'inbox') {
    const detail = 'A video goes to the inbox without text. Write the caption in the app when you post it.';
    return text === '' ? [] : [finding('warning', 'text_not_sent', detail, 'caption')];
  }
  const findings: Finding[] = [];
  const limit = isVideo ? MAX_VIDEO_CAPTION : MAX_PHOTO_DESCRIPTION;
  if (text.length > limit) {
    const detail = `Caption and hashtags are ${text.length} characters together. Shorten them to ${limit}.`;
    findings.push(finding('error', 'caption_too_long', detail, 'caption'));
  }
  const { length } = draft.title.trim();
  if (!isVideo && length > MAX_PHOTO_TITLE) {
    const detail = `The title is ${length} characters long, so it's left out. Shorten it to ${MAX_PHOTO_TITLE} to include it.`;
    findings.push(finding('warning', 'title_not_sent', detail, 'title'));
  }
  return findings;
}

function mediaFindings(media: Media, creator: CreatorInfo | null): Finding[] {
  if ('addresses' in media) {
    const { length } = media.addresses;
    if (length >= 1 && length <= MAX_SLIDES) return [];
    return [finding('error', 'slide_count', `The post has ${length} slides. Use 1 to ${MAX_SLIDES}.`)];
  }
  const seconds = (media.durationMs ?? 0) / 1000;
  const limit = creator?.maxVideoSeconds ?? Number.POSITIVE_INFINITY;
  return [
    ...(planChunks(media.bytes)
      ? []
      : [finding('error', 'video_size', 'The video is empty or larger than 4 GB.')]),
    ...(VIDEO_TYPES.includes(media.contentType)
      ? []
      : [finding('error', 'video_type', 'The platform accepts only MP4, QuickTime and WebM videos.')]),
    ...(seconds <= limit
      ? []
      : [
          finding(
            'error',
            'video_too_long',
            `The video is too long: this account can post up to ${limit} seconds.`,
          ),
        ]),
  ];
}

function coverFindings({ coverIndex, coverMs, mode }: Draft, media: Media): Finding[] {
  if ('addresses' in media) {
    const { length } = media.addresses;
    if (coverIndex == null || coverIndex < length) return [];
    const detail = `The cover is slide ${coverIndex + 1}, but the post has ${length}. Choose another cover.`;
    return [finding('error', 'cover_out_of_range', detail, 'cover_index')];
  }
  if (coverMs == null) return [];
  if (mode === 'inbox') {
    const detail = 'A video for the inbox carries no cover. Choose it in the app.';
    return [finding('warning', 'cover_not_sent', detail, 'cover_ms')];
  }
  // The platform then takes the first frame.
  if (media.durationMs == null || coverMs <= media.durationMs) return [];
  const detail = 'The moment of the cover is after the end, so the first frame is used.';
  return [finding('warning', 'cover_beyond_video', detail, 'cover_ms')];
}

function directFindings(draft: Draft, creator: CreatorInfo | null): Finding[] {
  const { privacyLevel } = draft;
  const findings: Finding[] = [];
  if (privacyLevel === null)
    findings.push(finding('error', 'privacy_level_missing', 'Choose who can see the post.', 'privacy_level'));
  else if (creator && !creator.privacyLevels.includes(privacyLevel))
    findings.push(
      finding(
        'error',
        'privacy_level_not_offered',
        `This account can't use ${privacyLevel}. Choose one of ${creator.privacyLevels.join(', ')}.`,
        'privacy_level',
      ),
    );
  // The platform does not document the effect; its rules for apps forbid it.
  if (draft.isBrandedContent && privacyLevel === 'SELF_ONLY')
    findings.push(
      finding(
        'error',
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
      findings.push(finding('warning', 'turned_off_by_account', detail, field));
    }
  return findings;
}
