// How the fake S3 server (s3-server.ts) stores, serves, copies and lists objects.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal, type Verified } from './s3-verify.js';

export interface S3Object {
  bytes: Buffer;
  contentType: string;
  contentEncoding?: string | undefined;
  etag: string;
  storedAt: number;
}

export type Respond = (status: number, headers?: Record<string, string>, body?: string | Buffer) => void;

export function newObject(
  bytes: Buffer,
  contentType = 'binary/octet-stream',
  storedAt = Date.now(),
): S3Object {
  return { bytes, contentType, storedAt, etag: `"${createHash('md5').update(bytes).digest('hex')}"` };
}

export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { payloadHash }: Verified,
) {
  if (request.headers['transfer-encoding'] !== undefined)
    throw new Refusal(
      501,
      'NotImplemented',
      'Transfer-Encoding implies functionality that is not implemented',
    );
  if (request.headers['content-length'] === undefined)
    throw new Refusal(411, 'MissingContentLength', 'You must provide the Content-Length');
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (bytes.length !== Number(request.headers['content-length']))
    throw new Refusal(400, 'IncompleteBody', 'The body is not as long as its Content-Length says');
  const md5 = request.headers['content-md5'];
  if (md5 !== undefined && Buffer.from(String(md5), 'base64').length !== 16)
    throw new Refusal(400, 'InvalidDigest', 'The Content-MD5 you specified is not valid.');
  if (md5 !== undefined && createHash('md5').update(bytes).digest('base64') !== md5)
    throw new Refusal(400, 'BadDigest', 'The Content-MD5 you specified did not match what we received.');
  if (payloadHash !== null && createHash('sha256').update(bytes).digest('hex') !== payloadHash)
    throw new Refusal(400, 'XAmzContentSHA256Mismatch', 'The body is not the one that was signed');
  return bytes;
}

export function sendObject(
  objects: Map<string, S3Object>,
  key: string,
  request: IncomingMessage,
  { query }: Verified,
  respond: Respond,
): void {
  const object = objects.get(key);
  if (!object) throw new Refusal(404, 'NoSuchKey', 'The specified key does not exist.');
  const condition = request.headers['if-match'];
  if (condition !== undefined && condition !== object.etag)
    throw new Refusal(412, 'PreconditionFailed', 'The object is another one');
  const headers: Record<string, string> = {
    'content-type': object.contentType,
    etag: object.etag,
    'last-modified': new Date(object.storedAt).toUTCString(),
    'accept-ranges': 'bytes',
    ...(object.contentEncoding === undefined ? {} : { 'content-encoding': object.contentEncoding }),
  };
  for (const [name, value] of query)
    if (name.startsWith('response-')) headers[name.slice('response-'.length)] = value;
  const { length } = object.bytes;
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '');
  if (!match || (match[1] === '' && match[2] === ''))
    return respond(200, { ...headers, 'content-length': String(length) }, object.bytes);
  const [first, last] = [match[1] as string, match[2] as string];
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1);
  if (first !== '' && last !== '' && Number(last) < start) return respond(200, headers, object.bytes);
  if (start >= length) throw new Refusal(416, 'InvalidRange', 'The requested range is not satisfiable');
  const range = {
    'content-range': `bytes ${start}-${end - 1}/${length}`,
    'content-length': `${end - start}`,
  };
  respond(206, { ...headers, ...range }, object.bytes.subarray(start, end));
}

export function copyObject(
  objects: Map<string, S3Object>,
  key: string,
  request: IncomingMessage,
  bucket: string,
  now: number,
  respond: Respond,
): void {
  const source = decodeURIComponent(String(request.headers['x-amz-copy-source'])).replace(/^\//, '');
  const from = source.startsWith(`${bucket}/`) ? objects.get(source.slice(bucket.length + 1)) : undefined;
  if (!from) throw new Refusal(404, 'NoSuchKey', 'The specified key does not exist.');
  const condition = request.headers['x-amz-copy-source-if-match'];
  if (condition !== undefined && condition !== from.etag)
    throw new Refusal(412, 'PreconditionFailed', 'The source is another one');
  const { 'content-type': contentType = 'binary/octet-stream', 'content-encoding': contentEncoding } =
    request.headers;
  const replaced =
    request.headers['x-amz-metadata-directive'] === 'REPLACE' ? { contentType, contentEncoding } : {};
  const copy = { ...from, ...replaced, storedAt: now };
  objects.set(key, copy);
  const when = `<LastModified>${new Date(now).toISOString()}</LastModified>`;
  respond(200, {}, xml('CopyObjectResult', `${when}<ETag>${escapeXml(copy.etag)}</ETag>`));
}

export function listObjects(
  objects: Map<string, S3Object>,
  { query }: Verified,
  pageSize: number,
  respond: Respond,
): void {
  if (query.get('list-type') !== '2') throw new Refusal(501, 'NotImplemented', 'Lists have type 2 here');
  const token = query.get('continuation-token');
  const after = token === undefined ? null : Buffer.from(token, 'base64');
  const inUrls = query.get('encoding-type') === 'url';
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? ''));
  const sorted = keys.map((key) => Buffer.from(key)).sort(Buffer.compare);
  const rest = after ? sorted.filter((key) => Buffer.compare(key, after) > 0) : sorted;
  const page = rest.slice(0, pageSize);
  const entries = page.map((bytes) => {
    const key = bytes.toString();
    const { etag, storedAt, bytes: body } = objects.get(key) as S3Object;
    const name = inUrls
      ? encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/')
      : escapeXml(key);
    return (
      `<Contents><Key>${name}</Key><LastModified>${new Date(storedAt).toISOString()}</LastModified>` +
      `<ETag>${escapeXml(etag)}</ETag><Size>${body.length}</Size></Contents>`
    );
  });
  const more = rest.length > page.length;
  const next = more
    ? `<NextContinuationToken>${page.at(-1)?.toString('base64')}</NextContinuationToken>`
    : '';
  const head = `<IsTruncated>${more}</IsTruncated><KeyCount>${page.length}</KeyCount>${next}`;
  respond(200, { 'content-type': 'application/xml' }, xml('ListBucketResult', head + entries.join('')));
}

export const xml = (name: string, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name}>${content}</${name}>`;

export const escapeXml = (text: string): string =>
  text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
