// Sends the bytes of a video, chunk by chunk from the store, to the upload that its init has opened. A worker that takes
// over asks the platform how much has arrived, and never opens a second upload.
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../../app/app.js';
import { overwriting } from '../../assets/media/metadata/overwrite.js';
import { readInChild } from '../../assets/media/read-in-child.js';
import type { ChunkOutcome, Outcome, ReadRange, VideoUpload } from '../../connectors/connector.js';
import { toLogFields } from '../../core/log.js';
import type { AttemptRow } from '../../db/tables.js';
import { withLease } from '../../work/lease.js';
import { pollDelay } from './backoff.js';
import { attemptLease, renewLease } from './lease.js';
import { isUploadExpired, queryStatus } from './poll.js';
import { unsealUpload } from './sealed.js';
import { settleWithRetry } from './send.js';
import { readSnapshot } from './snapshot.js';

/** How often one chunk is tried in a row before the transfer pauses. */
const MAX_TRIES = 4;
const UPLOAD_RETRY_MS = 5_000;

/** How a transfer ended. */
type End =
  /** The transfer is over, and the platform is polled from here on. `isWhole`: it has confirmed all bytes. */
  | { kind: 'observe'; isWhole?: true }
  /** Paused. */
  | { kind: 'wait'; ms: number }
  /** The platform has reported the outcome. */
  | { kind: 'settle'; outcome: Outcome };

const OBSERVE: End = { kind: 'observe' };
const PAUSE: End = { kind: 'wait', ms: UPLOAD_RETRY_MS };

/** Sends a leased attempt's bytes as far as possible. `stop` pauses it. */
export function uploadVideo(app: App, attempt: AttemptRow, stop: AbortSignal): Promise<void> {
  return withLease(app, attemptLease, attempt, async (leaseLost) => {
    const signal = AbortSignal.any([leaseLost, stop]);
    const end = await sendBytes(app, attempt, signal);
    if (leaseLost.aborted) return;
    if (end.kind === 'settle') await settleWithRetry(app, attempt, end.outcome);
    else await releaseAttempt(app, attempt, end);
  });
}

