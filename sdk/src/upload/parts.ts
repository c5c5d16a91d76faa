// Sends a large file in parts, and goes on when a lost connection is back: only the part that was cut is sent again.
import { AirdateError } from '../client/errors.js';
import { isTransient, sleep } from '../client/retry.js';
import type { Asset } from '../client/schemas.js';
import { put } from './put.js';
import { builtin } from './runtime.js';
import { sendParts } from './send-parts.js';
import type { Sending } from './sending.js';
import type { Piece } from './source.js';

/** Between tries; the last one again and again, until so many have failed in a row. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000];
const MAX_FAILURES = 12;

/** The URLs have expired, bytes were changed on their way, or a part is missing after all: the next round mends it. */
const MENDED = ['signature_invalid', 'unexpected_response', 'upload_mismatch', 'upload_incomplete'];

export async function sendInParts(
  { client, postId, source, options }: Sending,
  uploadId: string,
): Promise<Asset> {
  const { signal, onProgress } = options;
  const { size: total } = source;
  options.onUploadId?.(uploadId);
  let failures = 0;
  return sendParts({
    client,
    postId,
    uploadId,
    size: total,
    signal,
    onProgress: (sent) => onProgress?.({ sent, total }),
    async sendPart({ url, start, end, onSent }) {
      const piece = await source.piece(start, end);
      const md5 = await md5Of(piece);
      await put({ url, piece, headers: md5 ? { 'content-md5': md5 } : {}, signal, onSent });
      failures = 0;
    },
    async onFailure(error) {
      const isMended = error instanceof AirdateError && (isTransient(error) || MENDED.includes(error.code));
      if (!isMended || ++failures > MAX_FAILURES) throw error;
      const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0;
      await sleep(Math.max(pause, (error.retryAfter ?? 0) * 1000), signal);
    },
  });
}

/** In Base64, with which the store checks what arrives; undefined where there is no MD5, as in browsers. */
async function md5Of(piece: Piece): Promise<string | undefined> {
  const hash = builtin('node:crypto')?.createHash('md5');
  if (!hash) return undefined;
  for await (const chunk of piece.bytes()) hash.update(chunk);
  return hash.digest('base64');
}
