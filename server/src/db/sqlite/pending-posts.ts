// Brings the index of the posts' text up to date, a batch of pending posts at a time (see migrations/first-schema/search.ts).
import { sql } from 'kysely';
import type { Reader } from '../database.js';

/** A batch is short, because no request is served meanwhile. It ends after this many entries, or characters of text. */
const BATCH = 200;
const TEXT_OF_BATCH = 40_000;

/** The number of the last entry of the next batch; null if nothing is pending. */
export async function lastOfPendingBatch(read: Reader): Promise<number | null> {
  const pending = await read
    .selectFrom('post_search_pending as pending')
    .leftJoin('post_search', 'post_search.n', 'pending.n')
    .select([
      'pending.n',
      sql<number>`coalesce(length(content), 0) + coalesce(length(indexed), 0)`.as('length'),
    ])
    .orderBy('pending.n')
    .limit(BATCH)
    .execute();
  let last: number | null = null;
  let text = 0;
  for (const { n, length } of pending) {
    if (last !== null && text + length > TEXT_OF_BATCH) break;
    text += length;
    last = n;
  }
  return last;
}

export async function countPendingPosts(read: Reader, limit: number): Promise<number> {
  const some = read.selectFrom('post_search_pending').select('n').limit(limit);
  const { n } = await read
    .selectFrom(some.as('some'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

/** In the order of the entries: FTS5 writes to the file whenever the next one is lower than the last. */
export const indexPendingUpTo = (last: number) => `
  insert into post_search_organizations (org_id)
    select distinct org_id from post_search_pending
    where n <= ${last} and org_id not in (select org_id from post_search_organizations);
  insert into post_search_fts (post_search_fts, rowid, content)
    select 'delete', number * 4294967296 + n, indexed
    from post_search_pending join post_search_organizations using (org_id)
    where n <= ${last} and indexed is not null order by number, n;
  insert into post_search_fts (rowid, content)
    select number * 4294967296 + pending.n, content
    from post_search_pending pending join post_search_organizations using (org_id)
      join post_search on post_search.n = pending.n
    where pending.n <= ${last} order by number, pending.n;
  delete from post_search_pending where n <= ${last};`;
