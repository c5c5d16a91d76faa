// Use cases on single posts; create.ts makes them. Each one that writes runs in the transaction it is given, so that the counters and the
// Idempotency-Key's record commit with it.

import type { Updateable } from 'kysely';
import { requireAccountInUse } from '../accounts/accounts.js';
import type { App, TxApp } from '../app/app.js';
import { parseTimestamp } from '../core/clock.js';
import { asUuid } from '../core/ids.js';
import { AppError } from '../core/problems.js';
import type { Reader, Tx } from '../db/database.js';
import { CURRENT_EPOCH, type VersionedPost } from '../db/epoch.js';
import { isRow } from '../db/is-row.js';
import { prepareRead } from '../db/prepared-statements.js';
import { POST_COLUMNS, type PostRow, type PostTable } from '../db/tables.js';
import type { Caller, CallerWithAddress } from '../request/caller.js';
import { assertIfMatch } from '../request/conditional-requests.js';
import { requireFound } from '../request/require-found.js';
import { assertCoverFits } from './cover.js';
import { labelsColumn, requireKnownLabels } from './labels/post-labels.js';
import { assertMayChange, assertMayChangeFiles } from './permission.js';
import { etagOf, presentPost } from './present.js';
import type { PostUpdate } from './rows.js';
import type { Post, UpdatePost } from './schema.js';
import { slotChanges } from './slot.js';
import { allows } from './state.js';
import { splitToggles } from './toggles.js';
import { updatePosts } from './write.js';

export const getPost = async (app: App, caller: Caller, id: string): Promise<Post> =>
  presentPost(await getPostRow(app, caller, id));

export const getPostRow = (app: App, caller: Caller, id: string): Promise<VersionedPost> =>
  requireFound('post', caller, id, async (row) => (await findPost(app.db.read, row.org_id, row.id))[0]);

export const findPost = prepareRead(
  (read, orgId: string, id: string) =>
    read
      .selectFrom('posts')
      .select(POST_COLUMNS)
      .select(CURRENT_EPOCH)
      .where(isRow({ org_id: orgId, id })),
  'post_by_id',
);

/** Answers with the row; with `ifMatch`, only if the post is still the one that the caller has seen. */
export async function updatePost(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
  { options: _reserved, ...input }: UpdatePost,
  ifMatch?: string,
): Promise<VersionedPost> {
  const post = await lockEditablePost(tx, caller, id);
  assertIfMatch(ifMatch, etagOf(post));
  if (Object.keys(input).length === 0) return post;

  const update = await planUpdate(app, tx, caller, post, input);
  return (await updatePosts(app, tx, caller, [update]))[0] as VersionedPost;
}

/** Fails if the change breaks a rule. Writes nothing. */
export async function planUpdate(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  post: PostRow,
  input: Omit<UpdatePost, 'options'>,
): Promise<PostUpdate> {
  const { status } = input;
  const event = status === 'scheduled' ? 'schedule' : status === 'draft' ? 'unschedule' : 'edit';
  return { event, before: post, ...(await planChanges(app, tx, caller, post, input)) };
}

/** What a request asks for, as columns of the post, and its labels unless they stay. Fails if it breaks a rule. Writes nothing. */
export async function planChanges(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  post: PostRow,
  input: Omit<UpdatePost, 'options'>,
): Promise<{ changes: Updateable<PostTable>; labelIds: string[] | null }> {
  assertCoverFits(post.post_type, input);
  const { status, scheduled_at, social_account_id, labels, ...rest } = input;
  const [toggles, text] = splitToggles(rest);
  const changes: Updateable<PostTable> = { ...text, ...toggles };
  if (social_account_id !== undefined) changes.social_account_id = social_account_id?.toLowerCase() ?? null;
  if (scheduled_at !== undefined)
    changes.scheduled_at = scheduled_at === null ? null : parseTimestamp(scheduled_at);
  const labelIds = labels ? await requireKnownLabels(tx, caller.orgId, labels) : null;
  if (labelIds) changes.labels = labelsColumn(labelIds);
  assertMayChange(caller, post, changes, status);
  // The stored account may have been disconnected since, so booking a slot checks it again.
  const account = changes.social_account_id ?? (status === 'scheduled' ? post.social_account_id : null);
  if (account) await requireAccountInUse(tx, caller.orgId, account);
  Object.assign(changes, slotChanges(post, changes, status, app.clock.now(), app.config.scheduleMinLeadMs));
  return { changes, labelIds };
}

/** Locks a post whose content, or whose files, are about to change. */
export async function lockEditablePost(
  tx: Tx,
  caller: Pick<Caller, 'orgId'>,
  id: string,
): Promise<VersionedPost> {
  const post = await lockPost(tx, caller, id);
  assertEditable(post);
  return post;
}

/** Locks a post whose files a caller is about to change. */
export async function lockPostToChangeFiles(tx: Tx, caller: Caller, id: string): Promise<PostRow> {
  const post = await lockEditablePost(tx, caller, id);
  assertMayChangeFiles(caller, post);
  return post;
}

/** Checks without a lock, so that a request can be refused early. */
export async function assertPostEditable(read: Reader, orgId: string, id: string): Promise<void> {
  const post = await requireFound('post', { orgId }, id, (row) =>
    read.selectFrom('posts').select('status').where(isRow(row)).executeTakeFirst(),
  );
  assertEditable(post);
}

export function assertEditable({ status }: Pick<PostRow, 'status'>): void {
  if (!allows('edit', status))
    throw new AppError(
      'wrong_state',
      `A post that is ${status} cannot be changed. Only drafts and scheduled posts can.`,
    );
}

export const lockPost = (tx: Tx, caller: Pick<Caller, 'orgId'>, id: string): Promise<VersionedPost> =>
  requireFound('post', caller, id, async (row) => (await lockPosts(tx, caller, [row.id]))[0]);

/** The organization's posts among these ids, each once, locked in one order so that batches cannot deadlock. */
export async function lockPosts(
  tx: Tx,
  caller: Pick<Caller, 'orgId'>,
  ids: readonly string[],
): Promise<VersionedPost[]> {
  const known = [...new Set(ids.map(asUuid))].filter((id) => id !== null);
  if (known.length === 0) return [];
  return tx
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .select(CURRENT_EPOCH)
    .where('org_id', '=', caller.orgId)
    .where('id', 'in', known)
    .orderBy('id')
    .forUpdate()
    .execute();
}
