// The rounds of an upload in parts: ask which parts are missing, send those, complete the upload. How a part is sent, and whether
// another round follows a failure, is left to the caller: `posts.upload`, or a page that has a queue of its own.
import type { Client } from '../client/client.js';
import type { Asset, UploadState } from '../client/schemas.js';
import { INSPECTION_MS } from './sending.js';

/** Some bytes of the file, and where they go. */
export interface Part {
  url: string;
  /** The first byte, and the one after the last. */
  start: number;
  end: number;
  /** To be told how many bytes of the part have left. */
  onSent: (sent: number) => void;
}

export interface PartsUpload {
  client: Client;
  postId: string;
  uploadId: string;
  /** Of the whole file, in bytes. */
  size: number;
  sendPart: (part: Part) => Promise<void>;
  /** Waits before the next round; throws if there is none. */
  onFailure: (error: unknown) => Promise<void>;
  /** How many bytes have left or had arrived before, also when a round begins. */
  onProgress: (sent: number) => void;
  /** All parts have arrived: what takes time now is the inspection of the file. */
  onArrived?: () => void;
  signal?: AbortSignal | undefined;
}

export async function sendParts(upload: PartsUpload): Promise<Asset> {
  const { client, postId, uploadId, onFailure, onArrived, signal } = upload;
  const path = { id: postId, upload_id: uploadId };
  for (;;) {
    try {
      await sendMissing(upload, path);
      onArrived?.();
      return await client.data('POST', '/api/v1/posts/{id}/uploads/{upload_id}/complete', {
        path,
        body: {},
        signal,
        timeout: INSPECTION_MS,
      });
    } catch (error) {
      await onFailure(error);
    }
  }
}

async function sendMissing(
  { client, size: total, sendPart, onProgress, signal }: PartsUpload,
  path: { id: string; upload_id: string },
): Promise<void> {
  for (;;) {
    const state: UploadState = await client.data('GET', '/api/v1/posts/{id}/uploads/{upload_id}', {
      path,
      signal,
    });
    if (state.parts.length === 0) return;
    const startOf = (number: number) => (number - 1) * state.part_size;
    const endOf = (number: number) => Math.min(number * state.part_size, total);
    let before = state.arrived.reduce((sum, number) => sum + endOf(number) - startOf(number), 0);
    onProgress(before);
    for (const { number, upload_url: url } of state.parts) {
      const [start, end] = [startOf(number), endOf(number)];
      await sendPart({ url, start, end, onSent: (sent) => onProgress(before + sent) });
      before += end - start;
    }
  }
}
