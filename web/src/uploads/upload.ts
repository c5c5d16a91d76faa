// One file from its choice until it is part of its post.
import type { Asset, PartsGrant, UploadGrant } from '@airdate/sdk/core';
import { ApiError, api } from '../api/client.js';
import { arrange, atPosition, before, listAssets, removeAsset } from './arrange.js';
import { findBegunUpload, isGone, isLarge, sendInParts } from './parts.js';
import { cancelled, SendError, send } from './send.js';

export interface Upload {
  id: string;
  /** Rises with each file chosen in this tab. */
  sequence: number;
  postId: string;
  file: File;
  contentType: string;
  /** Shows the image before it is uploaded. */
  localUrl: string;
  state: 'waiting' | 'sending' | 'checking' | 'failed' | 'refused';
  /** Of a picture, when it is known. */
  pixels?: { width: number; height: number };
  sent: number;
  speed: number | null;
  /** The connection is lost; a large file goes on by itself when it is back. */
  isInterrupted?: boolean;
  /** Why it failed, or was refused. A refused file is refused again: there is no retry. */
  reason?: string;
  /** The slide it replaces. */
  insteadOf?: string;
  /** Where it goes among the slides, counted from 1; without it, at the end. */
  position?: number;
  /** It is a part of its post, at its place. */
  onArrived?: () => void;
  /** Of a video: the running or uploaded one is replaced when this one has arrived. */
  replace?: boolean;
  grant: UploadGrant | PartsGrant | null;
  /** How many upload URLs it has had; a later one comes last in the carousel, and must be moved to its place. */
  grants: number;
  /** How often it exceeded a quota. A refusal is kept for its Idempotency-Key, so the next request needs another. */
  refusals: number;
}

export type Change = Partial<
  Pick<
    Upload,
    'state' | 'pixels' | 'sent' | 'speed' | 'isInterrupted' | 'reason' | 'grant' | 'grants' | 'refusals'
  >
>;

const PAUSES_MS = [1_000, 3_000];
const PROGRESS_EVERY_MS = 250;

export class Refused extends Error {}

interface Steps {
  get: () => Upload;
  change: (change: Change) => void;
  /** Upload URLs are requested one after the other: their order is the order of the slides. */
  enqueue: <T>(task: () => Promise<T>) => Promise<T>;
  signal: AbortSignal;
}

/** Resolves with the finished file. */
export async function run(steps: Steps): Promise<Asset> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await runOnce(steps);
    } catch (error) {
      const pause = PAUSES_MS[attempt];
      if (!isTransient(error) || pause === undefined) throw error;
      await wait(pause, steps.signal);
    }
  }
}

async function runOnce({ get, change, enqueue, signal }: Steps): Promise<Asset> {
  change({ state: 'sending', sent: 0, speed: null });
  const { postId, file, contentType } = get();
  const grant =
    get().grant ??
    (await enqueue(() => askForGrant(get(), signal)).catch((error) => {
      if (isQuotaExceeded(error)) change({ refusals: get().refusals + 1 });
      throw error;
    }));
  if (signal.aborted) {
    // Cancelled during the request: its place is freed.
    await removeAsset(postId, grant.object_key);
    throw cancelled();
  }
  if (!get().grant) change({ grant, grants: get().grants + 1 });
  const pace = new Pace();
  let shownAt = 0;
  const onProgress = (sent: number) => {
    const now = performance.now();
    const speed = pace.take(sent, now);
    if (now - shownAt < PROGRESS_EVERY_MS && sent < file.size) return;
    shownAt = now;
    change({ sent, speed });
  };
  if ('upload_id' in grant)
    return sendInParts({
      postId,
      file,
      grant,
      signal,
      onProgress,
      onCut: (isInterrupted) => change({ isInterrupted: isInterrupted, state: 'sending', speed: null }),
      onSent: () => change({ state: 'checking', sent: file.size }),
    }).catch((error) => {
      if (isGone(error)) change({ grant: null });
      throw refusedIfRejected(error);
    });
  try {
    await send({ url: grant.upload_url, file, contentType, signal, onProgress });
  } catch (error) {
    if (!(error instanceof SendError)) throw error;
    if (error.failure === 'refused') throw new Refused(error.message);
    if (error.failure !== 'address-ended') throw error;
    // Either the file arrived and only the response was lost, or a new URL is needed.
    return complete(postId, grant.object_key).catch((reason) => {
      if (reason instanceof Refused) throw reason;
      change({ grant: null });
      throw new SendError('unreachable', error.message);
    });
  }
  change({ state: 'checking', sent: file.size });
  return complete(postId, grant.object_key);
}

async function askForGrant(
  upload: Upload | undefined,
  signal: AbortSignal,
): Promise<UploadGrant | PartsGrant> {
  if (!upload || signal.aborted) throw cancelled();
  const { id, postId, file, contentType, replace, grants, refusals } = upload;
  const begun = isLarge(upload) ? await findBegunUpload(postId, file) : undefined;
  if (begun) return begun;
  return api.request('POST', '/api/v1/posts/{id}/assets', {
    path: { id: postId },
    idempotencyKey: `upload-${id}-${grants}-${refusals}`,
    body: {
      filename: file.name.slice(0, 1000),
      content_type: contentType as 'image/png',
      content_length: file.size,
      ...(replace ? { replace: true } : {}),
      ...(isLarge(upload) ? { parts: true } : {}),
    },
  });
}

async function complete(postId: string, objectKey: string): Promise<Asset> {
  try {
    return await api.data('POST', '/api/v1/posts/{id}/assets/complete', {
      path: { id: postId },
      body: { object_key: objectKey },
    });
  } catch (error) {
    throw refusedIfRejected(error);
  }
}

const refusedIfRejected = (error: unknown): unknown =>
  error instanceof ApiError && error.status === 422 ? new Refused(error.message) : error;

/** The new slide moves to the old one's place, then the old one is removed. A failure in between loses nothing. */
export async function replaceSlide(postId: string, newKey: string, oldKey: string): Promise<void> {
  // A file that was rejected has a place too, though it is no slide.
  const rejected = (await listAssets(postId)).rejected.find(({ object_key }) => object_key === oldKey);
  await arrange(postId, rejected ? atPosition(newKey, rejected.position) : before(newKey, oldKey));
  await removeAsset(postId, oldKey);
}

const isQuotaExceeded = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'quota_exceeded';

const isTransient = (error: unknown): boolean =>
  (error instanceof SendError && error.failure === 'unreachable') ||
  (error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500));

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(cancelled());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
}

// The speed of an upload, smoothed so that the figure is readable.
const SMOOTHING_MS = 3_000;

class Pace {
  #sent = 0;
  #at = performance.now();
  #speed: number | null = null;

  /** Bytes a second, or null while too little is known. */
  take(sent: number, now = performance.now()): number | null {
    const elapsed = now - this.#at;
    if (elapsed < 100) return this.#speed;
    const speed = ((sent - this.#sent) / elapsed) * 1000;
    const weight = Math.min(1, elapsed / SMOOTHING_MS);
    this.#speed = this.#speed === null ? speed : this.#speed * (1 - weight) + speed * weight;
    this.#sent = sent;
    this.#at = now;
    return this.#speed;
  }
}
