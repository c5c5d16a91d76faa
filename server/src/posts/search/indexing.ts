// Keeps the searched text of posts: with the post, in the same transaction, and by a loop for posts whose text is missing.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { App } from '../../api/app.js';
import { writeOnce } from '../../db/compiled-once.js';
import type { Reader, Tx } from '../../db/database.js';
import type { PostRow } from '../../db/tables.js';
import { foldForSearch } from './text.js';

type Indexed = Pick<PostRow, 'org_id' | 'id' | 'created_at' | 'version'>;

/** For a post that was just created. */
export const addText = writeOnce(
  (tx, org_id: string, post_id: string, created_at: number, version: number, content: string) =>
    tx.insertInto('post_search').values({ org_id, post_id, created_at, version, content }),
);

/** An older text never replaces a newer one: the loop may have read the post before a request changed it. */
export const replaceText = writeOnce(
  (tx, org_id: string, post_id: string, created_at: number, version: number, content: string) =>
    tx
      .insertInto('post_search')
      .values({ org_id, post_id, created_at, version, content })
      .onConflict((conflict) =>
        conflict
          .columns(['org_id', 'post_id'])
          .doUpdateSet((eb) => ({
            version: eb.ref('excluded.version'),
            content: eb.ref('excluded.content'),
          }))
          .whereRef('post_search.version', '<=', 'excluded.version'),
      ),
);

/** Whether the text of every post of the organization is in post_search. */
export async function isIndexed(read: Reader, orgId: string): Promise<boolean> {
  const rows = await read
    .selectFrom('organizations_to_index')
    .select(sql<number>`1`.as('one'))
    .where('org_id', '=', orgId)
    .unionAll(
      read
        .selectFrom((eb) =>
          eb
            .selectFrom('posts_to_index')
            .select(sql<number>`1`.as('one'))
            .where('org_id', '=', orgId)
            .limit(1)
            .as('first'),
        )
        .select('first.one'),
    )
    .execute();
  return rows.length === 0;
}

/** One transaction is short: it stops every other writer on SQLite. */
const BATCH = 25;
/** A run leaves most of the time to everything else. */
const MOST_PER_RUN = 1_000;

/** Indexes posts that a process of the previous release has written, and those that were there before the index. */
export async function indexPosts(app: App, most = MOST_PER_RUN): Promise<void> {
  for (let done = 0; done < most; done += BATCH) {
    if (!(await hasWork(app.db.read))) return;
    await app.db.transact(async (tx) => {
      await indexListed(tx);
      await indexOld(tx);
    });
    await nextTurn();
  }
}

async function hasWork(read: Reader): Promise<boolean> {
  for (const table of ['posts_to_index', 'organizations_to_index'] as const)
    if (await read.selectFrom(table).select('org_id').limit(1).executeTakeFirst()) return true;
  return false;
}

async function indexListed(tx: Tx): Promise<void> {
  const listed = await tx
    .selectFrom('posts_to_index')
    .selectAll()
    .orderBy('id')
    .limit(BATCH)
    .forUpdate()
    .skipLocked()
    .execute();
  if (listed.length === 0) return;
  const posts = await texts(tx)
    .where((eb) =>
      eb(
        eb.refTuple('org_id', 'id'),
        'in',
        listed.map(({ org_id, post_id }) => eb.tuple(org_id, post_id)),
      ),
    )
    .orderBy('org_id')
    .orderBy('id')
    .execute();
  await write(tx, posts);
  const ids = listed.map(({ id }) => id);
  await tx.deleteFrom('posts_to_index').where('id', 'in', ids).execute();
}

/** The oldest first, so that the numbers in SQLite's index follow the time. */
async function indexOld(tx: Tx): Promise<void> {
  const organization = await tx
    .selectFrom('organizations_to_index')
    .selectAll()
    .orderBy('batches')
    .orderBy('org_id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!organization) return;
  const { org_id, created_at, post_id, batches } = organization;
  const posts = await texts(tx)
    .where('org_id', '=', org_id)
    .where((eb) => eb(eb.refTuple('created_at', 'id'), '>', eb.tuple(created_at, post_id)))
    .orderBy('created_at')
    .orderBy('id')
    .limit(BATCH)
    .execute();
  await write(tx, posts);
  const last = posts.at(-1);
  if (!last || posts.length < BATCH)
    await tx.deleteFrom('organizations_to_index').where('org_id', '=', org_id).execute();
  else
    await tx
      .updateTable('organizations_to_index')
      .set({ created_at: last.created_at, post_id: last.id, batches: batches + 1 })
      .where('org_id', '=', org_id)
      .execute();
}

/** Locked against deletion, in the order in which requests lock posts. */
const texts = (tx: Tx) =>
  tx
    .selectFrom('posts')
    .select(['org_id', 'id', 'created_at', 'version', 'title', 'caption', 'hashtags'])
    .forKeyShare();

async function write(
  tx: Tx,
  posts: (Indexed & Pick<PostRow, 'title' | 'caption' | 'hashtags'>)[],
): Promise<void> {
  for (const post of posts)
    await replaceText(tx, post.org_id, post.id, post.created_at, post.version, foldForSearch(post));
}
