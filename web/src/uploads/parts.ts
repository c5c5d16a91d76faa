// Sends a large file in parts, and goes on by itself when a lost connection is back: only the part that was cut is sent again. The SDK
// knows which parts are missing. Here is what only a page has: progress of its own requests, a pause that ends when the browser is online
// again, as many tries as it takes, and uploads that go on after a reload.
import type { Asset, PartsGrant } from '@airdate/sdk/core';
import { sendParts } from '@airdate/sdk/upload';
import { ApiError, api } from '../api/client.js';
import { findResumable, forgetResumable, saveResumable } from './resumable-uploads.js';
import { cancelled, SendError, send } from './send.js';

/** Smaller files are sent in one request: a cut costs little. */
const PARTS_OVER = 64 * 1024 * 1024;

/** After these pauses, or as soon as the browser is online again. */
const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

/** How often in a row a part may fail although the API answers: then something else is wrong than the connection. */
const MAX_FAILURES = 5;

export const isLarge = ({ file, contentType }: { file: File; contentType: string }): boolean =>
  contentType.startsWith('video/') && file.size > PARTS_OVER;

/** The upload that this file began before; undefined if there is none any more. */
export async function findBegunUpload(postId: string, file: File): Promise<PartsGrant | undefined> {
  const uploadId = findResumable(postId, file);
  if (uploadId === undefined) return undefined;
  try {
    return await api.data('GET', '/api/v1/posts/{id}/uploads/{upload_id}', {
      path: { id: postId, upload_id: uploadId },
    });
  } catch (error) {
    if (!isGone(error)) throw error;
    forgetResumable(uploadId);
    return undefined;
  }
}

interface Sending {
  postId: string;
  file: File;
  grant: PartsGrant;
  signal: AbortSignal;
  onProgress: (sent: number) => void;
  /** The connection is lost, or back. */
  onCut: (isInterrupted: boolean) => void;
  /** All parts have arrived. */
  onSent: () => void;
}

/** Throws an ApiError or a SendError only if the upload cannot go on. */
export async function sendInParts(sending: Sending): Promise<Asset> {
  const { postId, file, grant, signal, onCut, onSent } = sending;
  const { upload_id: uploadId } = grant;
  saveResumable(postId, uploadId, file, grant.expires_at);
  let [pauses, failures, isInterrupted] = [0, 0, false];
  const interrupt = (isNow: boolean) => {
    if (isNow !== isInterrupted) onCut(isNow);
    isInterrupted = isNow;
  };
  const asset = await sendParts({
    client: api,
    postId,
    uploadId,
    size: file.size,
    signal,
    onProgress(sent) {
      interrupt(false);
      sending.onProgress(sent);
    },
    async sendPart({ url, start, end, onSent: onProgress }) {
      const part = file.slice(start, end);
      await send({ url, file: part, md5: await md5Of(part), signal, onProgress });
      pauses = 0;
      failures = 0;
    },
    onArrived: onSent,
    async onFailure(error) {
      const isRejected = error instanceof ApiError && error.status === 422;
      if (isGone(error) || isRejected) forgetResumable(uploadId);
      const isStuck = error instanceof SendError && ++failures > MAX_FAILURES;
      if (isStuck || !isTransient(error)) throw error;
      interrupt(true);
      await pause(PAUSES_MS[Math.min(pauses++, PAUSES_MS.length - 1)] ?? 0, signal);
    },
  });
  forgetResumable(uploadId);
  return asset;
}

/** It was given up, replaced, or has expired. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || error.code === 'upload_void');

/** An expired URL passes too: the next round has new ones. So do bytes that were changed on their way. */
const isTransient = (error: unknown): boolean =>
  error instanceof SendError
    ? error.failure !== 'cancelled'
    : error instanceof ApiError &&
      (error.status === 0 ||
        error.status === 429 ||
        error.status >= 500 ||
        error.code === 'upload_incomplete');

/** Ends early when the browser is online again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(cancelled());
      else resolve();
    };
    const timer = setTimeout(end, ms);
    window.addEventListener('online', end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

// The MD5 hash of a part, which the store compares with what arrives. Loaded with the first upload in parts.

const SLICE = 1024 * 1024;

/** In Base64, as `Content-MD5` has it. A slice at a time: the page stays responsive, and no part is in memory as a whole. */
async function md5Of(part: Blob): Promise<string> {
  const { md5 } = await import('js-md5');
  const hash = md5.create();
  for (let at = 0; at < part.size; at += SLICE) hash.update(await part.slice(at, at + SLICE).arrayBuffer());
  return hash.base64();
}
