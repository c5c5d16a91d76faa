// Calls that wait for a post. Each holds a request open and reads again and again, so their number is bounded.
import { setTimeout as delay } from 'node:timers/promises';
import { Tally } from '../../core/tally.js';

/** How many calls of one organization may wait in this process. */
export const MAX_WAITS = 10;
const STEP_MS = 1_000;
const MAX_PAUSE_MS = 5_000;

interface Wait<Found> {
  orgId: string;
  forMs: number;
  /** Aborted when the client is gone, or the server stops. */
  ended: AbortSignal;
  read(): Promise<Found>;
  isOver(found: Found): boolean;
}

export class LongPolls {
  private readonly byOrg = new Tally();

  /** Reads until `isOver`, at most for `forMs`. `refused`: as many calls wait already, so it was read only once. */
  async read<Found>({
    orgId,
    forMs,
    ended,
    read,
    isOver,
  }: Wait<Found>): Promise<{ found: Found; refused: boolean }> {
    let found = await read();
    if (isOver(found) || forMs === 0) return { found, refused: false };
    if (this.byOrg.of(orgId) >= MAX_WAITS) return { found, refused: true };
    this.byOrg.add(orgId, 1);
    const until = performance.now() + forMs;
    try {
      // Pauses of 1, 2, 3, 4, 5, 5… seconds: most posts are through within the first ones.
      for (let n = 1; !isOver(found); n++) {
        const left = until - performance.now();
        if (left <= 0) break;
        const pause = Math.min(n * STEP_MS, MAX_PAUSE_MS, left);
        await delay(pause, undefined, { signal: ended }).catch(() => {});
        if (ended.aborted) break;
        found = await read();
      }
      return { found, refused: false };
    } finally {
      this.byOrg.add(orgId, -1);
    }
  }
}
