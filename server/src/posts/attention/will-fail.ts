// Scheduled posts that readiness says will fail, for reasons that no index knows: their text, their cover, the number of slides,
// or a consent that does not allow the mode. Readiness is worked out, not stored, so only the next slots are looked at.

import type { TxApp } from '../../app/app.js';
import type { Finding } from '../../connectors/connector.js';
import type { Reader } from '../../db/database.js';
import { POST_COLUMNS, type PostRow } from '../../db/tables.js';
import { readinessOfPosts } from '../readiness/load.js';
import { unusableAccounts } from './needing-attention.js';

/** How many scheduled posts are checked for `will_fail`, by slot. On SQLite no request is served meanwhile. */
export const NEXT_SLOTS = 200;

export interface WillFail {
  post: PostRow;
  problems: Finding[];
}

/** Found along an index, or not a failure yet. */
const FOUND_BY_INDEX = ['no_media', 'uploads_pending', 'media_rejected'];
const OF_THE_ACCOUNT = 'reconnect_required';

export async function postsThatWillFail(
  app: Pick<TxApp, 'connector' | 'clock'>,
  read: Reader,
  orgId: string,
): Promise<WillFail[]> {
  const posts = await read
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('org_id', '=', orgId)
    .where('status', '=', 'scheduled')
    .orderBy('scheduled_at')
    .orderBy('id')
    .limit(NEXT_SLOTS)
    .execute();
  if (posts.length === 0) return [];
  const readiness = await readinessOfPosts(app, read, orgId, posts);
  // Their posts have a row of the account.
  const accounts = await unusableAccounts(read, orgId).execute();
  const unusable = new Set<string | null>(accounts.map(({ id }) => id));
  return posts.flatMap((post) => {
    const isUnusable = unusable.has(post.social_account_id);
    const problems = (readiness.get(post.id)?.problems ?? []).filter(
      ({ code, level }) =>
        level === 'error' && !FOUND_BY_INDEX.includes(code) && !(isUnusable && code === OF_THE_ACCOUNT),
    );
    return problems.length === 0 ? [] : [{ post, problems }];
  });
}
