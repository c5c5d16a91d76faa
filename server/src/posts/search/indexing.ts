// Keeps the searched text of posts: with the post, in the same transaction, and by a loop for posts whose text is missing.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { App } from '../../api/app.js';
import { writeOnce } from '../../db/compiled-once.js';
import type { Reader, Tx } from '../../db/database.js';
import type { PostRow } from '../../db/tables.js';
import { foldForSearch } from './text.js';

type Unindexed = Pick<PostRow, 'org_id' | 'id' | 'created_at' | 'version' | 'title' | 'caption' | 'hashtags'>;

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

/** One transaction is short, because it stops every other writer on SQLite: so many posts, or so many characters of text. */
const BATCH = 25;
const TEXT_OF_BATCH = 40_000;
/** A run leaves most of the time to everything else. */
const MOST_PER_RUN = 1_000;

/**
 * Indexes posts that a process of the previous release has written, and those that were there before the index; and has SQLite
 * write what it has left for later.
 */
export async function indexPosts(app: App, most = MOST_PER_RUN): Promise<void> {
  await writeTexts(app, most);
  for (let done = 0; done < most && (await app.db.tidy()); done += BATCH) await nextTurn();
}

async function writeTexts(app: App, most: number): Promise<void> {
  for (const index of [indexListed, indexOld])
    for (let done = 0; done < most; done += BATCH) {
      if (!(await hasWork(app.db.read))) return;
      const isMoreLeft = await app.db.transact(index);
      if (!isMoreLeft) break;
      await nextTurn();
    }
}

/** Most of the time there is nothing to do, and a transaction need not begin. */
async function hasWork(read: Reader): Promise<boolean> {
  for (const table of ['posts_to_index', 'organizations_to_index'] as const)
    if (await read.selectFrom(table).select('org_id').limit(1).executeTakeFirst()) return true;
  return false;
}

/** Returns whether there may be more. */
async function indexListed(tx: Tx): Promise<boolean> {
  const listed = await tx
    .selectFrom('posts_to_index')
    .selectAll()
    .orderBy('id')
    .limit(BATCH)
    .forUpdate()
    .skipLocked()
    .execute();
  if (listed.length === 0) return false;
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
  const left = new Set(posts.slice(await write(tx, posts)).map(({ id }) => id));
  const done = listed.filter(({ post_id }) => !left.has(post_id)).map(({ id }) => id);
  await tx.deleteFrom('posts_to_index').where('id', 'in', done).execute();
  return true;
}

/** The oldest first, so that the numbers in SQLite's index follow the time. Returns whether there may be more. */
async function indexOld(tx: Tx): Promise<boolean> {
  const organization = await tx
    .selectFrom('organizations_to_index')
    .selectAll()
    .orderBy('batches')
    .orderBy('org_id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!organization) return false;
  const { org_id, created_at, post_id, batches } = organization;
  const posts = await texts(tx)
    .where('org_id', '=', org_id)
    .where((eb) => eb(eb.refTuple('created_at', 'id'), '>', eb.tuple(created_at, post_id)))
    .orderBy('created_at')
    .orderBy('id')
    .limit(BATCH)
    .execute();
  const written = await write(tx, posts);
  const last = posts[written - 1];
  if (!last || (written === posts.length && written < BATCH))
    await tx.deleteFrom('organizations_to_index').where('org_id', '=', org_id).execute();
  else
    await tx
      .updateTable('organizations_to_index')
      .set({ created_at: last.created_at, post_id: last.id, batches: batches + 1 })
      .where('org_id', '=', org_id)
      .execute();
  return true;
}

/** Locked against deletion. */
const texts = (tx: Tx) =>
  tx
    .selectFrom('posts')
    .select(['org_id', 'id', 'created_at', 'version', 'title', 'caption', 'hashtags'])
    .forKeyShare();

/** Returns how many of them it has written. */
async function write(tx: Tx, posts: Unindexed[]): Promise<number> {
  let written = 0;
  for (let length = 0; written < posts.length && length < TEXT_OF_BATCH; written++) {
    const post = posts[written] as Unindexed;
    const text = foldForSearch(post);
    length += text.length;
    await replaceText(tx, post.org_id, post.id, post.created_at, post.version, text);
  }
  return written;
}
