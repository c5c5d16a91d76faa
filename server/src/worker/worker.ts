// The background work of a process: its loops, and the heartbeat that other processes see.

import { createRenewals } from '../accounts/tokens.js';
import type { App } from '../app/app.js';
import { createFetches } from '../assets/fetch/fetch.js';
import { sweepUploads } from '../assets/sweep.js';
import { waitWithTimeout } from '../core/concurrency.js';
import { HOUR_MS } from '../core/durations.js';
import { toLogFields } from '../core/log.js';
import { createFanOut } from '../events/webhooks/fan-out.js';
import { createSender } from '../events/webhooks/sender.js';
import { removeOrphans } from '../object-deletion/orphans.js';
import { removeMarked } from '../object-deletion/remove.js';
import { indexPendingPosts } from '../posts/list/index-pending.js';
import { repairSchedule } from '../publishing/attempt/repair.js';
import { checkUpcomingPosts } from '../publishing/schedule/at-risk.js';
import { countWithoutKey } from '../publishing/schedule/due.js';
import { createEngine } from '../publishing/schedule/engine.js';
import type { Runner, WakeLoop } from '../work/runner.js';
import { clockPlans } from './clock-set-back.js';
import { type Loop, type LoopPlan, startLoop } from './loop.js';
import { createResealRun } from './reseal.js';
import { sweep } from './sweep.js';

export interface Worker {
  /** The loops that have not finished a run for too long. */
  silentLoops(): string[];
  stop(): Promise<void>;
}

/** Leaves the rest of the process's 20 seconds for everything else. */
const STOP_WITHIN_MS = 12_000;
const SIGN_OFF_MS = 1_000;

export function startWorker(app: App): Worker {
  const id = app.newId();
  const wake: WakeLoop = (name) => loops.find((loop) => loop.name === name)?.wake();
  const engine = createEngine(app, wake);
  const stopListening = wakeFanOutOnEvents(app, () => wake('webhook-fan-out'));
  const sender = createSender(app, wake);
  const runners = [
    ...engine.runners,
    createFetches(app, wake),
    createRenewals(app, wake),
    createFanOut(app, wake, sender.wake),
    sender,
  ];
  const loops: Loop[] = [...plans(app, id), ...runners.map(planOf)].map((plan) => {
    app.meters.loopStarted(plan.name);
    return startLoop(plan, app.log, () => app.meters.loopFailed(plan.name));
  });
  return {
    silentLoops: () => loops.filter((loop) => !loop.isFresh()).map((loop) => loop.name),
    async stop() {
      // A run that waits for the platform must not delay the stop beyond its limit.
      const ended = Promise.all(loops.map((loop) => loop.stop()));
      const handedOver = runners.map((runner) => runner.stop());
      await Promise.all([waitWithTimeout(STOP_WITHIN_MS, ended), stopListening(), ...handedOver]);
      // A database that is silent must not make the stop longer than it may be.
      const signedOff = app.db
        .transact((tx) => tx.deleteFrom('workers').where('id', '=', id).execute())
        .catch((err) => app.log.warn(toLogFields(err), 'the worker could not sign off; it will be missed'));
      await waitWithTimeout(SIGN_OFF_MS, signedOff);
    },
  };
}

const planOf = ({ name, everyMs, startDue }: Runner): LoopPlan => ({ name, everyMs, run: startDue });

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
    { name: 'search-index', everyMs: 2_000, run: () => indexPendingPosts(app) },
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
      everyMs: clamp(10_000, app.config.garbageGraceMs, 6 * HOUR_MS),
      run: () => removeOrphans(app),
    },
  ];
}

const BURST_MS = 50;

/**
 * Wakes the job that makes deliveries from events shortly after the commit of a new event: a burst of events is then one search and
 * not one for each. Returns how to stop.
 */
function wakeFanOutOnEvents(app: App, wake: () => void): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const wakeAfterBurst = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      wake();
    }, BURST_MS);
  };
  const listening = app.db.listen({
    changed: ({ events }) => {
      if (events) wakeAfterBurst();
    },
    missed: wakeAfterBurst,
  });
  return async () => {
    clearTimeout(timer);
    (await listening)();
  };
}

/** Reports due work that waits for a worker with its key. If no worker has the key, only this line tells. */
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
const MIN_TEMPORARY_FILE_AGE_MS = 600_000;

const clamp = (min: number, ms: number, max: number) => Math.min(Math.max(ms, min), max);

/** Removes files that nothing refers to. */
export async function collectGarbage(app: App): Promise<void> {
  // In safe mode objects are kept: those marked for deletion wait.
  if (app.safety.mode.kind !== 'normal') return;
  // A store that hangs must not make the loop look dead; the next run continues.
  const giveUpAt = performance.now() + GARBAGE_RUN_MS;
  await sweepUploads(app, giveUpAt);
  await removeMarked(app, giveUpAt);
  await app.store.removeTemporaryFiles(
    app.clock.now() - Math.max(app.config.garbageGraceMs, MIN_TEMPORARY_FILE_AGE_MS),
  );
}
