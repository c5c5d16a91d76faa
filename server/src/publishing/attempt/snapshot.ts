// What an attempt sends, as it was when the attempt began. Later changes of the post do not affect it.
import type { App } from '../../api/app.js';
import type {
  CreatorOptions,
  Draft,
  Finding,
  LostAnswer,
  Media,
  SlideMedia,
  Supports,
  VideoMedia,
} from '../../connectors/connector.js';
import type { AssetRow, PostRow } from '../../db/tables.js';
import { TOGGLES, type Toggle, toggleColumns } from '../../posts/toggles.js';

/** What is sent, and what is known of the request for it. */
export interface Contents {
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

export interface Snapshot extends Contents {
  /** What a lost answer to the submit allows, by the connector that the attempt began with. */
  lost: LostAnswer;
}

/** How a post is published: its own columns, or the options of a publish request. */
export type PublishOptions = Pick<PostRow, 'social_account_id' | 'publish_mode' | 'privacy_level' | Toggle>;

export function snapshotOf(post: PostRow, options: PublishOptions, assets: readonly AssetRow[]): Contents {
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
      coverIndex: post.cover_index,
      coverMs: post.cover_ms,
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
export const optionsOf = ({ draft }: Contents): Omit<PublishOptions, 'social_account_id'> => ({
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

/** Attempts from before there was a class are of the first platform. */
export function readSnapshot(text: string): Snapshot {
  const stored = JSON.parse(text) as Snapshot & { lost?: LostAnswer };
  return { ...stored, lost: stored.lost ?? (stored.draft.type === 'slides' ? 'revoke' : 'ask') };
}

export const hasMedia = ({ draft, slides, video }: Contents): boolean =>
  draft.type === 'video' ? video !== null : slides.length > 0;

/** Where our own server serves slides to the platform. */
export const MEDIA_PATH = '/media/';

function slideMedia(app: Pick<App, 'address'>, { slides }: Contents, nonce: string): SlideMedia {
  return {
    addresses: slides.map((_, i) => `${app.address.publicUrl}${MEDIA_PATH}${nonce}/${i + 1}.jpg`),
  };
}

const videoMedia = ({ video }: Contents): VideoMedia => ({
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
const ABOUT_MEDIA = ['slide_count', 'video_size', 'video_type', 'video_too_long', 'cover_out_of_range'];

/** Everything that the platform is known to refuse or to show differently. */
export function findingsOf(
  app: App,
  platform: string,
  snapshot: Contents,
  creator: CreatorOptions | null,
): Finding[] {
  const connector = app.connector(platform);
  const findings = [
    ...connector.check(snapshot.draft, mediaOf(app, snapshot, 'x'), creator),
    ...unsupported(connector.supports, snapshot),
  ];
  if (hasMedia(snapshot)) return findings;
  return [NO_MEDIA, ...findings.filter(({ code }) => !ABOUT_MEDIA.includes(code))];
}

/** Toggles that are on, and that the platform does not have. */
function unsupported({ toggles }: Supports, snapshot: Contents): Finding[] {
  const columns = optionsOf(snapshot);
  return TOGGLES.filter((name) => columns[name] === 1 && !toggles.includes(name)).map((field) => ({
    level: 'warning',
    code: 'not_on_platform',
    detail: `The platform of the account has no ${field}, so it has no effect there.`,
    field,
  }));
}

/** Exactly what would be sent, except the slide URLs, which are new each time. */
export const describeRequest = (app: App, platform: string, snapshot: Contents): Record<string, unknown> =>
  app.connector(platform).describe(snapshot.draft, mediaOf(app, snapshot, '{nonce}'));

export const mediaOf = (app: App, snapshot: Contents, nonce: string): Media =>
  snapshot.draft.type === 'video' ? videoMedia(snapshot) : slideMedia(app, snapshot, nonce);
