// Long work over input, in slices of counted size: between two of them everything else is served.
import { channel } from 'node:diagnostics_channel';
import { createCpuThrottle } from './concurrency.js';

/** Work by its cost: a unit takes about a microsecond. Counted instead of timed, so that a slice is the same on every machine. */
export type Sliced<T> = Generator<number, T>;

export const SLICE_UNITS = 2_000;

/** Tells the units of each slice, to tests that count them. */
export const SLICES = channel('airdate:slices');

/** One slice of the process at a time, and then as long for everything else: a request of many steps would wait for one at each. */
const throttle = createCpuThrottle(0);

/** Runs work that yields the cost of each of its steps. Ends with the reason of the signal if that aborts between two slices. */
export async function inSlices<T>(work: Sliced<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const step = await throttle(async () => runSlice(work));
    if (step.done) return step.value;
    signal?.throwIfAborted();
  }
}

function runSlice<T>(work: Sliced<T>): IteratorResult<number, T> {
  let units = 0;
  try {
    let step = work.next();
    for (; !step.done; step = work.next()) {
      units += step.value;
      if (units >= SLICE_UNITS) break;
    }
    return step;
  } finally {
    SLICES.publish(units);
  }
}
