// What an attempt sends, as it was when the attempt began. Later changes of the post do not affect it.
import type { App } from '../../api/app.js';
import type { CreatorOptions, Draft, Finding, SlideMedia, VideoMedia } from '../../connectors/connector.js';
import type { AssetRow, PostRow } from '../../db/tables.js';
import { type Toggle, toggleColumns } from '../../posts/toggles.js';

export interface Snapshot {
  draft: Draft;
  slides: { object_key: string }[];
  video: { object_key: string; bytes: number; content_type: string; duration_ms: number | null } | null;
  /** The post's status if nothing comes of the attempt. */
  from: 'draft' | 'scheduled';
  /** How many attempts before this one were interrupted: their process stopped, or lost the database. */
  interruptions: number;
  /** When publishing now was requested, if this attempt replaces an interrupted one. */
  asked_at?: number;
  /** The attempt was open in the backup that the service was restored from: it is never retried automatically. */
  is_restored?: true;
}

/** How a post is published: its own columns, or the options of a publish request. */
export type PublishOptions = Pick<PostRow, 'social_account_id' | 'publish_mode' | 'privacy_level' | Toggle>;

export function snapshotOf(post: PostRow, options: PublishOptions, assets: readonly AssetRow[]): Snapshot {
  const ready = assets.filter(({ state }) => state === 'ready');
  const video = ready.find(({ kind }) => kind === 'video');
  return {
    draft: {
      type: post.post_type,
      mode: options.publish_mode,
      title: post.title,
      caption: post.caption,
      hashtags: post.hashtags,
      privacyLevel: options.privacy_level,
      disableComment: options.disable_comment === 1,
      disableDuet: options.disable_duet === 1,
      disableStitch: options.disable_stitch === 1,
      isBrandedContent: options.brand_content_toggle === 1,
      isOwnBrand: options.brand_organic_toggle === 1,
    },
    slides: ready.filter(({ kind }) => kind === 'slide').map(({ object_key }) => ({ object_key })),
    video: video
      ? {
          object_key: video.object_key,
          bytes: video.size ?? 0,
          content_type: video.content_type,
          duration_ms: video.duration_ms,
        }
      : null,
    from: post.status === 'scheduled' ? 'scheduled' : 'draft',
    interruptions: 0,
  };
}

/** The options of an attempt, as the post keeps them once the attempt was accepted or is unknown. */
export const optionsOf = ({ draft }: Snapshot): Omit<PublishOptions, 'social_account_id'> => ({
  publish_mode: draft.mode,
  privacy_level: draft.privacyLevel as PostRow['privacy_level'],
  ...toggleColumns({
    disable_comment: draft.disableComment,
    disable_duet: draft.disableDuet,
    disable_stitch: draft.disableStitch,
    brand_content_toggle: draft.isBrandedContent,
    brand_organic_toggle: draft.isOwnBrand,
  }),
});

export const readSnapshot = (text: string): Snapshot => JSON.parse(text) as Snapshot;

export const hasMedia = ({ draft, slides, video }: Snapshot): boolean =>
  draft.type === 'video' ? video !== null : slides.length > 0;

/** Where our own server serves slides to the platform. */
export const MEDIA_PATH = '/media/';

export function slideMedia(app: Pick<App, 'address'>, { slides }: Snapshot, nonce: string): SlideMedia {
  return {
    addresses: slides.map((_, i) => `${app.address.publicUrl}${MEDIA_PATH}${nonce}/${i + 1}.jpg`),
  };
}

export const videoMedia = ({ video }: Snapshot): VideoMedia => ({
  bytes: video?.bytes ?? 0,
  contentType: video?.content_type ?? '',
  durationMs: video?.duration_ms ?? null,
});

export const NO_MEDIA: Finding = {
  level: 'error',
  code: 'no_media',
  detail: 'The post has no uploaded file. Upload at least one slide, or the video.',
};

/** Findings that only make sense if there are files. */
const ABOUT_MEDIA = ['slide_count', 'video_size', 'video_type', 'video_too_long'];

/** Everything that the platform is known to refuse or to show differently. */
export function findingsOf(app: App, snapshot: Snapshot, creator: CreatorOptions | null): Finding[] {
  const findings = app.connector().check(snapshot.draft, mediaOf(app, snapshot, 'x'), creator);
  if (hasMedia(snapshot)) return findings;
  return [NO_MEDIA, ...findings.filter(({ code }) => !ABOUT_MEDIA.includes(code))];
}

/** Exactly what would be sent, except the slide URLs, which are new each time. */
export const describeRequest = (app: App, snapshot: Snapshot): Record<string, unknown> =>
  app.connector().describe(snapshot.draft, mediaOf(app, snapshot, '{nonce}'));

const mediaOf = (app: App, snapshot: Snapshot, nonce: string): SlideMedia | VideoMedia =>
  snapshot.draft.type === 'video' ? videoMedia(snapshot) : slideMedia(app, snapshot, nonce);
