// What an attempt sends, as it was when the attempt began. Later changes of the post do not affect it.

import type { App, TxApp } from '../../app/app.js';
import { missingOf } from '../../assets/missing.js';
import type { CreatorInfo, Draft, Finding, LostAnswer, Media } from '../../connectors/connector.js';
import type { AssetRow, PostRow } from '../../db/tables.js';
import {
  draftOf,
  findingsOf,
  missingFinding,
  type PublishOptions,
  togglesOf,
} from '../../posts/readiness/findings.js';
import { toggleColumns } from '../../posts/toggles.js';

/** What is sent, and what is known of the request for it. */
export interface Contents {
  draft: Draft;
  slides: { object_key: string }[];
  video: { object_key: string; bytes: number; content_type: string; duration_ms: number | null } | null;
  /** Why the attempt is refused without a call: a file of the post was rejected. It then has no files at all. */
  rejected?: Finding;
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

export function snapshotOf(post: PostRow, options: PublishOptions, assets: readonly AssetRow[]): Contents {
  const missing = missingFinding(missingOf(assets));
  const isRejected = missing?.code === 'media_rejected'; // mutant: rejected-file
  const ready = assets.filter(({ state }) => state === 'ready' && !isRejected);
  const video = ready.find(({ kind }) => kind === 'video');
  return {
    draft: draftOf(post, options),
    slides: ready.filter(({ kind }) => kind === 'slide').map(({ object_key }) => ({ object_key })),
    video: video
      ? {
          object_key: video.object_key,
          bytes: video.size ?? 0,
          content_type: video.content_type,
          duration_ms: video.duration_ms,
        }
      : null,
    ...(isRejected ? { rejected: missing } : {}),
    from: post.status === 'scheduled' ? 'scheduled' : 'draft',
    interruptions: 0,
  };
}

/** The options of an attempt, as the post keeps them once the attempt was accepted or is unknown. */
export const publishOptionsOf = ({ draft }: Contents): Omit<PublishOptions, 'social_account_id'> => ({
  publish_mode: draft.mode,
  privacy_level: draft.privacyLevel as PostRow['privacy_level'],
  ...toggleColumns(togglesOf(draft)),
});

export const readSnapshot = (text: string): Snapshot => JSON.parse(text) as Snapshot;

/** Files that the post waits for, or null. */
export const awaitedFiles = (assets: readonly AssetRow[]): Finding | null => {
  const missing = missingFinding(missingOf(assets));
  return missing?.code === 'uploads_pending' ? missing : null;
};

/** Where our own server serves slides to the platform. */
export const MEDIA_PATH = '/media/';

/** Everything that the platform is known to refuse or to show differently. */
export const findingsOfSnapshot = (
  app: Pick<TxApp, 'urls' | 'connector'>,
  platform: string,
  snapshot: Contents,
  creator: CreatorInfo | null,
): Finding[] => {
  const found = findingsOf(app.connector(platform), snapshot.draft, mediaOf(app, snapshot, 'x'), creator);
  if (!snapshot.rejected) return found;
  return [snapshot.rejected, ...found.filter(({ code }) => code !== 'no_media')];
};

/** Exactly what would be sent, except the slide URLs, which are new each time. */
export const describeRequest = (app: App, platform: string, snapshot: Contents): Record<string, unknown> =>
  app.connector(platform).describe(snapshot.draft, mediaOf(app, snapshot, '{nonce}'));

export function mediaOf(
  { urls }: Pick<App, 'urls'>,
  { draft, slides, video }: Contents,
  nonce: string,
): Media {
  if (draft.type === 'slides')
    return { addresses: slides.map((_, i) => `${urls.publicUrl}${MEDIA_PATH}${nonce}/${i + 1}.jpg`) };
  return {
    bytes: video?.bytes ?? 0,
    contentType: video?.content_type ?? '',
    durationMs: video?.duration_ms ?? null,
  };
}
