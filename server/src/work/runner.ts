// Runs one kind of work that waits in rows: finds what is due and begins as much as there is capacity for. A run begins work and
// does not wait for it, so a call that hangs delays neither other work nor the loop that looks for it.
import { setMaxListeners } from 'node:events';
import type { App } from '../app/app.js';
import { waitWithTimeout } from '../core/concurrency.js';
import { logLevelFor, toLogFields } from '../core/log.js';
import type { Pool, PoolEvents, Work } from './pool.js';

/** What a runner needs of a pool. */
export type Startable<W> = Pick<Pool, 'idle'> & { start(work: W, task: () => Promise<void>): boolean };

/** Searches for what is due, in the order in which it shall begin. It yields only what the pool may start. */
export type Source<W> = () => AsyncIterable<W>;

/** Makes the loop of that name look for due work now, or right after the run in progress. */
export type WakeLoop = (name: string) => void;

/** A kind of background work: how it is found, how much of it runs, and what is done. */
export interface Job<W extends Work, P extends Startable<W> = Pool> {
  /** The name of its loop, also in logs and metrics. */
  name: string;
  /** How often due work is looked for. Work that ends also wakes the loop. */
  everyMs: number;
  /** Other loops that work which ends wakes too. */
  alsoWakes?: readonly string[];
  /** Only work that changes nothing on the platform and deletes nothing. Everything else waits for the operator. */
  inSafeMode?: true;
  pool(events: PoolEvents): P;
  /** Called once. */
  source(pool: P): Source<W>;
  /** The signal aborts when the process stops. What is not finished soon after is left to another process. */
  run(work: W, stopping: AbortSignal): Promise<void>;
  /** Logged with what `run` throws. */
  onFailure: string;
}

export interface Runner {
  readonly name: string;
  readonly everyMs: number;
  startDue(): Promise<void>;
  /** Wakes its loop, as work that has ended does. */
  wake(): void;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** Begins nothing more, and waits for what runs, as long as a stop may take. */
  stop(): Promise<void>;
}

/** Work that has not ended by then is left to the worker that finds its lease expired. */
const HAND_OVER_MS = 14_000;

/** Wakes its own loop when work has ended and more may begin. */
export function createRunner<W extends Work, P extends Startable<W> = Pool>(
  app: Pick<App, 'meters' | 'log'> & { readonly safety: Pick<App['safety'], 'mode'> },
  job: Job<W, P>,
  wakeLoop: WakeLoop = () => {},
): Runner {
  const { name, everyMs, alsoWakes = [], inSafeMode = false } = job;
  const stopping = new AbortController();
  // Each call in progress listens.
  setMaxListeners(0, stopping.signal);
  const pace = createPace(() => {
    for (const loop of [name, ...alsoWakes]) wakeLoop(loop);
  });
  const pool = job.pool({
    onSuccess: pace.wake,
    onError(err, { org_id, id }) {
      app.meters.loopFailed(name);
      app.log[logLevelFor(err)]({ ...toLogFields(err), org_id, id }, job.onFailure);
    },
  });
  const findDue = job.source(pool);
  const mayBegin = () => {
    const { kind } = app.safety.mode;
    return !stopping.signal.aborted && (kind === 'normal' || (inSafeMode && kind !== 'unchecked'));
  };
  return {
    name,
    everyMs,
    startDue: pace.timed(async () => {
      if (!mayBegin()) return;
      for await (const work of findDue()) {
        if (!mayBegin()) return;
        pool.start(work, () => job.run(work, stopping.signal));
      }
    }),
    wake: pace.wake,
    idle: () => pool.idle(),
    async stop() {
      stopping.abort();
      await waitWithTimeout(HAND_OVER_MS, pool.idle());
    },
  };
}

/** The searches for work take one part in this many of the time, and none waits longer than this for the next. */
const PART = 20;
const MAX_PAUSE_MS = 100;

/**
 * When the next search follows work that has ended. Tasks that share a commit finish in the same tick: one search is enough for
 * them. In a rush something ends all the time, and a search for each would take more of the database than the work itself.
 */
function createPace(wakeLoops: () => void) {
  let isPlanned = false;
  let [endedAt, ms] = [0, 0];
  const wakeNow = () => {
    isPlanned = false;
    wakeLoops();
  };
  return {
    wake(): void {
      if (isPlanned) return;
      isPlanned = true;
      const pause = endedAt + Math.min(PART * ms, MAX_PAUSE_MS) - performance.now();
      if (pause <= 0) setImmediate(wakeNow);
      else setTimeout(wakeNow, pause).unref();
    },
    timed: (run: () => Promise<void>) => async (): Promise<void> => {
      const began = performance.now();
      try {
        await run();
      } finally {
        endedAt = performance.now();
        ms = endedAt - began;
      }
    },
  };
}
