// The end of safe mode, by the operator: what may have been published since the backup does not go out again by itself.

import type { TxApp } from '../app/app.js';
import { byOperator, recordAudit } from '../audit/record.js';
import { toTimestamp } from '../core/clock.js';
import { AppError } from '../core/problems.js';
import type { Reason } from '../core/reasons.js';
import type { Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import { POST_COLUMNS, type PostRow } from '../db/tables.js';
import { errorColumns } from '../posts/rows.js';
import { updatePostsByEngine } from '../posts/write.js';
import { recordFailureWithoutAttempt } from '../publishing/attempt/events.js';
import { keepArchivedOr } from '../publishing/attempt/post-after-failure.js';
import { applyTransition, lockAttempt } from '../publishing/attempt/settle.js';
import { readSnapshot } from '../publishing/attempt/snapshot.js';
import type { AttemptState } from '../publishing/attempt/transition.js';
import type { Installation } from '../restore-safety/note.js';
import type { Release, ReleaseOptions } from './schema.js';

/** All in one transaction: the release happens completely or not at all. `address` is the operator's, if it is a request. */
export async function release(
  app: TxApp,
  tx: Tx,
  address: string | null,
  { orphans = false, all_slots = false }: ReleaseOptions,
  /** Why the note in the store cannot be used, if it cannot. */
  noteFault: string | null,
): Promise<Release> {
  const now = app.clock.now();
  const row = await tx.selectFrom('installation').selectAll().forUpdate().executeTakeFirst();
  const since = row?.safe_since ?? null;
  if (since === null && noteFault === null)
    throw new AppError('not_in_safe_mode', 'The service is not in safe mode: there is nothing to release.');
  const reason = since === null ? noteFault : (row?.safe_reason ?? null);
  // Before all events, which come last. Without counts: every organization sees the row.
  await recordAudit(app, tx, byOperator(null, address), {
    action: 'installation.released',
    target: { id: null, name: null },
    details: { reason },
  });
  // The note cannot be used, and the database was not restored: a new note is written, and no post changes.
  if (!row || since === null)
    return {
      safe_since: null,
      reason: reason ?? '',
      restored_to: null,
      drafted: [],
      kept: [],
      unknown: [],
      observed: [],
      first_sweep_at: toTimestamp(now),
    };
  const isBefore = ({ scheduled_at }: PostRow) => all_slots || (scheduled_at ?? 0) < since;
  const scheduled = await scheduledPosts(tx);
  const drafted = scheduled.filter(isBefore);
  const unknown = await markUnknown(app, tx, now);
  const observed = await attemptsThatAre(tx, 'accepted');
  await neverRetry(tx, [...observed, ...(await attemptsThatAre(tx, 'unknown'))]);
  await returnToDraft(app, tx, drafted, now, row);
  await tx
    .updateTable('installation')
    .set({
      safe_since: null,
      safe_reason: null,
      restored_to: null,
      released_at: now,
      first_sweep: orphans ? 'allowed' : 'due',
    })
    .execute();
  return {
    safe_since: toTimestamp(since),
    reason: reason ?? '',
    restored_to: row.restored_to === null ? null : toTimestamp(row.restored_to),
    drafted: drafted.map(presentPost),
    kept: scheduled.filter((post) => !isBefore(post)).map(presentPost),
    unknown,
    observed,
    first_sweep_at: toTimestamp(now + app.config.garbageGraceMs),
  };
}

/** Spans all organizations: the operator releases the whole installation. Each row is then changed by its full key. */
const scheduledPosts = (tx: Tx): Promise<PostRow[]> =>
  tx
    .selectFrom('posts')
    .select(POST_COLUMNS)
    .where('status', '=', 'scheduled')
    .orderBy('id')
    .forUpdate()
    .execute();

async function returnToDraft(
  app: TxApp,
  tx: Tx,
  posts: PostRow[],
  now: number,
  { restored_to }: Installation,
): Promise<void> {
  const backup = restored_to === null ? 'a backup' : `a backup of ${toTimestamp(restored_to)}`;
  const failure: Reason = {
    code: RESTORED,
    reason: `The service was restored from ${backup}, so the post may already be published. Check the account before you schedule it again (restored)`,
  };
  const changed = {
    status: 'draft',
    scheduled_at: null,
    wait_until: null,
    ...errorColumns(failure),
  } as const;
  await updatePostsByEngine(
    app,
    tx,
    posts.map((post) => ({ post, changes: { ...changed, last_slot: post.scheduled_at } })),
  );
  for (const post of posts) await recordFailureWithoutAttempt(tx, post, now, failure, 'draft');
}

const RESTORED = 'restored';

type Attempt = Release['unknown'][number];

/** The database cannot tell whether they were sent after the backup. */
async function markUnknown(app: TxApp, tx: Tx, now: number): Promise<Attempt[]> {
  const message =
    'The outcome is unknown: the post was being sent when the restored backup was made. Check the account and resolve the post (restored)';
  const called: Attempt[] = [];
  for (const attempt of await attemptsThatAre(tx, 'started')) {
    const state = await lockStarted(tx, attempt);
    if (!state) continue;
    called.push(attempt);
    await applyTransition(app, tx, state, {
      attempt: {
        outcome: 'unknown',
        failure: 'unknown',
        error_code: RESTORED,
        error_message: message,
        phase: 'done',
        lease_until: null,
        next_at: null,
        checked_at: now,
      },
      post: {
        status: keepArchivedOr(state.post, 'publishing'),
        ...errorColumns({ code: RESTORED, reason: message }),
        wait_until: null,
      },
    });
  }
  return called;
}

/** On a running service an attempt may have been settled since it was listed. */
async function lockStarted(tx: Tx, { org_id, post_id, dispatch_id }: Attempt): Promise<AttemptState | null> {
  const found = await tx
    .selectFrom('dispatches')
    .select('fence')
    .where(isRow({ org_id, id: dispatch_id }))
    .executeTakeFirst();
  const state = found && (await lockAttempt(tx, { org_id, post_id, id: dispatch_id, fence: found.fence }));
  return state?.attempt.outcome === 'started' ? state : null;
}

/** Since the backup an attempt may have failed and been retried, by another attempt that this database does not know. */
async function neverRetry(tx: Tx, attempts: Attempt[]): Promise<void> {
  for (const { org_id, dispatch_id } of attempts) {
    const mine = isRow({ org_id, id: dispatch_id });
    const row = await tx.selectFrom('dispatches').select('snapshot').where(mine).executeTakeFirstOrThrow();
    const snapshot = JSON.stringify({ ...readSnapshot(row.snapshot), is_restored: true });
    await tx.updateTable('dispatches').set({ snapshot }).where(mine).execute();
  }
}

const attemptsThatAre = (tx: Tx, outcome: 'started' | 'accepted' | 'unknown'): Promise<Attempt[]> =>
  tx
    .selectFrom('dispatches')
    .select(['org_id', 'post_id', 'id as dispatch_id'])
    .where('outcome', '=', outcome)
    .orderBy('id')
    .execute();

const presentPost = ({ org_id, id, scheduled_at }: PostRow): Release['drafted'][number] => ({
  org_id,
  post_id: id,
  scheduled_at: toTimestamp(scheduled_at ?? 0),
});
