// Other posts that may be on the account already and look like the one that is about to go out. An agent that does not dare to
// publish a post again, because its outcome is unknown, may write it again as a new one instead: to viewers that is the same.
import { sql } from 'kysely';
import { isReady } from '../../assets/assets.js';
import { toTimestamp } from '../../core/clock.js';
import type { Reader } from '../../db/database.js';
import type { AssetRow, PostRow } from '../../db/tables.js';
import { nameKey } from '../../posts/text-keys.js';

/** How many attempts are compared, newest first, and how many posts are named. */
const MAX_COMPARED = 50;
const MAX_NAMED = 3;

/** Literal, so that both engines see that the index `dispatches_unknown` fits. */
const isUnknown = sql<boolean>`outcome = 'unknown'`;

export interface PossibleDuplicate {
  postId: string;
  attemptedAt: number;
  hasSameText: boolean;
  hasSameFiles: boolean;
}

export async function possibleDuplicates(
  read: Reader,
  post: PostRow,
  files: readonly AssetRow[],
): Promise<PossibleDuplicate[]> {
  if (post.social_account_id === null) return [];
  // A post has one open attempt at most.
  const attempts = await read
    .selectFrom('dispatches')
    .select(['post_id', 'started_at'])
    .where('org_id', '=', post.org_id)
    .where('social_account_id', '=', post.social_account_id)
    .where(isUnknown)
    .where('post_id', '!=', post.id)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_COMPARED)
    .execute();
  if (attempts.length === 0) return [];
  const ids = attempts.map(({ post_id }) => post_id);
  const posts = await read
    .selectFrom('posts')
    .select(['id', 'title', 'caption', 'hashtags'])
    .where('org_id', '=', post.org_id)
    .where('id', 'in', ids)
    .execute();
  const assets = await read
    .selectFrom('assets')
    .selectAll()
    .where('org_id', '=', post.org_id)
    .where('post_id', 'in', ids)
    .execute();
  const ownText = textKey(post);
  const ownFiles = filesKey(files);
  return attempts.flatMap(({ post_id, started_at }) => {
    const other = posts.find(({ id }) => id === post_id);
    const hasSameText = other !== undefined && textKey(other) === ownText;
    const others = assets.filter((asset) => asset.post_id === post_id);
    const hasSameFiles = ownFiles !== '' && filesKey(others) === ownFiles;
    return hasSameText || hasSameFiles
      ? [{ postId: post_id, attemptedAt: started_at, hasSameText, hasSameFiles }]
      : [];
  });
}

/** Hashtags may stand in the caption, too. */
const textKey = ({ title, caption, hashtags }: Pick<PostRow, 'title' | 'caption' | 'hashtags'>): string =>
  nameKey([title, caption, hashtags].filter((text) => text !== null).join(' '));

/** Bytes are not kept apart from the store, but what inspection has found in them tells two files apart well enough to ask. */
const filesKey = (files: readonly AssetRow[]): string =>
  files
    .filter(isReady)
    .map(({ size, width, height, duration_ms }) => [size, width, height, duration_ms].join(' '))
    .sort()
    .join(', ');

/** What a person has to know. It names posts by their ids, because their titles are text of others. */
export function warningOf(duplicates: readonly PossibleDuplicate[]): string | null {
  if (duplicates.length === 0) return null;
  const named = duplicates.slice(0, MAX_NAMED).map(({ postId, attemptedAt, hasSameText, hasSameFiles }) => {
    const same = [hasSameText ? ['text'] : [], hasSameFiles ? ['files'] : []].flat().join(' and ');
    return `Post ${postId} on the same account has the same ${same}, and the outcome of its attempt of ${toTimestamp(attemptedAt)} is unknown.`;
  });
  const more = duplicates.length - named.length;
  return [
    ...named,
    ...(more > 0 ? [`The same holds for ${more} more.`] : []),
    'If it is on the platform, publishing this post too publishes it twice.',
  ].join(' ');
}
