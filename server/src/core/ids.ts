// UUID version 7: the time comes first, so that ids sort by creation and new rows land at the end of every index.
import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** No row has this id, and it sorts before every other. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** The id in lower case, or null if the text is not a UUID. */
export function asUuid(text: string): string | null {
  const lower = text.toLowerCase();
  return UUID.test(lower) ? lower : null;
}

/**
 * Ids from one generator always increase, even within a millisecond or when the clock steps back: the 12 bits after the
 * version and the 14 after the variant form a counter that restarts at a random low value whenever the millisecond
 * advances.
 */
export function idGenerator(clock: Clock): () => string {
  let lastMs = 0;
  let counter = 0;
  return () => {
    // Random digits are taken from a UUID of Node's own: it draws many together, which is three times as fast.
    const random = randomUUID();
    const now = clock.now();
    if (now > lastMs) {
      lastMs = now;
      counter = Number.parseInt(random.slice(0, 4), 16);
    } else if (++counter > 0x3ffffff) {
      lastMs++;
      counter = 0;
    }
    const time = lastMs.toString(16).padStart(12, '0');
    const high = (0x7000 | (counter >>> 14)).toString(16);
    const low = (0x8000 | (counter & 0x3fff)).toString(16);
    return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${low}-${random.slice(24)}`;
  };
}

/** When an id was made. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Sorts before every id of this millisecond, and after all earlier ones. */
export function firstIdAt(ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
