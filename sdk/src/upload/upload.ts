// One file from its choice until it is part of its post: the grant, its bytes, and the end.
import type { Client } from '../client/client.js';
import { AirdateError, Conflict } from '../client/errors.js';
import { isTransient, retryDelayMs, sleep } from '../client/retry.js';
import type { Asset, UploadGrant } from '../client/schemas.js';
import type { BodyOf } from '../client/typed.js';
import { sendInParts } from './parts.js';
import { put } from './put.js';
import { INSPECTION_MS, type Sending, type UploadOptions } from './sending.js';
import { type FileSource, openSource } from './source.js';

/** Smaller files are sent in one request: a cut costs little. */
const PARTS_OVER = 64 * 1024 * 1024;
const MAX_TRIES = 4;

const TYPES: Record<string, BodyOf<'requestUpload'>['content_type']> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};

export async function upload(
  client: Client,
  postId: string,
  file: FileSource,
  options: UploadOptions = {},
): Promise<Asset> {
  const source = await openSource(file, options.contentLength);
  const sending = { client, postId, source, options };
  if (options.resume !== undefined) return sendInParts(sending, options.resume);
  const filename = options.filename ?? source.name ?? 'file';
  const type = options.contentType ?? source.type ?? TYPES[extensionOf(filename)];
  if (!type) throw new TypeError('The type of the file is not known: pass `contentType`.');
  const content_type = type as BodyOf<'requestUpload'>['content_type'];
  const { signal, replace, parts = type.startsWith('video/') && source.size > PARTS_OVER } = options;
  const body = { filename, content_type, content_length: source.size };
  for (let tries = 1; ; tries++) {
    const grant = await client.request('POST', '/api/v1/posts/{id}/assets', {
      path: { id: postId },
      body: { ...body, ...(replace ? { replace } : {}), ...(parts ? { parts } : {}) },
      signal,
    });
    if ('upload_id' in grant) return sendInParts(sending, grant.upload_id);
    try {
      return await sendWhole(sending, grant, content_type);
    } catch (error) {
      // The URL has expired, or another upload has taken its place: a new one is needed.
      if (!isSpent(error) || tries === MAX_TRIES) throw error;
    }
  }
}

async function sendWhole(
  { client, postId, source, options }: Sending,
  { upload_url: url, object_key }: UploadGrant,
  type: string,
): Promise<Asset> {
  const { signal, onProgress } = options;
  const piece = await source.piece(0, source.size);
  const onSent = (sent: number) => onProgress?.({ sent, total: source.size });
  for (let tries = 1; ; tries++) {
    try {
      await put({ url, piece, headers: { 'content-type': type }, signal, onSent });
      break;
    } catch (error) {
      // It has arrived, and only the response was lost.
      if (error instanceof Conflict && error.code === 'already_uploaded') break;
      const pause =
        error instanceof AirdateError && isTransient(error) ? retryDelayMs(tries, error) : undefined;
      if (pause === undefined || tries === MAX_TRIES) throw error;
      await sleep(pause, signal);
    }
  }
  return client.data('POST', '/api/v1/posts/{id}/assets/complete', {
    path: { id: postId },
    body: { object_key },
    signal,
    timeout: INSPECTION_MS,
  });
}

const isSpent = (error: unknown): boolean =>
  error instanceof AirdateError && ['signature_invalid', 'upload_void'].includes(error.code);

const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
