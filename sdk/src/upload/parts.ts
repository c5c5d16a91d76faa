// Sends a large file in parts, and goes on when a lost connection is back: only the part that was cut is sent again.
import { AirdateError } from '../client/errors.js';
import { isTransient, sleep } from '../client/retry.js';
import type { Asset, UploadState } from '../client/schemas.js';
import { put } from './put.js';
import { builtin } from './runtime.js';
import { INSPECTION_MS, type Sending } from './sending.js';
import type { Piece } from './source.js';

/** Between tries; the last one again and again, until so many have failed in a row. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000];
const MAX_FAILURES = 12;

/** The URLs have expired, bytes were changed on their way, or a part is missing after all: the next round mends it. */
const MENDED = ['signature_invalid', 'unexpected_response', 'upload_mismatch', 'upload_incomplete'];

export async function sendInParts(sending: Sending, uploadId: string): Promise<Asset> {
  const { client, postId, options } = sending;
  const { signal } = options;
  const path = { id: postId, upload_id: uploadId };
  options.onUploadId?.(uploadId);
  for (let failures = 0; ; ) {
    try {
      await sendMissing(sending, path, () => {
        failures = 0;
      });
      return await client.data('POST', '/api/v1/posts/{id}/uploads/{upload_id}/complete', {
        path,
        body: {},
        signal,
        timeout: INSPECTION_MS,
      });
    } catch (error) {
      const isMended = error instanceof AirdateError && (isTransient(error) || MENDED.includes(error.code));
      if (!isMended || ++failures > MAX_FAILURES) throw error;
      const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0;
      await sleep(Math.max(pause, (error.retryAfter ?? 0) * 1000), signal);
    }
  }
}

async function sendMissing(
  { client, source, options }: Sending,
  path: { id: string; upload_id: string },
  onArrived: () => void,
): Promise<void> {
  const { signal, onProgress } = options;
  const { size: total } = source;
  for (;;) {
    const state: UploadState = await client.data('GET', '/api/v1/posts/{id}/uploads/{upload_id}', {
      path,
      signal,
    });
    const { part_size: size } = state;
    const endOf = (number: number) => Math.min(number * size, total);
    let before = state.arrived.reduce((sum, number) => sum + endOf(number) - (number - 1) * size, 0);
    if (state.parts.length === 0) return;
    for (const { number, upload_url: url } of state.parts) {
      const piece = await source.piece((number - 1) * size, endOf(number));
      const md5 = await md5Of(piece);
      const onSent = (sent: number) => onProgress?.({ sent: before + sent, total });
      await put({ url, piece, headers: md5 ? { 'content-md5': md5 } : {}, signal, onSent });
      before += piece.size;
      onArrived();
    }
  }
}

/** In Base64, with which the store checks what arrives; undefined where there is no MD5, as in browsers. */
async function md5Of(piece: Piece): Promise<string | undefined> {
  const hash = builtin('node:crypto')?.createHash('md5');
  if (!hash) return undefined;
  for await (const chunk of piece.bytes()) hash.update(chunk);
  return hash.digest('base64');
}
