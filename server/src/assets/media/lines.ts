// The lines in which files wait to be decoded. Organizations take turns, and none of them ever has all places: a picture may
// take 20 s to decode, and so may a video of 827 bytes.
import type { App } from '../../api/app.js';
import { fairly, type Line } from '../../ground/concurrency.js';
import { busy } from '../../ground/problems.js';
import type { AssetKind } from '../limits.js';

/**
 * Two pictures at once limit the memory, and more would only wait for the same cores. A post has up to 35 slides, which clients
 * send all at once.
 */
const INSPECTING = { most: 2, perKey: 1, waiting: 100 };

/** What the platform fetches waits as long as it must: the number of posts that are sent at once is limited elsewhere. */
const FITTING = { most: 2, perKey: 1, waiting: Number.POSITIVE_INFINITY };

const newLines = (): Record<AssetKind | 'fit', Line> => ({
  slide: fairly(INSPECTING),
  video: fairly(INSPECTING),
  fit: fairly(FITTING),
});

const SECONDS = 5;

export interface Waiting {
  signal: AbortSignal;
  evenIfFull: boolean;
}

/** Throws 503 if too many files of the organization wait. */
export function inspectInTurn<T>(
  { perProcess }: Pick<App, 'perProcess'>,
  { org_id, kind }: { org_id: string; kind: AssetKind },
  work: () => Promise<T>,
  place: Waiting,
): Promise<T> {
  const result = perProcess(newLines)[kind](org_id, work, place);
  if (result) return result;
  throw busy(
    `The file has arrived, but ${INSPECTING.waiting} other files of your organization wait to be inspected. Complete this upload later.`,
    SECONDS,
  );
}

export const fitInTurn = <T>(
  { perProcess }: Pick<App, 'perProcess'>,
  orgId: string,
  work: () => Promise<T>,
): Promise<T> => perProcess(newLines).fit(orgId, work) as Promise<T>;
