// The lines in which files wait to be decoded. Organizations take turns, and none of them ever has all places: a picture may
// take 20 s to decode, and so may a video of 827 bytes.
import type { App } from '../../api/app.js';
import { fairly, GaveWay, type Line, unlessAborted } from '../../ground/concurrency.js';
import { type AppError, busy } from '../../ground/problems.js';
import type { AssetKind } from '../limits.js';

/**
 * Two pictures at once limit the memory, and more would only wait for the same cores. A post has up to 35 slides, which clients
 * send all at once.
 */
const INSPECTING = { most: 2, perKey: 1, waiting: 100 };

/** The platform may fetch all 35 slides of a post at once, and those of several posts. */
const FITTING = { most: 2, perKey: 1, waiting: Number.POSITIVE_INFINITY, inAll: 200 };

/**
 * Each slide has up to 5 MB in memory until the platform has taken it. Those that it asks for meanwhile wait: a refused slide may
 * fail the whole post.
 */
const SENDING = { most: 32, perKey: 8, waiting: Number.POSITIVE_INFINITY, inAll: FITTING.inAll };

/** Videos whose metadata is searched before they are sent. */
const SEARCHING = { most: 2, perKey: 1, waiting: Number.POSITIVE_INFINITY };

const newLines = (): Record<AssetKind | 'fit' | 'send' | 'search', Line> => ({
  slide: fairly(INSPECTING),
  video: fairly(INSPECTING),
  fit: fairly(FITTING),
  send: fairly(SENDING),
  search: fairly(SEARCHING),
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

/** Throws 503 if too many slides of all organizations wait, and this one has most of them. */
export async function fitInTurn<T>(
  { perProcess }: Pick<App, 'perProcess'>,
  orgId: string,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    const result = perProcess(newLines).fit(orgId, work, { signal });
    if (result) return await unlessAborted(signal, result);
  } catch (error) {
    throw error instanceof GaveWay ? tooManySlides() : error;
  }
  throw tooManySlides();
}

export async function searchInTurn<T>(
  { perProcess }: Pick<App, 'perProcess'>,
  orgId: string,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return (await perProcess(newLines).search(orgId, work, { signal })) as T;
}

const tooManySlides = () =>
  busy(`${FITTING.inAll} slides wait to be converted. Fetch this one later.`, SECONDS);

/** Makes a slide when there is room for it, and keeps its place until the response has ended. Throws 503 if too many wait. */
export async function sendInTurn<T>(
  { perProcess }: Pick<App, 'perProcess'>,
  orgId: string,
  make: () => Promise<T>,
  signal: AbortSignal,
  /** Aborts when the response has ended. */
  ended: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const place = perProcess(newLines).send(
      orgId,
      async () => {
        resolve(await make());
        await closed(ended);
      },
      { signal },
    );
    const refuse = (error: unknown) => reject(error instanceof GaveWay ? tooManySlides() : error);
    if (place) place.catch(refuse);
    else refuse(tooManySlides());
  });
}

const closed = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * The server closes a connection on which nothing has moved for 120 s (`connectionTimeout`). A request that waits for a line is
 * answered before that.
 */
const QUEUE_TIMEOUT_MS = 100_000;

/** The signal aborts with a 503 when the request has waited long enough. */
export async function withPatience<T>(
  work: (patience: AbortSignal) => Promise<T>,
  ms = QUEUE_TIMEOUT_MS,
): Promise<T> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(waitedLong()), ms).unref();
  try {
    return await work(patience.signal);
  } finally {
    clearTimeout(timer);
  }
}

const waitedLong = (): AppError =>
  busy(
    'Many files are inspected or converted first, longer than a request may wait. Try again later.',
    SECONDS,
  );
