// A strict fake S3 server in this process: one bucket in memory, every request's signature verified (see s3-verify.ts).
// Where servers differ it behaves like Amazon's.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerMultipart, type OpenUploads } from './s3-multipart.js';
import {
  copyObject,
  escapeXml,
  listObjects,
  newObject,
  type Respond,
  readBody,
  type S3Object,
  sendObject,
  xml,
} from './s3-objects.js';
import { type Identity, Refusal, verify } from './s3-verify.js';

export interface S3Server extends Identity {
  url: string;
  bucket: string;
  /** For tests to inspect, and to add objects that the service would not. */
  objects: Map<string, S3Object>;
  /** What is answered to a GET of a key instead of the object: a status without a code of the store, as a proxy does. */
  answersFor: Map<string, { status: number; body: string }>;
  /** Multipart uploads that were neither completed nor aborted. */
  uploads: OpenUploads;
  stop(): Promise<void>;
}

export interface S3ServerOptions {
  /** How many objects a page of a list has at most. */
  pageSize?: number;
  /** Some servers do not know these: the parts of an upload are not listed. */
  withoutPartLists?: boolean;
}

export async function startS3Server(
  clock: { now(): number } = Date,
  { pageSize = 1000, withoutPartLists = false }: S3ServerOptions = {},
): Promise<S3Server> {
  const bucket = 'airdate-test';
  const objects = new Map<string, S3Object>();
  const uploads: OpenUploads = new Map();
  const answersFor: S3Server['answersFor'] = new Map();
  const identity: Identity = {
    accessKeyId: `AK${randomBytes(9).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64'),
    region: 'eu-test-1',
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const respond: Respond = (status, headers = {}, body = '') => {
      const length = request.method === 'HEAD' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      response.writeHead(status, { 'access-control-allow-origin': '*', ...length, ...headers });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    try {
      if (request.method === 'OPTIONS') return respond(200, preflight(request));
      const verified = verify(request, identity, clock.now());
      const key = keyOf(verified.path, request.headers.host ?? '', bucket);
      for (const name of verified.query.keys())
        if (
          !/^(X-Amz-.*|x-id|response-[a-z-]+|list-type|encoding-type|continuation-token|prefix|uploads|uploadId|partNumber|(key|upload-id|part-number)-marker)$/.test(
            name,
          )
        )
          throw new Refusal(501, 'NotImplemented', `This stand-in does not know ${name}`);
      const asked = {
        method: request.method ?? '',
        key,
        query: verified.query,
        headers: request.headers,
        now: clock.now(),
        pageSize,
        body: () => readBody(request, response, verified),
      };
      if (withoutPartLists && request.method === 'GET' && verified.query.has('uploadId'))
        throw new Refusal(405, 'MethodNotAllowed', 'The method is not allowed');
      if (await answerMultipart(uploads, objects, asked, respond)) return;
      if (key === '' && request.method === 'GET') return listObjects(objects, verified, pageSize, respond);
      if (key === '' && request.method === 'HEAD') return respond(200);
      if (key === '') throw new Refusal(405, 'MethodNotAllowed', 'The bucket can only be listed');
      const instead = request.method === 'GET' ? answersFor.get(key) : undefined;
      if (instead) return respond(instead.status, {}, instead.body);
      if (request.method === 'GET' || request.method === 'HEAD')
        return sendObject(objects, key, request, verified, respond);
      if (request.method === 'DELETE') {
        objects.delete(key);
        return respond(204);
      }
      if (request.method !== 'PUT') throw new Refusal(405, 'MethodNotAllowed', 'The method is not allowed');
      if (request.headers['x-amz-copy-source'] !== undefined)
        return copyObject(objects, key, request, bucket, clock.now(), respond);
      const bytes = await readBody(request, response, verified);
      // Only now, with the whole body: a condition is checked when the object is created, not when its upload began.
      if (request.headers['if-none-match'] === '*' && objects.has(key))
        throw new Refusal(412, 'PreconditionFailed', 'There is such an object already');
      const stored = {
        ...newObject(bytes, request.headers['content-type'], clock.now()),
        contentEncoding: request.headers['content-encoding'],
      };
      objects.set(key, stored);
      respond(200, { etag: stored.etag });
    } catch (error) {
      request.resume();
      if (request.destroyed && !request.complete) return;
      const refusal =
        error instanceof Refusal ? error : new Refusal(500, 'InternalError', String((error as Error).stack));
      const text = `<Code>${refusal.code}</Code><Message>${escapeXml(refusal.message)}</Message>`;
      respond(refusal.status, { 'content-type': 'application/xml' }, xml('Error', text));
    }
  }

  const server = createServer(answer);
  // A client that sends `Expect: 100-continue` gets its response before it sends the body.
  server.on('checkContinue', answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    ...identity,
    objects,
    answersFor,
    uploads,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The key of a URL, in the bucket of its path or of its host name. */
function keyOf(path: string, host: string, bucket: string): string {
  if (host.startsWith(`${bucket}.`)) return path.slice(1);
  const [, name, ...rest] = path.split('/');
  if (name !== bucket) throw new Refusal(404, 'NoSuchBucket', 'There is no such bucket');
  return rest.join('/');
}

const preflight = (request: IncomingMessage): Record<string, string> => ({
  'access-control-allow-methods': 'GET, HEAD, PUT',
  'access-control-allow-headers': String(request.headers['access-control-request-headers'] ?? '*'),
  'access-control-max-age': '3000',
});
