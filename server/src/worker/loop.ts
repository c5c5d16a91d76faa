// One thing done again and again: every so often or when poked, one run at a time. An error ends the run, never the
// loop; stopping waits for the run under way.
import { faultOf, type Log, levelOf } from '../ground/log.js';

export interface Loop {
  readonly name: string;
  /** Begins the next run now, or right after the one under way. */
  poke(): void;
  stop(): Promise<void>;
  /** Whether a run has succeeded lately. A loop whose runs hang or fail falls silent. */
  isFresh(): boolean;
}

export interface LoopPlan {
  name: string;
  everyMs: number;
  /** The first run comes after the first pause, and not at once. */
  startsLater?: boolean;
  run(): Promise<void>;
}

/** A loop is silent when it has missed this many runs, and at least this long. */
const MISSED_RUNS = 3;
const MIN_SILENCE_MS = 15_000;

export function startLoop({ name, everyMs, startsLater = false, run }: LoopPlan, log: Log): Loop {
  let stopped = false;
  let poked = false;
  let wake = () => {};
  let beatAt = performance.now();

  async function repeat(): Promise<void> {
    if (startsLater) await pause();
    while (!stopped) {
      poked = false;
      try {
        await run();
        beatAt = performance.now();
      } catch (err) {
        log[levelOf(err)](
          { ...faultOf(err), loop: name },
          'a run of a loop failed; the next one comes as planned',
        );
      }
      if (!stopped && !poked) await pause();
    }
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, everyMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const running = repeat();
  return {
    name,
    poke() {
      poked = true;
      wake();
    },
    async stop() {
      stopped = true;
      wake();
      await running;
    },
    isFresh: () => performance.now() - beatAt < Math.max(MISSED_RUNS * everyMs, MIN_SILENCE_MS),
  };
}
