// For what exists only in this process, such as an answer of the platform, while the database may be unreachable.
import { setTimeout as delay } from 'node:timers/promises';

const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/** About every two minutes. */
const LOG_EVERY_TRIES = 60;

/**
 * Repeats a save until it succeeds. When the process ends there is one last try, and its error is thrown. `onFailure` is called
 * after every other one, and ends the repetition if it throws; `isLogged` is true of a few of them.
 */
export async function retryUntilSaved<T>(
  ending: AbortSignal,
  save: () => Promise<T>,
  onFailure: (err: unknown, tries: number, isLogged: boolean) => void,
): Promise<T> {
  for (let [tries, pauseMs] = [1, MIN_PAUSE_MS]; ; tries++, pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const isLast = ending.aborted; // mutant: until-saved
    try {
      return await save();
    } catch (err) {
      if (isLast) throw err;
      onFailure(err, tries, tries % LOG_EVERY_TRIES === 1);
      await delay(pauseMs, undefined, { signal: ending }).catch(() => {});
    }
  }
}
