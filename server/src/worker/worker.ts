// The background work of a process: its loops, and the heartbeat that other processes see.

import { sweepGrantCalls } from '../accounts/grant-calls.js';
import { createRenewals } from '../accounts/tokens.js';
import { createFetches } from '../assets/import/fetch.js';
import { sweepUploads } from '../assets/sweep.js';
import { sweepAudit } from '../audit/record.js';
import { waitWithTimeout } from '../core/concurrency.js';
import { toLogFields } from '../core/log.js';
import { WRITTEN_AHEAD_MS } from '../db/due-times.js';
import { sweepEvents } from '../events/record.js';
import { disableForExpiredKeys } from '../events/webhooks/ended-keys.js';
import { sweepDeliveries, sweepPreviousSecrets } from '../events/webhooks/sweep.js';
import { indexPosts } from '../posts/search/search.js';
import { WEBHOOK_RETENTION_MS } from '../publishing/attempt/platform-webhooks.js';
import { repairSchedule } from '../publishing/attempt/repair.js';
import { checkUpcomingPosts, sweepReportedRisks } from '../publishing/schedule/at-risk.js';
import { countWithoutKey } from '../publishing/schedule/due.js';
import { createEngine, type POOL_LIMITS } from '../publishing/schedule/engine.js';
import type { App } from '../request/app.js';
import { removeMarked, removeOrphans } from '../request/garbage.js';
import { IDEMPOTENCY_RETENTION_MS } from '../request/idempotency-record.js';
import type { Runner } from '../work/runner.js';
import { clockPlans } from './clock-set-back.js';
import { type Loop, type LoopPlan, startLoop } from './loop.js';
import { createResealRun } from './reseal.js';
import { startWebhooks } from './webhooks.js';

export interface Worker {
  /** The loops that have not finished a run for too long. */
  silentLoops(): string[];
  stop(): Promise<void>;
}

const SWEEP_BATCH = 500;

/** Leaves the rest of the process's 20 seconds for everything else. */
const STOP_WITHIN_MS = 12_000;
const SIGN_OFF_MS = 1_000;

export function startWorker(app: App): Worker {
  const id = app.newId();
  const poke = (names: readonly string[]) => {
    for (const loop of loops) if (names.includes(loop.name)) loop.wake();
  };
  const engine = createEngine(app, (job) => poke(WOKEN_BY[job]));
  const webhooks = startWebhooks(app, (name) => poke([name]));
  const runners = [
    ...engine.runners,
    createFetches(app, () => poke(['imports'])),
    createRenewals(app, () => poke(['tokens'])),
    webhooks.sender,
  ];
  const loops: Loop[] = [...plans(app, id), ...webhooks.plans, ...runners.map(planOf)].map((plan) => {
    app.meters.loopStarted(plan.name);
    return startLoop(plan, app.log, () => app.meters.loopFailed(plan.name));
  });
  return {
    silentLoops: () => loops.filter((loop) => !loop.isFresh()).map((loop) => loop.name),
    async stop() {
      // A run that waits for the platform must not delay the stop beyond its limit.
      const ended = Promise.all(loops.map((loop) => loop.stop()));
      const handedOver = runners.map((runner) => runner.stop());
      await Promise.all([waitWithTimeout(STOP_WITHIN_MS, ended), webhooks.stop(), ...handedOver]);
      // A database that is silent must not make the stop longer than it may be.
      const signedOff = app.db
        .transact((tx) => tx.deleteFrom('workers').where('id', '=', id).execute())
        .catch((err) => app.log.warn(toLogFields(err), 'the worker could not sign off; it will be missed'));
      await waitWithTimeout(SIGN_OFF_MS, signedOff);
    },
  };
}

const planOf = ({ name, everyMs, startDue }: Runner): LoopPlan => ({ name, everyMs, run: startDue });

/** Which loops ended work of a job wakes. An accepted video has bytes to upload right away. */
const WOKEN_BY: Record<keyof typeof POOL_LIMITS, string[]> = {
  posts: ['schedule', 'transfers'],
  polls: ['reconcile'],
  transfers: ['transfers'],
};

function plans(app: App, id: string): LoopPlan[] {
  const startedAt = app.clock.now();
  return [
    {
      name: 'heartbeat',
      everyMs: 5_000,
      run: async () => {
        const beat = { heartbeat_at: app.clock.now() };
        await app.db.transact((tx) =>
          tx
            .insertInto('workers')
            .values({ id, started_at: startedAt, ...beat })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(beat))
            .execute(),
        );
      },
    },
    { name: 'safety net', everyMs: app.config.publishing.sweepMs, run: () => repairSchedule(app) },
    ...clockPlans(app),
    { name: 'work without a key', everyMs: 60_000, run: () => reportWithoutKey(app) },
    { name: 'at-risk', everyMs: 10_000, run: () => checkUpcomingPosts(app) },
    { name: 'sweep', everyMs: 60_000, run: () => sweep(app) },
    { name: 'reseal', everyMs: 2_000, run: createResealRun(app) },
    { name: 'search-index', everyMs: 2_000, run: () => indexPosts(app) },
    {
      name: 'garbage',
      everyMs: clamp(1_000, app.config.garbageGraceMs, 60_000),
      run: () => collectGarbage(app),
    },
    // Lists the whole store, so it runs no more often than it can find something. Not at start: an operator who has
    // connected the wrong database or bucket has time to notice.
    {
      name: 'orphans',
      startsLater: true,
      everyMs: clamp(10_000, app.config.garbageGraceMs, 6 * 3_600_000),
      run: () => removeOrphans(app),
    },
  ];
}

