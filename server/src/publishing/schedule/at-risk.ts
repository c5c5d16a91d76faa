// Looks at scheduled posts a day and an hour before their slot, and says if one may not go out: the event `post.at_risk`, once
// for each post, slot and reason. A post that is booked later than that is looked at right away.
//
// `booked_slots` says when to look next, so a run costs nothing for posts that are not due for it. Workers that run at the same time
// skip each other's rows; what was told is a unique row in the event's transaction.
import { findPlatform } from '../../accounts/accounts.js';
import type { App } from '../../app/app.js';
import { confirmArrivals } from '../../assets/assets.js';
import type { Finding } from '../../connectors/connector.js';
import { toTimestamp } from '../../core/clock.js';
import { createLimiter, waitWithTimeout } from '../../core/concurrency.js';
import { DAY_MS, HOUR_MS } from '../../core/durations.js';
import { toLogFields } from '../../core/log.js';
import type { Tx } from '../../db/database.js';
import { POST_COLUMNS, type PostRow } from '../../db/tables.js';
import { recordEvent } from '../../events/record.js';
import { readinessOfPosts } from '../../posts/readiness/load.js';

/** Posts in one step, each organization's in one transaction. */
const BATCH = 100;
/** A store that is slow must not make the loop look dead: the next run continues. */
const RUN_MS = 5_000;
/** How many files are looked for at the same time. */
const MAX_CONCURRENT = 4;
/** How long it is remembered which problems were reported: longer than any retry for a slot. */
export const REPORT_RETENTION_MS = 7 * DAY_MS;

export async function checkUpcomingPosts(app: App): Promise<void> {
  // A restored database does not know what has become of these posts since its backup.
  if (app.safety.mode.kind !== 'normal') return;
  const giveUpAt = performance.now() + RUN_MS;
  for (;;) {
    const due = await findDue(app);
    let done = 0;
    for (const [orgId, postIds] of byOrganization(due)) {
      await confirmMedia(app, orgId, postIds, giveUpAt);
      done += await app.db.transact((tx) => checkSlots(app, tx, orgId, postIds));
      if (performance.now() > giveUpAt) return;
    }
    // None: another worker has locked all of them.
    if (due.length < BATCH || done === 0) return;
  }
}

const findDue = (app: App) =>
  app.db.read
    .selectFrom('booked_slots')
    .select(['org_id', 'post_id'])
    .where('check_at', '<=', app.clock.now())
    .orderBy('check_at')
    .limit(BATCH)
    .execute();

function byOrganization(due: readonly { org_id: string; post_id: string }[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { org_id, post_id } of due) ids.set(org_id, [...(ids.get(org_id) ?? []), post_id]);
  return ids;
}

/** S3 does not report uploads by itself: a file may have arrived without being confirmed. */
async function confirmMedia(app: App, orgId: string, postIds: string[], giveUpAt: number): Promise<void> {
  const uploading = await app.db.read
    .selectFrom('assets')
    .select('post_id')
    .distinct()
    .where('org_id', '=', orgId)
    .where('post_id', 'in', postIds)
    .where('state', '=', 'pending')
    .execute();
  if (uploading.length === 0) return;
  // A plain limiter: the posts of one organization.
  const limited = createLimiter(MAX_CONCURRENT);
  const confirmations = uploading.map(({ post_id }) =>
    limited(() => confirmArrivals(app, orgId, post_id, 'free')).catch((err) =>
      app.log.warn(toLogFields(err), 'an upload could not be inspected; its post may be reported as at risk'),
    ),
  );
  await waitWithTimeout(Math.max(0, giveUpAt - performance.now()), Promise.all(confirmations));
}

/** Returns how many posts it has looked at. */
async function checkSlots(app: App, tx: Tx, orgId: string, postIds: string[]): Promise<number> {
  const now = app.clock.now();
  // The rows are locked, and the posts are not: a change of a post waits for its row here, never the other way round.
  const slots = await tx
    .selectFrom('booked_slots')
    .select(['post_id', 'scheduled_at'])
    .where('org_id', '=', orgId)
    .where('post_id', 'in', postIds)
    .where('check_at', '<=', now)
    .orderBy('post_id')
    .forUpdate()
    .skipLocked()
    .execute();
  if (slots.length === 0) return 0;
  const slotOf = new Map(slots.map(({ post_id, scheduled_at }) => [post_id, scheduled_at]));
  const posts = (
    await tx
      .selectFrom('posts')
      .select(POST_COLUMNS)
      .where('org_id', '=', orgId)
      .where('id', 'in', [...slotOf.keys()])
      .execute()
  ).filter(
    ({ id, scheduled_at }) => scheduled_at !== null && scheduled_at > now && scheduled_at === slotOf.get(id),
  );
  const readiness = await readinessOfPosts(app, tx, orgId, posts);
  await scheduleNextCheck(tx, orgId, slots, now);
  const risks = [];
  for (const post of posts) {
    const problems = await recordNewProblems(tx, post, readiness.get(post.id)?.problems ?? []);
    if (problems.length > 0) risks.push({ post, problems });
  }
  for (const { post, problems } of risks) await recordAtRiskEvent(tx, post, problems, now);
  return slots.length;
}

/** An hour before the slot, if that is still to come. */
async function scheduleNextCheck(
  tx: Tx,
  orgId: string,
  slots: readonly { post_id: string; scheduled_at: number }[],
  now: number,
): Promise<void> {
  const isLater = ({ scheduled_at }: { scheduled_at: number }) => scheduled_at - HOUR_MS > now;
  for (const later of [true, false]) {
    const ids = slots.filter((slot) => isLater(slot) === later).map(({ post_id }) => post_id);
    if (ids.length === 0) continue;
    await tx
      .updateTable('booked_slots')
      .set((eb) => ({ check_at: later ? eb('scheduled_at', '-', HOUR_MS) : null }))
      .where('org_id', '=', orgId)
      .where('post_id', 'in', ids)
      .execute();
  }
}

/** Marks the problems as told, and returns those that were not. */
async function recordNewProblems(tx: Tx, post: PostRow, problems: Finding[]): Promise<Finding[]> {
  const { org_id, id: post_id, scheduled_at: slot } = post;
  if (problems.length === 0 || slot === null) return [];
  const codes = [...new Set(problems.map(({ code }) => code))];
  const added = await tx
    .insertInto('reported_risks')
    .values(codes.map((code) => ({ org_id, post_id, slot, code })))
    .onConflict((conflict) => conflict.columns(['org_id', 'post_id', 'slot', 'code']).doNothing())
    .returning('code')
    .execute();
  return problems.filter(({ code }) => added.some((row) => row.code === code));
}

async function recordAtRiskEvent(tx: Tx, post: PostRow, problems: Finding[], now: number): Promise<void> {
  const { org_id, id: post_id, scheduled_at, social_account_id } = post;
  if (scheduled_at === null || social_account_id === null) return;
  await recordEvent(tx, org_id, 'post.at_risk', now, {
    post_id,
    social_account_id,
    platform: await findPlatform(tx, org_id, social_account_id),
    slot: toTimestamp(scheduled_at),
    problems,
  });
}
