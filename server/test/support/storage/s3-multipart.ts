// Multipart uploads of the fake S3 server (s3-server.ts), with Amazon's rules: a part may be sent again, parts are joined in order
// and by their ETags, and each but the last has at least 5 MB.
import { createHash, randomBytes } from 'node:crypto';
import { escapeXml, newObject, type Respond, type S3Object, xml } from './s3-objects.js';
import { Refusal, type Verified } from './s3-verify.js';

const MIN_PART = 5 * 1024 * 1024;

interface OpenUpload {
  key: string;
  contentType: string | undefined;
  startedAt: number;
  parts: Map<number, S3Object>;
}

export type OpenUploads = Map<string, OpenUpload>;

interface Request {
  method: string;
  key: string;
  query: Verified['query'];
  headers: NodeJS.Dict<string | string[]>;
  now: number;
  pageSize: number;
  body(): Promise<Buffer>;
}

/** Answers a request about multipart uploads. False if it is about something else. */
export async function answerMultipart(
  uploads: OpenUploads,
  objects: Map<string, S3Object>,
  request: Request,
  respond: Respond,
): Promise<boolean> {
  const { method, key, query, now, pageSize, headers } = request;
  if (query.has('uploads')) {
    if (method === 'GET' && key === '') listUploads(uploads, query, pageSize, respond);
    else if (method === 'POST' && key !== '') {
      await request.body();
      const id = `${randomBytes(12).toString('base64')}~`;
      const contentType = headers['content-type'] as string | undefined;
      uploads.set(id, { key, contentType, startedAt: now, parts: new Map() });
      const text = `<Key>${escapeXml(key)}</Key><UploadId>${escapeXml(id)}</UploadId>`;
      respond(200, {}, xml('InitiateMultipartUploadResult', text));
    } else throw new Refusal(405, 'MethodNotAllowed', 'The method is not allowed');
    return true;
  }
  const id = query.get('uploadId');
  if (id === undefined) return false;
  const upload = uploads.get(id);
  const found = (): OpenUpload => {
    if (upload?.key !== key || !uploads.has(id))
      throw new Refusal(404, 'NoSuchUpload', 'The specified multipart upload does not exist.');
    return upload;
  };
  if (method === 'PUT') {
    const number = Number(query.get('partNumber'));
    if (!Number.isInteger(number) || number < 1 || number > 10_000)
      throw new Refusal(400, 'InvalidArgument', 'Part number must be an integer between 1 and 10000');
    found();
    const part = newObject(await request.body(), undefined, now);
    found().parts.set(number, part);
    respond(200, { etag: part.etag });
  } else if (method === 'GET') listParts(found(), query, pageSize, respond);
  else if (method === 'DELETE') {
    found();
    uploads.delete(id);
    respond(204);
  } else if (method === 'POST') {
    const object = joined(found(), (await request.body()).toString());
    found();
    uploads.delete(id);
    objects.set(key, { ...object, storedAt: now });
    const text = `<Key>${escapeXml(key)}</Key><ETag>${escapeXml(object.etag)}</ETag>`;
    respond(200, {}, xml('CompleteMultipartUploadResult', text));
  } else throw new Refusal(405, 'MethodNotAllowed', 'The method is not allowed');
  return true;
}

function joined({ parts, contentType }: OpenUpload, text: string): S3Object {
  const named = [...text.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: (/<ETag>(.*?)</.exec(part)?.[1] ?? '').replaceAll('&quot;', '"'),
  }));
  if (named.length === 0) throw new Refusal(400, 'MalformedXML', 'No part is named');
  const chosen = named.map(({ number, etag }, i) => {
    if (i > 0 && number <= (named[i - 1]?.number ?? 0))
      throw new Refusal(400, 'InvalidPartOrder', 'The list of parts was not in ascending order.');
    const part = parts.get(number);
    if (part?.etag !== etag) throw new Refusal(400, 'InvalidPart', `Part ${number} is not the one named`);
    if (i < named.length - 1 && part.bytes.length < MIN_PART)
      throw new Refusal(400, 'EntityTooSmall', `Part ${number} has only ${part.bytes.length} bytes`);
    return part;
  });
  const bytes = Buffer.allocUnsafe(chosen.reduce((sum, part) => sum + part.bytes.length, 0));
  const md5 = createHash('md5');
  let at = 0;
  for (const part of chosen) {
    at += part.bytes.copy(bytes, at);
    md5.update(Buffer.from(part.etag.slice(1, -1), 'hex'));
    // Half of the memory, for files of gigabytes.
    part.bytes = Buffer.alloc(0);
  }
  const etag = `"${md5.digest('hex')}-${chosen.length}"`;
  return { bytes, contentType: contentType ?? 'binary/octet-stream', storedAt: 0, etag };
}

function listParts(
  { parts }: OpenUpload,
  query: Verified['query'],
  pageSize: number,
  respond: Respond,
): void {
  const after = Number(query.get('part-number-marker') ?? 0);
  const rest = [...parts].filter(([number]) => number > after).sort(([a], [b]) => a - b);
  const page = rest.slice(0, pageSize);
  const entries = page.map(
    ([number, { etag, bytes }]) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag><Size>${bytes.length}</Size></Part>`,
  );
  const more = rest.length > page.length;
  const next = more ? `<NextPartNumberMarker>${page.at(-1)?.[0]}</NextPartNumberMarker>` : '';
  respond(200, {}, xml('ListPartsResult', `<IsTruncated>${more}</IsTruncated>${next}${entries.join('')}`));
}

function listUploads(uploads: OpenUploads, query: Verified['query'], pageSize: number, respond: Respond) {
  const [keyMarker = '', idMarker = ''] = [query.get('key-marker'), query.get('upload-id-marker')];
  const name = (key: string) =>
    query.get('encoding-type') === 'url' ? encodeURIComponent(key).replaceAll('%2F', '/') : escapeXml(key);
  const rest = [...uploads]
    .map(([id, { key, startedAt }]) => ({ id, key, startedAt }))
    .filter(({ key }) => key.startsWith(query.get('prefix') ?? ''))
    .sort((a, b) => (a.key < b.key || (a.key === b.key && a.id < b.id) ? -1 : 1))
    .filter(({ key, id }) => key > keyMarker || (key === keyMarker && id > idMarker));
  const page = rest.slice(0, pageSize);
  const entries = page.map(
    ({ id, key, startedAt }) =>
      `<Upload><Key>${name(key)}</Key><UploadId>${escapeXml(id)}</UploadId><Initiated>${new Date(startedAt).toISOString()}</Initiated></Upload>`,
  );
  const last = page.at(-1);
  const next =
    rest.length > page.length && last
      ? `<NextKeyMarker>${name(last.key)}</NextKeyMarker><NextUploadIdMarker>${escapeXml(last.id)}</NextUploadIdMarker>`
      : '';
  const head = `<IsTruncated>${next !== ''}</IsTruncated>${next}`;
  respond(200, {}, xml('ListMultipartUploadsResult', head + entries.join('')));
}
