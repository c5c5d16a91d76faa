// Serves the slides of an attempt to the platform: from our own URLs, without a redirect, and revocable.
//
// The first fetch is committed before its first byte leaves. From then on an init whose answer was lost may have
// published the post; before that, revoking the URLs makes sure that it has not. The safety note is raised after that commit, so
// that a database which has lost it is recognized.

import { LRUCache } from 'lru-cache';
import type { App } from '../../app/app.js';
import { fitPicture } from '../../assets/media/fit-picture.js';
import { rejectOnAbort } from '../../core/concurrency.js';
import { withDeadline } from '../../core/deadline.js';
import { AppError } from '../../core/problems.js';
import { isRow } from '../../db/is-row.js';
import { prepareRead, prepareWrite } from '../../db/prepared-statements.js';
import type { AttemptRow } from '../../db/tables.js';
import { refusalError } from '../../restore-safety/safety.js';
import { readSnapshot } from './snapshot.js';

/** The slide as the platform gets it; fails with 404 if there is none, with 410 if its URL was revoked, with 503 if many wait. */
export async function serveSlide(
  app: App,
  nonce: string,
  file: string,
  /** Aborts when the connection closes. */
  gone: AbortSignal,
): Promise<Buffer> {
  const n = /^([1-9]\d?)\.jpg$/.exec(file)?.[1];
  const attempt = n === undefined ? null : await markFetched(app, nonce);
  const slide = attempt && readSnapshot(attempt.snapshot).slides[Number(n) - 1];
  if (!slide) throw new AppError('not_found', 'There is no such slide.');
  await confirmFetch(app, nonce);
  const { sendSlide, convertSlide } = app.queues;
  return withDeadline((deadline) => {
    const signal = AbortSignal.any([gone, deadline]);
    const convert = () => fitPicture(() => app.store.read(slide.object_key), signal);
    return new Promise((resolve, reject) => {
      const makeAndHold = async () => {
        resolve(await rejectOnAbort(signal, convertSlide(attempt.org_id, convert, { signal })));
        // It is in memory until its response has ended.
        await aborted(gone);
      };
      sendSlide(attempt.org_id, makeAndHold, { signal }).catch(reject);
    });
  });
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

export const createKnownSlides = () => new LRUCache<string, { isConfirmed: boolean }>({ max: 10_000 });

export function knowSlides(app: Pick<App, 'state'>, nonce: string): void {
  if (!app.state.knownSlides.has(nonce)) app.state.knownSlides.set(nonce, { isConfirmed: false });
}

export const areSlidesKnown = (app: Pick<App, 'state'>, nonce: string): boolean =>
  app.state.knownSlides.has(nonce);

/** In every process that serves one: the process that committed the fetch may have died right after. */
async function confirmFetch(app: App, nonce: string): Promise<void> {
  if (app.state.knownSlides.get(nonce)?.isConfirmed) return;
  const refusal = await app.safety.checkBeforeSend(); // mutant: note-before-slides
  if (refusal) throw refusalError(refusal);
  app.state.knownSlides.set(nonce, { isConfirmed: true });
}

async function markFetched(app: App, nonce: string): Promise<Pick<AttemptRow, 'org_id' | 'snapshot'> | null> {
  const [offered] = await findBySlideNonce(app.db.read, nonce);
  if (!offered) return null;
  if (offered.revoked_at === null && offered.fetched_at !== null) return offered;
  const { numAffectedRows } = await app.db.transact(
    (tx) => recordFetch(tx, app.clock.now(), offered.org_id, offered.id, nonce), // mutant: first-fetch
  );
  if ((numAffectedRows ?? 0n) === 0n)
    throw new AppError('gone', 'This slide is no longer available: its publish attempt has ended.');
  return offered;
}

const findBySlideNonce = prepareRead((read, nonce: string) =>
  read
    .selectFrom('dispatches')
    .select(['org_id', 'id', 'snapshot', 'fetched_at', 'revoked_at'])
    .where('nonce', '=', nonce),
);

/** Only for the current URL: the attempt may have got new ones since it was read. */
const recordFetch = prepareWrite(
  (tx, now: number, orgId: string, id: string, nonce: string) =>
    tx
      .updateTable('dispatches')
      .set({ fetched_at: now })
      .where(isRow({ org_id: orgId, id }))
      .where('nonce', '=', nonce) // mutant: fetch-by-nonce
      .where('revoked_at', 'is', null), // mutant: revoked-nonce
);
