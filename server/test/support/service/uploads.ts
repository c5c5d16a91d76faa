// Shared by the tests of assets: files to upload, how a client uploads them, and what the store contains afterwards.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join, relative, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import type { UploadGrant } from '../../../src/assets/schema.js';
import type { Organization, ServiceOptions, TestService } from './harness.js';
import { type Answer, send } from './send.js';

/** Without the worker: its loops would interfere when a test moves the clock. */
export const WITHOUT_WORKER: ServiceOptions = {
  command: 'api',
  env: { SOCIAL_API_URL: 'http://127.0.0.1:9' },
};

/** The default of GARBAGE_GRACE_SECONDS. */
export const GRACE_MS = 86_400_000;

export type Bytes = Uint8Array<ArrayBuffer>;

const folder = new URL('../../../../test/media/', import.meta.url);

/** The bytes of a file in test/media. */
export const media = (name: string): Bytes => new Uint8Array(readFileSync(new URL(name, folder)));

export const bytesOf = (words: string): Bytes => new Uint8Array(Buffer.from(words));

type ContentType = 'image/png' | 'image/jpeg' | 'video/mp4' | 'video/webm' | 'video/quicktime';

interface Fields {
  filename?: string;
  content_type?: ContentType;
  content_length?: number;
  replace?: boolean;
}

const TYPES: Record<string, ContentType> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};

export function typeOf(name: string): ContentType {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
  if (type === undefined) throw new Error(`no type is known for ${name}`);
  return type;
}

/** Requests an upload, which must be granted. */
export async function grant(org: Organization, id: string, fields: Fields = {}): Promise<UploadGrant> {
  const filename = fields.filename ?? 'slide.png';
  const content_type = fields.content_type ?? typeOf(filename);
  const body = { ...fields, filename, content_type };
  const granted = await org.sdk.posts.assets.requestUpload(id, body);
  if (!('upload_url' in granted)) throw new Error('the upload was granted in parts');
  return granted;
}

/** The same with any body and any response. */
export const askForUpload = (
  org: Organization,
  id: string,
  body: unknown,
  headers?: Record<string, string>,
) => org.call('POST', `/api/v1/posts/${id}/assets`, body, headers);

export function put(
  url: string,
  bytes: Bytes,
  type: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send('PUT', url, { raw: bytes, headers: { 'content-type': type, ...headers } });
}

/** Uploads a file of test/media. Returns its grant. */
export async function upload(
  org: Organization,
  id: string,
  name: string,
  fields: Fields = {},
): Promise<UploadGrant> {
  const granted = await grant(org, id, { filename: name, content_type: typeOf(name), ...fields });
  const answer = await put(granted.upload_url, media(name), typeOf(name));
  assert.equal(answer.status, 200, answer.text);
  return granted;
}

/**
 * A PUT whose body the test sends piece by piece, without a length unless one is given. `address` replaces the path and
 * query of the URL, letter by letter, because parsing a URL would normalize it.
 */
export function beginPut(
  url: string,
  type: string,
  headers: Record<string, string | number> = {},
  address?: string,
): { body: ClientRequest; answer: Promise<Answer> } {
  const body = request(url, {
    method: 'PUT',
    agent: false,
    headers: { 'content-type': type, ...headers },
    ...(address === undefined ? {} : { path: address }),
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    body.once('response', resolve).once('error', reject);
  }).then(readAnswer);
  // A test that breaks the connection on purpose does not look at the answer.
  answer.catch(() => {});
  body.flushHeaders();
  return { body, answer };
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const body = await text(response);
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(response.headers as Record<string, string>),
    text: body,
    json: body === '' ? undefined : JSON.parse(body),
  };
}

/** The uploaded files, and the refused ones. */
export async function listAssets(org: Organization, id: string) {
  const { pending: _, ...list } = await org.sdk.posts.assets.list(id);
  return list;
}

export async function listKeys(org: Organization, id: string): Promise<string[]> {
  return (await listAssets(org, id)).data.map(({ object_key }) => object_key);
}

export const complete = (org: Organization, id: string, object_key: string) =>
  org.call('POST', `/api/v1/posts/${id}/assets/complete`, { object_key });

export const reorder = (org: Organization, id: string, order: unknown) =>
  org.call('PATCH', `/api/v1/posts/${id}/assets`, { order });

export const removeOne = (org: Organization, id: string, objectKey: string) =>
  org.call('DELETE', `/api/v1/posts/${id}/assets?object_key=${encodeURIComponent(objectKey)}`);

export async function download(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
}

export const storeFolder = ({ app }: TestService) => join(app.config.dataDir, 'files');

/** The names of all files below a folder, in order. */
export async function filesIn(below: string): Promise<string[]> {
  const entries = await readdir(below, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(below, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** All objects of an organization, and every partial file: only one upload runs at a time in these tests. */
export async function storedFor(service: TestService, org: Organization): Promise<string[]> {
  const files = await filesIn(storeFolder(service));
  return files.filter((file) => file.includes(org.id) || file.startsWith('drafts/'));
}

/** The expected objects for these ready slides: each with its thumbnail. */
export const slidesAt = (...keys: string[]) => keys.flatMap((key) => [key, `thumbnails/${key}.webp`]).sort();
