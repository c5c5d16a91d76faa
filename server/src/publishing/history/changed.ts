// Whether a post would be sent as its attempt sent it. Labels, the archive and a slot are not sent.
import type { AssetRow, DispatchRow, PostRow } from '../../db/tables.js';
import { type Contents, readSnapshot, snapshotOf } from '../attempt/snapshot.js';

export function isChangedSince(
  { snapshot, accepted_at, social_account_id }: DispatchRow,
  post: PostRow,
  assets: readonly AssetRow[],
): boolean {
  const sent = readSnapshot(snapshot);
  const now = snapshotOf(post, post, assets);
  if (contentOf(sent) !== contentOf(now)) return true;
  // A refused request leaves no options on its post: they are the request's own.
  if (accepted_at === null) return false;
  return optionsIn(sent) !== optionsIn(now) || social_account_id !== post.social_account_id;
}

/** Attempts from before covers could be chosen have none. */
const contentOf = ({ draft, slides, video }: Contents): string =>
  JSON.stringify([
    draft.type,
    draft.title,
    draft.caption,
    draft.hashtags,
    draft.coverIndex ?? null,
    draft.coverMs ?? null,
    slides.map(({ object_key }) => object_key),
    video?.object_key ?? null,
  ]);

const optionsIn = ({ draft }: Contents): string =>
  JSON.stringify([
    draft.mode,
    draft.privacyLevel,
    draft.disableComment,
    draft.disableDuet,
    draft.disableStitch,
    draft.isBrandedContent,
    draft.isOwnBrand,
  ]);
