// Creates the posts of a checked import in one transaction: all of them, or none. Statements insert many rows each, and other
// requests are served between them; on SQLite other writes wait meanwhile, and reads see nothing of it before the commit.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { accountMustBeConnected, platformOf } from '../../accounts/accounts.js';
import type { TxApp } from '../../api/app.js';
import type { ActingCaller } from '../../api/caller.js';
import { byCaller, recordAudit } from '../../audit/record.js';
import type { Tx } from '../../db/database.js';
import { type NewEvent, recordEvents } from '../../events/record.js';
import { toTimestamp } from '../../ground/clock.js';
import { AppError, invalid } from '../../ground/problems.js';
import { takePostsOfDay } from '../../quotas/quotas.js';
import { recordPostChanges } from '../counters.js';
import { existingLabels } from '../labels/on-posts.js';
import { createdEvent } from '../life-record.js';
import type { CheckedImport } from './check.js';
import type { PlannedPost } from './plan.js';

/** A statement of so many posts or characters takes about 10 milliseconds. Other writes wait for all, so the pauses are few. */
const POSTS_PER_STATEMENT = 200;
const CHARACTERS_PER_STATEMENT = 128 * 1024;
const POSTS_PER_COUNT = 1_000;

/** The files that the posts are to have. */
export interface ImportedFiles {
  /** Writes their rows. */
  write(slice: readonly PlannedPost[]): Promise<void>;
  takeQuota(): Promise<void>;
}

export async function writeImport(
  app: TxApp,
  tx: Tx,
  caller: ActingCaller,
  { posts, scheduled, media }: CheckedImport,
  files: ImportedFiles,
): Promise<void> {
  await referencesMustStillExist(tx, caller.orgId, posts);
  const events: NewEvent[] = [];
  const addEvents = eventsFor(tx, events);
  for (const slice of slicesOf(posts, POSTS_PER_STATEMENT)) {
    await writePosts(tx, slice);
    await files.write(slice);
    await addEvents(slice);
    await nextTurn();
  }
  // Quotas come after the posts: a request for a single post waits for these rows, and must not wait for all of the import.
  if (media > 0) await files.takeQuota();
  await takePostsOfDay(app, tx, caller.orgId, caller, posts.length);
  for (const slice of slicesOf(posts, POSTS_PER_COUNT)) {
    await recordPostChanges(
      tx,
      slice.map(({ row }) => ({ after: row })),
    );
    await nextTurn();
  }
  await recordAudit(app, tx, byCaller(caller), {
    action: 'post.imported',
    target: { id: caller.orgId, name: null },
    details: { posts: posts.length, scheduled, files: media },
  });
  await recordEvents(tx, caller.orgId, app.clock.now(), events);
}

function* slicesOf(posts: readonly PlannedPost[], size: number): Generator<PlannedPost[]> {
  let slice: PlannedPost[] = [];
  let characters = 0;
  for (const post of posts) {
    slice.push(post);
    characters += post.row.search_text?.length ?? 0;
    if (slice.length < size && characters < CHARACTERS_PER_STATEMENT) continue;
    yield slice;
    slice = [];
    characters = 0;
  }
  if (slice.length > 0) yield slice;
}

async function writePosts(tx: Tx, slice: readonly PlannedPost[]): Promise<void> {
  const rows = slice.map(({ row }) => row);
  await tx.insertInto('posts').values(rows).execute();
  const texts = rows.map(({ org_id, id, created_at, version, search_text }) => ({
    org_id,
    post_id: id,
    created_at,
    version,
    content: search_text,
  }));
  await tx.insertInto('post_search').values(texts).execute();
  const labels = slice.flatMap(({ row: { org_id, id, created_at }, labelIds }) =>
    labelIds.map((label_id) => ({ org_id, post_id: id, label_id, created_at })),
  );
  if (labels.length > 0) await tx.insertInto('post_labels').values(labels).execute();
}

/** What the check has found may have been disconnected or deleted since. Labels are locked until the transaction ends. */
async function referencesMustStillExist(tx: Tx, orgId: string, posts: readonly PlannedPost[]): Promise<void> {
  for (const id of accountsOf(posts)) await accountMustBeConnected(tx, orgId, id).catch(asChange);
  const labelIds = [...new Set(posts.flatMap(({ labelIds }) => labelIds))];
  if ((await existingLabels(tx, orgId, labelIds)).length < labelIds.length)
    throw invalid([
      { pointer: '/csv', message: 'names a label that was deleted while the file was checked' },
    ]);
}

function asChange(error: unknown): never {
  if (error instanceof AppError && error.code === 'validation_failed')
    throw invalid([
      { pointer: '/csv', message: 'names an account that was disconnected while the file was checked' },
    ]);
  throw error;
}

const accountsOf = (posts: readonly PlannedPost[]) =>
  new Set(posts.flatMap(({ row }) => row.social_account_id ?? []));

/** Adds the events of more posts, in the order of the lines. */
function eventsFor(tx: Tx, events: NewEvent[]) {
  const platforms = new Map<string, Awaited<ReturnType<typeof platformOf>>>();
  return async (posts: readonly PlannedPost[]): Promise<void> => {
    for (const { row } of posts) {
      events.push(createdEvent(row));
      const { org_id, id, status, scheduled_at, social_account_id } = row;
      if (status !== 'scheduled' || scheduled_at === null || social_account_id === null) continue;
      const platform = platforms.get(social_account_id) ?? (await platformOf(tx, org_id, social_account_id));
      platforms.set(social_account_id, platform);
      const data = { post_id: id, social_account_id, platform, scheduled_at: toTimestamp(scheduled_at) };
      events.push({ type: 'post.scheduled', data });
    }
  };
}
