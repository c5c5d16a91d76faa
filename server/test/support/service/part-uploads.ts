// Shared by the tests of uploads in parts: a video of several parts, and a client that sends them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { PartsGrant } from '../../../src/assets/multipart/schema.js';
import { sendBigVideo } from '../media/big-video.js';
import type { S3Server } from '../storage/s3-server.js';
import type { Organization } from './harness.js';
import type { Answer } from './send.js';

export const MIB = 1024 * 1024;

/** A video of this length, whose bytes need not be stored anywhere. */
export const bigVideo = (size: number): Promise<Buffer> => buffer(sendBigVideo(size));

export const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('base64');

export const askForParts = (org: Organization, id: string, more: object = {}): Promise<Answer> =>
  org.call('POST', `/api/v1/posts/${id}/assets`, {
    filename: 'film.mp4',
    content_type: 'video/mp4',
    content_length: 2 * MIB,
    parts: true,
    ...more,
  });

export async function beginUpload(
  org: Organization,
  id: string,
  length: number,
  more: object = {},
): Promise<PartsGrant> {
  const { status, json, text } = await askForParts(org, id, { content_length: length, ...more });
  assert.equal(status, 200, text);
  return json;
}

export function partOf(bytes: Buffer, size: number, number: number): Buffer {
  return bytes.subarray((number - 1) * size, number * size);
}

export async function putPart(
  url: string,
  bytes: Buffer,
  headers: Record<string, string> = { 'content-md5': md5Of(bytes) },
): Promise<number> {
  const response = await fetch(url, { method: 'PUT', headers, body: Uint8Array.from(bytes) });
  await response.arrayBuffer();
  return response.status;
}

/** Sends every part that the grant or upload names. */
export async function putParts({ parts, part_size }: PartsGrant, bytes: Buffer): Promise<void> {
  for (const { number, upload_url } of parts)
    assert.equal(await putPart(upload_url, partOf(bytes, part_size, number)), 200);
}

const pathOf = (id: string, uploadId: string) => `/api/v1/posts/${id}/uploads/${uploadId}`;

export const readUpload = (org: Organization, id: string, uploadId: string, query = '') =>
  org.call('GET', `${pathOf(id, uploadId)}${query}`);

export const completeParts = (
  org: Organization,
  id: string,
  uploadId: string,
  headers?: Record<string, string>,
) => org.call('POST', `${pathOf(id, uploadId)}/complete`, {}, headers);

export const giveUp = (org: Organization, id: string, uploadId: string) =>
  org.call('DELETE', pathOf(id, uploadId));

export const bucketEnv = (bucket: S3Server): Record<string, string> => ({
  S3_BUCKET: bucket.bucket,
  S3_ENDPOINT: bucket.url,
  S3_REGION: bucket.region,
  S3_ACCESS_KEY_ID: bucket.accessKeyId,
  S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
  S3_FORCE_PATH_STYLE: 'true',
});
