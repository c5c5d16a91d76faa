// Long work over input, in slices of counted size: between two of them everything else is served.
import { channel } from 'node:diagnostics_channel';
import { setImmediate as nextTick } from 'node:timers/promises';

/** Work by its cost: a unit takes about a microsecond. Counted instead of timed, so that a slice is the same on every machine. */
export type Sliced<T> = Generator<number, T>;

export const SLICE_UNITS = 2_000;

/** Tells the units of each slice, to tests that count them. */
export const SLICES = channel('airdate:slices');

/** Runs work that yields the cost of each of its steps. Ends with the reason of the signal if that aborts between two slices. */
export async function inSlices<T>(work: Sliced<T>, signal?: AbortSignal): Promise<T> {
  let units = 0;
  try {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      units += step.value;
      if (units < SLICE_UNITS) continue;
      SLICES.publish(units);
      units = 0;
      await nextTick();
      signal?.throwIfAborted();
    }
  } finally {
    SLICES.publish(units);
  }
}
