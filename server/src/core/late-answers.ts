// A process that was paused or busy beyond a deadline finds the expired timer first, and the answer that has arrived meanwhile
// second. What the answer says is worth more than that it is late.

/** Enough for the event loop to read what has arrived: the bytes, and the end of the stream. */
const ROUNDS = 4;

/** Acts after everything that has arrived by now was read. */
export function afterReading(act: () => void, rounds = ROUNDS): void {
  setImmediate(() => (rounds > 1 ? afterReading(act, rounds - 1) : act()));
}
