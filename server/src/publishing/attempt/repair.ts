// The safety net behind the schedule: every few minutes it looks for rows that the regular loops would never pick up again.
// There should be none; any that exist are repaired and logged.
import { sql } from 'kysely';
import type { App } from '../../app/app.js';
import { DAY_MS } from '../../core/durations.js';
import type { Reason } from '../../core/reasons.js';
import { WRITTEN_AHEAD_MS } from '../../db/clock-checks.js';
import { POST_COLUMNS } from '../../db/tables.js';
import { errorColumns } from '../../posts/rows.js';
import { updateWaits } from '../../posts/unrecorded.js';
import { updatePostsByEngine } from '../../posts/write.js';
import { resumeUnblocked } from './blocks/waiting-posts.js';
import { recordFailureWithoutAttempt } from './events.js';
import { OPEN_OUTCOMES } from './open-outcomes.js';

const BATCH = 100;

export async function repairSchedule(app: App): Promise<void> {
  const repaired = {
    waiting: await resumeForgotten(app),
    unblocked: await resumeUnblocked(app),
    ahead: await resumeAheadOfClock(app),
    unwatched: await requeueOpenAttempts(app),
    stranded: await returnStranded(app),
  };
  if (Object.values(repaired).some((n) => n > 0))
    app.log.error(repaired, 'the safety net had to repair the schedule');
}

/** Posts that wait for an account that is connected again. */
async function resumeForgotten(app: App): Promise<number> {
  const resumed = await app.db.transact((tx) =>
    updateWaits(tx, { wait_until: null }, (posts) =>
      posts
        .where('status', '=', 'scheduled')
        .where('wait_until', '>', app.clock.now())
        .where('wait_reason', '=', 'account')
        // Not those that the pace of the account has delayed since.
        .where(sql<boolean>`wait_until >= scheduled_at + ${app.config.publishing.maxLatenessMs}`)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('social_accounts')
              .select('social_accounts.id')
              .whereRef('social_accounts.org_id', '=', 'posts.org_id')
              .whereRef('social_accounts.id', '=', 'posts.social_account_id')
              .where('social_accounts.status', '=', 'connected')
              // An account that was connected all along lacks a permission, and would refuse again.
              .whereRef('social_accounts.updated_at', '>', 'posts.updated_at'),
          ),
        ),
    ),
  );
  return resumed.length;
}

/**
 * Posts whose slot has come, and which were told to wait before the clock was set back. They go out no earlier than their
 * slot: only the wait ends.
 */
async function resumeAheadOfClock(app: App): Promise<number> {
  const now = app.clock.now();
  const resumed = await app.db.transact((tx) =>
    updateWaits(tx, { wait_until: null }, (posts) =>
      posts
        .where('status', '=', 'scheduled')
        .where('scheduled_at', '<=', now)
        .where('wait_until', '>', now)
        .where((eb) =>
          eb.or([
            // Waits for an account's pace do not change `updated_at`, and are never longer than a day.
            eb('updated_at', '>', now + WRITTEN_AHEAD_MS),
            eb(
              'wait_until',
              '>',
              now + Math.max(DAY_MS, app.config.publishing.maxLatenessMs) + WRITTEN_AHEAD_MS,
            ),
          ]),
        ),
    ),
  );
  return resumed.length;
}

/** Open attempts that no worker would pick up again. */
async function requeueOpenAttempts(app: App): Promise<number> {
  const { numUpdatedRows } = await app.db.transact((tx) =>
    tx
      .updateTable('dispatches')
      .set({ next_at: app.clock.now() })
      .where('outcome', '=', 'started')
      .where('next_at', 'is', null)
      .executeTakeFirst(),
  );
  return Number(numUpdatedRows);
}

const ATTEMPT_LOST: Reason = {
  code: 'attempt_lost',
  reason: 'The publish attempt was lost, and nothing was sent. Publish the post again (attempt_lost)',
};

/** Posts in `publishing` without an attempt that could end it. */
function returnStranded(app: App): Promise<number> {
  return app.db.transact(async (tx) => {
    const stranded = await tx
      .selectFrom('posts')
      .select(POST_COLUMNS)
      .where('status', '=', 'publishing')
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('dispatches')
              .select('dispatches.id')
              .whereRef('dispatches.org_id', '=', 'posts.org_id')
              .whereRef('dispatches.post_id', '=', 'posts.id')
              .where('dispatches.outcome', 'in', OPEN_OUTCOMES),
          ),
        ),
      )
      .orderBy('id')
      .limit(BATCH)
      .forUpdate()
      .execute();
    const changed = {
      status: 'draft',
      scheduled_at: null,
      wait_until: null,
      ...errorColumns(ATTEMPT_LOST),
    } as const;
    await updatePostsByEngine(
      app,
      tx,
      stranded.map((post) => ({
        post,
        changes: { ...changed, last_slot: post.scheduled_at ?? post.last_slot },
      })),
    );
    for (const post of stranded)
      await recordFailureWithoutAttempt(tx, post, app.clock.now(), ATTEMPT_LOST, 'draft');
    return stranded.length;
  });
}
