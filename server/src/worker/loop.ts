// Runs one task repeatedly: at an interval or when woken, one run at a time. An error ends the run, never the loop;
// stopping waits for the run in progress.
import { type Log, logLevelFor, toLogFields } from '../core/log.js';

export interface Loop {
  readonly name: string;
  /** Starts the next run now, or right after the one in progress. */
  wake(): void;
  stop(): Promise<void>;
  /** Whether a run has succeeded recently. A loop whose runs hang or fail goes stale. */
  isFresh(): boolean;
}

export interface LoopPlan {
  name: string;
  everyMs: number;
  /** Waits one interval before the first run. */
  startsLater?: boolean;
  run(): Promise<void>;
}

/** A loop is stale after missing this many runs, and no sooner than this. */
const MISSED_RUNS = 3;
const MIN_SILENCE_MS = 15_000;

/** `onFailure` is called after each failed run. */
export function startLoop(
  { name, everyMs, startsLater = false, run }: LoopPlan,
  log: Log,
  onFailure: () => void = () => {},
): Loop {
  let stopped = false;
  let isWoken = false;
  let endPause = () => {};
  let beatAt = performance.now();

  async function repeat(): Promise<void> {
    if (startsLater) await pause();
    while (!stopped) {
      isWoken = false;
      try {
        await run();
        beatAt = performance.now();
      } catch (err) {
        onFailure();
        log[logLevelFor(err)](
          { ...toLogFields(err), loop: name },
          'a background run failed; the next one starts as planned',
        );
      }
      if (!stopped && !isWoken) await pause();
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, everyMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const running = repeat();
  return {
    name,
    wake() {
      isWoken = true;
      endPause();
    },
    async stop() {
      stopped = true;
      endPause();
      await running;
    },
    isFresh: () => performance.now() - beatAt < Math.max(MISSED_RUNS * everyMs, MIN_SILENCE_MS),
  };
}
