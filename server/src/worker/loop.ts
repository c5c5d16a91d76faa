// One thing done again and again: every so often or when poked, one turn at a time. An error ends the turn, never the
// loop; stopping waits for the turn that runs.
import { faultOf, type Log, levelOf } from '../ground/log.js';

export interface Loop {
  readonly name: string;
  /** Begins the next turn now, or right after the one that runs. */
  poke(): void;
  stop(): Promise<void>;
  /** Whether a turn has ended well lately. A loop whose turns hang or fail falls silent. */
  isFresh(): boolean;
}

export interface LoopPlan {
  name: string;
  everyMs: number;
  /** The first turn comes after the first pause, and not at once. */
  startsLater?: boolean;
  turn(): Promise<void>;
}

/** A loop is silent when it has missed this many turns, and at least this long. */
const MISSED_TURNS = 3;
const MIN_SILENCE_MS = 15_000;

export function startLoop({ name, everyMs, startsLater = false, turn }: LoopPlan, log: Log): Loop {
  let stopped = false;
  let poked = false;
  let wake = () => {};
  let beatAt = performance.now();

  async function run(): Promise<void> {
    if (startsLater) await pause();
    while (!stopped) {
      poked = false;
      try {
        await turn();
        beatAt = performance.now();
      } catch (err) {
        log[levelOf(err)](
          { ...faultOf(err), loop: name },
          'a turn of a loop failed; the next one comes as planned',
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

  const running = run();
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
    isFresh: () => performance.now() - beatAt < Math.max(MISSED_TURNS * everyMs, MIN_SILENCE_MS),
  };
}