/** It waits for a worker that has the key. If there is none, only this line tells. */
export async function reportWithoutKey(app: App): Promise<void> {
  const left = await countWithoutKey(app);
  if (left > 0)
    app.log.error(
      { left },
      'due posts and attempts need an encryption key that this process does not have, and are left to others; `npm run check` names the key',
    );
}

const GARBAGE_RUN_MS = 60_000;

/** An upload may pause for a minute, and its final flush may take as long: its temporary file must outlive both. */
const MIN_DRAFT_AGE_MS = 600_000;

const clamp = (min: number, ms: number, max: number) => Math.min(Math.max(ms, min), max);

/** Removes files that nothing refers to. */
export async function collectGarbage(app: App): Promise<void> {
  // In safe mode objects are kept: those marked for deletion wait.
  if (app.safety.mode.kind !== 'normal') return;
  // A store that hangs must not make the loop look dead; the next run continues.
  const giveUpAt = performance.now() + GARBAGE_RUN_MS;
  await sweepUploads(app, giveUpAt);
  await removeMarked(app, giveUpAt);
  await app.store.removeBroken(app.clock.now() - Math.max(app.config.garbageGraceMs, MIN_DRAFT_AGE_MS));
}

/** Deletes expired rows in small batches: a long statement would block every other writer. */
export async function sweep(app: App): Promise<void> {
  const now = app.clock.now();
  await app.db.transact((tx) =>
    tx
      .deleteFrom('workers')
      // Also those of a time before the clock was set back: they would look alive. A worker that is signs on again.
      .where((eb) =>
        eb.or([eb('heartbeat_at', '<', now - 3_600_000), eb('heartbeat_at', '>', now + WRITTEN_AHEAD_MS)]),
      )
      .execute(),
  );
  await app.db.transact((tx) =>
    tx
      .deleteFrom('platform_webhooks')
      .where('received_at', '<', now - WEBHOOK_RETENTION_MS)
      .execute(),
  );
  await inBatches(() => sweepStates(app, now));
  await inBatches(() => sweepSessions(app, now));
  // Few rows: each is created by hand.
  for (const table of ['invitations', 'sign_in_links'] as const)
    await app.db.transact((tx) => tx.deleteFrom(table).where('expires_at', '<=', now).execute());
  await inBatches(() => sweepRecords(app, now));
  await inBatches(() => sweepEvents(app, now, SWEEP_BATCH));
  await disableForExpiredKeys(app);
  await inBatches(() => sweepDeliveries(app, now, SWEEP_BATCH));
  await sweepPreviousSecrets(app, now);
  await sweepGrantCalls(app, now);
  await inBatches(() => sweepAudit(app, now, SWEEP_BATCH));
  await inBatches(() => sweepReportedRisks(app, now, SWEEP_BATCH));
}

/** Repeats while batches are full. */
async function inBatches(remove: () => Promise<{ numDeletedRows: bigint }>): Promise<void> {
  while (Number((await remove()).numDeletedRows) >= SWEEP_BATCH);
}

/** States of consents that were never completed. */
function sweepStates(app: App, now: number) {
  return app.db.transact((tx) =>
    tx
      .deleteFrom('oauth_states')
      .where(
        'hash',
        'in',
        tx
          .selectFrom('oauth_states')
          .select('hash')
          .where('expires_at', '<=', now)
          .orderBy('expires_at')
          .limit(SWEEP_BATCH),
      )
      .executeTakeFirst(),
  );
}

function sweepSessions(app: App, now: number) {
  return app.db.transact((tx) =>
    tx
      .deleteFrom('sessions')
      .where('ends_at', '<=', now) // again: a session may be extended while this waits for its row
      .where(
        'hash',
        'in',
        tx
          .selectFrom('sessions')
          .select('hash')
          .where('ends_at', '<=', now)
          .orderBy('ends_at')
          .limit(SWEEP_BATCH),
      )
      .executeTakeFirst(),
  );
}

function sweepRecords(app: App, now: number) {
  return app.db.transact((tx) =>
    tx
      .deleteFrom('idempotency_records')
      .where('created_at', '<=', now - IDEMPOTENCY_RETENTION_MS) // again: a record may be renewed while this waits for its row
      .where(
        (eb) => eb.refTuple('org_id', 'key'),
        'in',
        tx
          .selectFrom('idempotency_records')
          .select(['org_id', 'key'])
          .where('created_at', '<=', now - IDEMPOTENCY_RETENTION_MS)
          .orderBy('created_at')
          .limit(SWEEP_BATCH)
          .$asTuple('org_id', 'key'),
      )
      .executeTakeFirst(),
  );
}