async function sendBytes(app: App, attempt: AttemptRow, signal: AbortSignal): Promise<End> {
  const upload = unsealUpload(app, attempt);
  const { video } = readSnapshot(attempt.snapshot);
  if (!upload || !video) return OBSERVE;
  const read = await readWithoutMetadata(app, attempt, video.object_key, upload, signal);
  if (read === null) return isUploadExpired(app, attempt) ? OBSERVE : PAUSE;
  if (typeof read !== 'function') return settleFailedUpload(app, attempt, upload, read);
  let offset = 0;
  if (attempt.sent_at !== null) {
    const found = await findResumeOffset(app, attempt, upload);
    if (typeof found !== 'number') return found;
    offset = found;
  } else if (!(await markSent(app, attempt))) return OBSERVE;
  // Once bytes have left, a database that has lost the publish id must not open a second upload unrecognized. Also when a transfer
  // continues: the one before may have ended right here.
  if (await app.safety.checkBeforeSend()) return PAUSE; // mutant: note-before-bytes

  let tries = 0;
  // A chunk whose answer was lost may have arrived, and it may have been the last one missing.
  let mayBeWhole = attempt.sent_at !== null;
  while (!signal.aborted) {
    if (app.safety.mode.kind !== 'normal') return PAUSE;
    const chunk = await app
      .connector(attempt.platform)
      .sendChunk(upload, offset, read, AbortSignal.any([signal, AbortSignal.timeout(chunkDeadline(app))]));
    if (signal.aborted) break;
    switch (chunk.kind) {
      case 'done':
        return { kind: 'observe', isWhole: true };
      case 'next':
        tries = chunk.offset > offset ? 0 : tries + 1;
        offset = chunk.offset;
        if (tries > MAX_TRIES) return PAUSE;
        // Between chunks, so that a worker that was paused finds out before it sends another byte.
        if (!(await renewLease(app, attempt))) return OBSERVE;
        break;
      case 'offset_mismatch': {
        const found = await findResumeOffset(app, attempt, upload);
        if (typeof found !== 'number') return found;
        if (found === offset && ++tries > MAX_TRIES) return PAUSE;
        offset = found;
        break;
      }
      case 'gone':
      case 'refused':
        return mayBeWhole ? OBSERVE : settleFailedUpload(app, attempt, upload, chunk);
      case 'later': {
        mayBeWhole = true;
        if (isUploadExpired(app, attempt)) return OBSERVE;
        const pauseMs = chunk.retryAfterMs ?? 250 * 2 ** tries;
        if (++tries > MAX_TRIES || pauseMs > UPLOAD_RETRY_MS)
          return { kind: 'wait', ms: pollDelay(0, UPLOAD_RETRY_MS, chunk.retryAfterMs) };
        await delay(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  }
  return { kind: 'wait', ms: 0 };
}

/** The same bytes whenever a chunk is repeated, by whichever worker. Null if the store cannot be read now. */
async function readWithoutMetadata(
  app: App,
  { org_id }: AttemptRow,
  key: string,
  { plan, contentType }: VideoUpload,
  signal: AbortSignal,
): Promise<ReadRange | (ChunkOutcome & { kind: 'refused' }) | null> {
  const open = (start: number, end: number) => app.store.read(key, { start, end });
  const file = {
    size: plan.videoSize,
    read: async (start: number, end: number) => buffer(await open(start, end)),
  };
  try {
    const search = () => readInChild('metadata', contentType, file, { signal });
    const found = await app.queues.searchMetadata(org_id, search, { signal });
    if (!found.ok) return { kind: 'refused', code: 'media_rejected', reason: found.reason };
    return async (start, end) => overwriting(await open(start, end), start, found.overwrites);
  } catch (err) {
    if (!signal.aborted) app.log.warn(toLogFields(err), 'a video could not be read; it is sent later');
    return null;
  }
}

/** A chunk is large, and a slow connection is no failure. */
const chunkDeadline = (app: App) => 8 * app.config.publishing.platformTimeoutMs;

/** The offset to continue at, as the platform reports it. */
async function findResumeOffset(app: App, attempt: AttemptRow, upload: VideoUpload): Promise<number | End> {
  const status = await queryStatus(app, attempt);
  switch (status.kind) {
    case 'accepted':
      if (status.receivedBytes !== undefined && status.receivedBytes >= upload.plan.videoSize)
        return { kind: 'observe', isWhole: true };
      if (isUploadExpired(app, attempt)) return OBSERVE;
      if (status.receivedBytes === undefined) return 0;
      return app.connector(attempt.platform).resumeAt(upload.plan, status.receivedBytes);
    case 'published':
    case 'in_inbox':
    case 'refused':
    case 'blocked':
      return { kind: 'settle', outcome: status };
    case 'later':
    case 'reauthorize':
    case 'unknown': {
      if (isUploadExpired(app, attempt)) return OBSERVE;
      return {
        kind: 'wait',
        ms: pollDelay(0, UPLOAD_RETRY_MS, status.kind === 'later' ? status.retryAfterMs : 0),
      };
    }
    default:
      return status satisfies never;
  }
}

/** The upload takes no more bytes, and no answer of a chunk was lost: if bytes are missing, nothing comes of it. */
async function settleFailedUpload(
  app: App,
  attempt: AttemptRow,
  { plan }: VideoUpload,
  { code, reason, kind }: ChunkOutcome & { kind: 'gone' | 'refused' },
): Promise<End> {
  const status = await queryStatus(app, attempt);
  if (['published', 'in_inbox', 'refused', 'blocked'].includes(status.kind))
    return { kind: 'settle', outcome: status };
  const isIncomplete =
    status.kind === 'accepted' && status.receivedBytes !== undefined && status.receivedBytes < plan.videoSize;
  if (!isIncomplete) return OBSERVE;
  return { kind: 'settle', outcome: { kind: 'refused', code, reason, isRepeatable: kind === 'gone' } };
}

/** Written before the first byte leaves: a worker that takes over then asks before it sends. */
function markSent(app: App, leased: AttemptRow): Promise<boolean> {
  return app.db.transact((tx) => attemptLease.update(tx, leased, { sent_at: app.clock.now() }));
}

async function releaseAttempt(
  app: App,
  leased: AttemptRow,
  end: End & { kind: 'observe' | 'wait' },
): Promise<void> {
  const now = app.clock.now();
  const changes: Partial<AttemptRow> =
    end.kind === 'observe'
      ? {
          phase: 'observing',
          next_at: now + app.config.publishing.reconcileIntervalMs,
          // Without its upload the attempt cannot count as incomplete, so no retry follows, whatever the platform later
          // says about its bytes.
          ...(end.isWhole ? { upload: null } : {}),
        }
      : { next_at: now + end.ms };
  await app.db.transact((tx) => attemptLease.release(tx, leased, changes));
}
