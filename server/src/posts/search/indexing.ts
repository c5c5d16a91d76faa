// Keeps the searched text of posts: with the post, in the same transaction, and by a loop for posts whose text is missing.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { App } from '../../api/app.js';
import { writeOnce } from '../../db/compiled-once.js';
import type { Reader, Tx } from '../../db/database.js';
import type { PostRow } from '../../db/tables.js';
import { setTitleKey } from '../backfill.js';
import { goOnWithOldPosts, hasRows } from '../old-posts.js';
import { titleKey } from '../text-keys.js';
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
const MAX_PER_RUN = 1_000;

/**
 * Indexes posts that a process of the previous release has written, and those that were there before the index; and has SQLite
 * write what it has left for later.
 */
export async function indexPosts(app: App, most = MAX_PER_RUN): Promise<void> {
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

const hasWork = async (read: Reader): Promise<boolean> =>
  (await hasRows(read, 'posts_to_index')) || (await hasRows(read, 'organizations_to_index'));

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
  const written = await write(tx, posts);
  for (const { org_id, id, version, title } of posts.slice(0, written))
    await setTitleKey(tx, titleKey(title), org_id, id, version);
  const left = new Set(posts.slice(written).map(({ id }) => id));
  const done = listed.filter(({ post_id }) => !left.has(post_id)).map(({ id }) => id);
  await tx.deleteFrom('posts_to_index').where('id', 'in', done).execute();
  return true;
}

/** The oldest first, so that the numbers in SQLite's index follow the time. */
const indexOld = (tx: Tx): Promise<boolean> =>
  goOnWithOldPosts(tx, {
    list: 'organizations_to_index',
    read: (tx, orgId, { created_at, id }, most) =>
      texts(tx)
        .where('org_id', '=', orgId)
        .where((eb) => eb(eb.refTuple('created_at', 'id'), '>', eb.tuple(created_at, id)))
        .orderBy('created_at')
        .orderBy('id')
        .limit(most)
        .execute(),
    write,
    most: BATCH,
  });

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
