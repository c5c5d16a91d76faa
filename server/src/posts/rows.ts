// The statements that write rows of posts, with what is written beside each: its searched text and its labels. write.ts calls
// them, in the order that all transactions keep.
import { setImmediate } from 'node:timers/promises';
import type { Selectable, Updateable } from 'kysely';
import type { Reason } from '../core/reasons.js';
import type { Tx } from '../db/database.js';
import { CURRENT_EPOCH, type VersionedPost } from '../db/epoch.js';
import { isRow } from '../db/is-row.js';
import { prepareColumnWrite, prepareWrite } from '../db/prepared-statements.js';
import { type AttemptRow, POST_COLUMNS, type PostRow, type PostTable } from '../db/tables.js';
import { markAssetsForDeletion } from '../object-deletion/mark.js';
import { labelsOf, syncPostLabels } from './labels/post-labels.js';
import { type PostEvent, TRANSITIONS } from './state.js';
import { foldForSearch } from './text.js';
import { titleKey } from './text-keys.js';

/** A new post that has passed every check. */
export interface NewPost {
  post: PostRow;
  titleKey: string;
  /** What a search finds it by. */
  text: string;
  labelIds: string[];
}

/** Folding takes up to 0.7 ms: of many posts it is done before their transaction. */
export const newPost = (post: PostRow, labelIds: string[]): NewPost => ({
  post,
  titleKey: titleKey(post.title),
  text: foldForSearch(post),
  labelIds,
});

/** A change of a locked post that has passed every check. */
export interface PostUpdate {
  /** The transition, whose statuses guard the statement. */
  event: PostEvent;
  before: PostRow;
  changes: Updateable<PostTable>;
  /** The new labels; null if they stay. */
  labelIds: string[] | null;
}

/** A locked post that may be deleted. */
export interface PostDeletion {
  before: PostRow;
  /** The outcomes of its attempts, which are locked. */
  outcomes: AttemptRow['outcome'][];
}

/** Two statements, which are compiled once. */
export async function insertPostRow(
  tx: Tx,
  { post, titleKey, text, labelIds }: NewPost,
): Promise<VersionedPost> {
  const { rows } = await insertRow(tx, { ...post, title_key: titleKey });
  await insertText(tx, post.org_id, post.id, post.created_at, text);
  await syncPostLabels(tx, post, [], labelIds);
  // Copying all columns takes longer than this.
  return Object.assign(post, { epoch: rows[0]?.epoch ?? 0 });
}

const insertRow = prepareColumnWrite((tx, row: PostRow & { title_key: string }) =>
  tx.insertInto('posts').values(row).returning(CURRENT_EPOCH),
);

const insertText = prepareWrite((tx, org_id: string, post_id: string, created_at: number, content: string) =>
  tx.insertInto('post_search').values({ org_id, post_id, created_at, content }),
);

/** A statement of this many posts or characters takes about 10 milliseconds. Other writes wait for all, so the pauses are few. */
const POSTS_PER_STATEMENT = 200;
const CHARACTERS_PER_STATEMENT = 128 * 1024;

/** Many posts, in few statements. */
export async function insertPostRows(tx: Tx, posts: readonly NewPost[]): Promise<VersionedPost[]> {
  const inserted: VersionedPost[] = [];
  let slice: NewPost[] = [];
  let characters = 0;
  for (const [i, post] of posts.entries()) {
    slice.push(post);
    characters += post.text.length;
    const isFull = slice.length === POSTS_PER_STATEMENT || characters >= CHARACTERS_PER_STATEMENT;
    if (!isFull && i < posts.length - 1) continue;
    inserted.push(...(await insertSlice(tx, slice)));
    slice = [];
    characters = 0;
    // Other requests are served during a large import.
    await setImmediate();
  }
  return inserted;
}

async function insertSlice(tx: Tx, posts: readonly NewPost[]): Promise<VersionedPost[]> {
  const rows = posts.map(({ post, titleKey }) => ({ ...post, title_key: titleKey }));
  const inserted = await tx.insertInto('posts').values(rows).returning(CURRENT_EPOCH).execute();
  const texts = posts.map(({ post: { org_id, id, created_at }, text }) => ({
    org_id,
    post_id: id,
    created_at,
    content: text,
  }));
  await tx.insertInto('post_search').values(texts).execute();
  const labels = posts.flatMap(({ post: { org_id, id, created_at }, labelIds }) =>
    labelIds.map((label_id) => ({ org_id, post_id: id, label_id, created_at })),
  );
  if (labels.length > 0) await tx.insertInto('post_labels').values(labels).execute();
  return posts.map(({ post }) => Object.assign(post, { epoch: inserted[0]?.epoch ?? 0 }));
}

export async function updatePostRow(
  tx: Tx,
  { event, before, changes, labelIds }: PostUpdate,
  now: number,
): Promise<VersionedPost> {
  const { title, caption, hashtags } = changes;
  const all: Updateable<PostTable> = {
    ...withErrorDetails(changes),
    version: before.version + 1,
    updated_at: now,
  };
  if (typeof title === 'string') all.title_key = titleKey(title);
  const hasText = title !== undefined || caption !== undefined || hashtags !== undefined;
  const text = hasText ? foldForSearch({ ...before, ...(changes as Partial<PostRow>) }) : null;
  const after = await tx
    .updateTable('posts')
    .set(all)
    .where(isRow(before))
    .where('status', 'in', TRANSITIONS[event].from)
    .returning(POST_COLUMNS)
    .returning(CURRENT_EPOCH)
    .executeTakeFirstOrThrow();
  if (text !== null)
    await tx
      .updateTable('post_search')
      .set({ content: text })
      .where('org_id', '=', before.org_id)
      .where('post_id', '=', before.id)
      .execute();
  if (labelIds) await syncPostLabels(tx, before, labelsOf(before), labelIds);
  return after;
}

/** Returns the keys of the post's objects, to be removed after the commit. */
export async function deletePostRow(
  tx: Tx,
  { before, outcomes }: PostDeletion,
  now: number,
): Promise<string[]> {
  const { org_id, id } = before;
  if (outcomes.length > 0)
    await tx.deleteFrom('dispatches').where('org_id', '=', org_id).where('post_id', '=', id).execute();
  const objectKeys = await markAssetsForDeletion(tx, org_id, id, now);
  await tx.deleteFrom('posts').where(isRow(before)).where('status', 'in', TRANSITIONS.delete.from).execute();
  return objectKeys;
}

/** The columns of an error. */
export const errorColumns = ({ reason, code }: Reason) => ({
  last_publish_error: reason,
  last_publish_error_code: code,
});

/** A change of the error ends its code, and what the error says that the post waits for, unless the change gives others. */
export const withErrorDetails = <Changes extends { last_publish_error?: unknown }>(changes: Changes) =>
  'last_publish_error' in changes
    ? { last_publish_error_code: null, wait_reason: null, ...changes }
    : changes;

/** Columns and their new values; none is undefined. */
export type PostChanges = Partial<Selectable<PostTable>>;

/** How the publishing engine changes a post that it has locked. The statement expects the status that the locked post has. */
export const updateLockedPostRow = prepareColumnWrite(
  (tx, changes: PostChanges, orgId: string, id: string, status: PostRow['status']) =>
    tx
      .updateTable('posts')
      .set(changes)
      .where(isRow({ org_id: orgId, id }))
      .where('status', '=', status),
);
