// A new post: an empty draft, and the changes that the request asks for, by the rules of PATCH, written as one row.
import type { TxApp } from '../api/app.js';
import type { ActingCaller, Caller } from '../api/caller.js';
import { writeRowOnce } from '../db/compiled-once.js';
import type { Tx } from '../db/database.js';
import { CURRENT_EPOCH, type VersionedPost } from '../db/epoch.js';
import { POST_COLUMNS, type PostRow } from '../db/tables.js';
import { takePostOfDay } from '../quotas/quotas.js';
import { recordPostChanges } from './counters.js';
import { indexLabels } from './labels/on-posts.js';
import { createdEvent } from './life-record.js';
import { recordDraft } from './new-draft.js';
import { planChanges } from './posts.js';
import type { CreatePost } from './schema.js';
import { addText } from './search/indexing.js';
import { foldForSearch } from './search/text.js';
import { tellOfSlots } from './slot-record.js';
import { titleKey } from './title-key.js';
import { toggleColumns } from './toggles.js';

/** A post that nothing speaks against. */
interface PlannedPost {
  /** What it would be without its slot and fields. */
  draft: PostRow;
  post: PostRow;
  labelIds: string[];
}

interface NewPost {
  draft: PostRow;
  post: VersionedPost;
}

export async function createPost(
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  input: CreatePost,
): Promise<VersionedPost> {
  const created = await writeNewPost(app, tx, caller, input);
  await recordNewPost(app, tx, caller, created);
  return created.post;
}

/** The caller calls `recordNewPost` when everything that belongs to the post is written. */
export async function writeNewPost(
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  input: CreatePost,
  /** Of a copy, whose files are there already. */
  id?: string,
): Promise<NewPost> {
  const planned = await planPost(app, tx, caller, input, id);
  await takePostOfDay(app, tx, caller.orgId, caller);
  return { draft: planned.draft, post: await writePost(tx, planned) };
}

/** Call it last in a transaction. */
export async function recordNewPost(
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  { draft, post }: NewPost,
): Promise<void> {
  if (post.status === 'draft') return recordDraft(tx, post, app.clock.now());
  await recordPostChanges(tx, [{ after: post }]);
  await tellOfSlots(app, tx, caller, [{ before: draft, after: post }], [createdEvent(post)]);
}

/** Fails if the post breaks a rule. Writes nothing. */
async function planPost(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  { options: _reserved, title, post_type = 'slides', ...input }: CreatePost,
  id = app.newId(),
): Promise<PlannedPost> {
  const now = app.clock.now();
  const draft: PostRow = {
    org_id: caller.orgId,
    id,
    post_type,
    title,
    caption: null,
    hashtags: null,
    status: 'draft',
    scheduled_at: null,
    last_slot: null,
    posted_at: null,
    social_account_id: null,
    publish_mode: 'direct',
    publish_retries: 0,
    last_publish_error: null,
    last_outcome: null,
    privacy_level: null,
    ...toggleColumns({}),
    labels: null,
    cover_index: null,
    cover_ms: null,
    created_at: now,
    updated_at: now,
    version: 1,
  };
  const { changes, labelIds } = await planChanges(app, tx, caller, draft, input);
  // A new row waits for nothing.
  const { wait_until: _none, ...columns } = changes;
  return { draft, post: { ...draft, ...(columns as Partial<PostRow>) }, labelIds: labelIds ?? [] };
}

async function writePost(tx: Tx, { post, labelIds }: PlannedPost): Promise<VersionedPost> {
  const text = foldForSearch(post);
  const insertPost = UNUSED_IN_DRAFTS.every((name) => post[name] === null) ? insertDraft : insertWhole;
  const { rows } = await insertPost(tx, post, titleKey(post.title), text, post.version);
  await addText(tx, post.org_id, post.id, post.created_at, post.version, text);
  await indexLabels(tx, post, [], labelIds);
  // Copying all columns takes longer than this.
  return Object.assign(post, { epoch: rows[0]?.epoch ?? 0 });
}

/** Null in most new posts. Not naming them makes such a post cheaper: the driver passes each value separately. */
const UNUSED_IN_DRAFTS = [
  'scheduled_at',
  'last_slot',
  'posted_at',
  'social_account_id',
  'last_publish_error',
  'privacy_level',
  'labels',
  'cover_index',
  'cover_ms',
] as const satisfies (keyof PostRow)[];
const USED_IN_DRAFTS = POST_COLUMNS.filter((name) => !(UNUSED_IN_DRAFTS as readonly string[]).includes(name));

const insertInto = (columns: readonly (keyof PostRow)[]) =>
  writeRowOnce(columns, (tx, row: PostRow, title_key: string, search_text: string, search_mark: number) =>
    tx
      .insertInto('posts')
      .values({ ...row, title_key, search_text, search_mark })
      .returning(CURRENT_EPOCH),
  );
/** A column that the list lacks would not be written, so this would not compile. */
type Complete<Names extends readonly string[]> = [Exclude<keyof PostRow, Names[number]>] extends [never]
  ? Names
  : never;
const insertWhole = insertInto(POST_COLUMNS satisfies Complete<typeof POST_COLUMNS>);
const insertDraft = insertInto(USED_IN_DRAFTS);
