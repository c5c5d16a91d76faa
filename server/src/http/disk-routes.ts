// Signed URLs of the disk store, served by our own server: PUT for uploads, GET and HEAD with ranges for downloads.
// Any origin may use them: the URL itself is the permission, and nothing else is checked.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { addAbortSignal, Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app/app.js';
import { alreadyUploaded, type Receive } from '../assets/take-upload.js';
import { AppError } from '../core/problems.js';
import type { DiskStore } from '../object-store/disk/disk.js';
import { KeyTaken } from '../object-store/disk/file-operations.js';
import type { Permission } from '../object-store/disk/signed-address.js';
import { keyOfPart, orgOf } from '../object-store/object-keys.js';
import { contentTypeOf } from '../object-store/object-store.js';
import { rangeOf } from '../object-store/range.js';
import type { UploadReservation } from '../quotas/upload-reservations.js';
import type { Server } from '../request/server.js';
import { createDownloads } from './unread.js';

/** An upload that sends nothing for this long is cut off. */
const IDLE_MS = 60_000;

/** How long the rest of a refused upload is read and discarded. */
const DISCARD_MS = 60_000;

const HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Content-Length, Content-Range, ETag, X-Request-Id',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; sandbox",
};

/** `take` is told of each PUT before its first byte, and has it received, or throws why the file is not needed. */
export function diskRoutes(
  server: Server,
  { clock }: Pick<App, 'clock'>,
  store: DiskStore,
  take: (key: string, sent: number | null, receive: Receive) => Promise<void>,
): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body));
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers(HEADERS);
    });

    const permitted = (method: 'PUT' | 'GET', request: FastifyRequest): Permission => {
      const permission = store.addresses.check(method, request.url, clock.now());
      if (permission) return permission;
      throw new AppError(
        'signature_invalid',
        'The URL was not issued for this method, was changed, or has expired. Request a new one.',
      );
    };

    scope.options('/storage/*', { schema: { hide: true } }, async (_request, reply) =>
      reply
        .code(204)
        .headers({
          'access-control-allow-methods': 'PUT, GET, HEAD',
          'access-control-allow-headers': 'Content-Type, Content-MD5, Range',
          'access-control-max-age': '600',
        })
        .send(),
    );

    scope.put(
      '/storage/*',
      { schema: { hide: true }, config: { takesFile: true } },
      async (request, reply) => {
        const { raw } = request;
        try {
          const permission = permitted('PUT', request);
          const sent = checkUploadHeaders(request, permission);
          await take(permission.key, sent, (signal, reservation) =>
            receive(store, raw, permission, signal, reservation),
          );
        } catch (error) {
          discard(raw);
          throw error;
        }
        return reply.code(200).send();
      },
    );

    const countDownload = createDownloads();
    const send = async (request: FastifyRequest, reply: FastifyReply) => {
      const { key } = permitted('GET', request);
      return download(store, key, request, reply, () => countDownload(request, reply, orgOf(key)));
    };
    // The framework's own HEAD would report an empty file.
    scope.get('/storage/*', { schema: { hide: true }, exposeHeadRoute: false }, send);
    scope.head('/storage/*', { schema: { hide: true } }, send);
  });
}

/** Checks that need no body. Returns the length that the client says, if any. */
function checkUploadHeaders(
  { headers }: FastifyRequest,
  { key, length, maxLength }: Permission,
): number | null {
  const type = contentTypeOf(key);
  // A part has no type of its own.
  if (keyOfPart(key) === null && headers['content-type'] !== type)
    throw new AppError(
      'upload_mismatch',
      `This upload was declared as ${type}. Send exactly that as Content-Type.`,
    );
  if (headers['content-encoding'] !== undefined)
    throw new AppError('unsupported_media_type', 'Send the file as it is, without Content-Encoding.');
  if (headers['content-length'] === undefined) return null;
  const sent = Number(headers['content-length']);
  if (length !== null && sent !== length) throw wrongLength(length);
  if (sent > maxLength) throw tooLarge(maxLength);
  return sent;
}

/** Stores the announced bytes, and fails at the first one too many, or at the end if some are missing. */
async function receive(
  store: DiskStore,
  raw: IncomingMessage,
  { key, length, maxLength }: Permission,
  signal: AbortSignal,
  reservation: UploadReservation | null,
): Promise<string> {
  // Optional, but a wrong one is refused, as S3 does.
  const announced = raw.headers['content-md5'] ?? null;
  if (announced !== null && !/^[A-Za-z0-9+/]{21}[AQgw]==$/.test(String(announced)))
    throw new AppError('upload_mismatch', 'Content-MD5 must be an MD5 hash in Base64.');
  const md5 = announced === null ? null : createHash('md5');
  const idle = setTimeout(
    () => raw.destroy(new AppError('request_timeout', 'The upload stalled. Send the file again.')),
    IDLE_MS,
  );
  let received = 0;
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      idle.refresh();
      received += chunk.length;
      const noRoom = reservation?.take(chunk.length) ?? null;
      if (length !== null && received > length) return done(wrongLength(length));
      if (received > maxLength) return done(tooLarge(maxLength));
      if (noRoom) return done(noRoom);
      md5?.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      if (length !== null && received !== length) return done(wrongLength(length));
      if (md5 === null || md5.digest('base64') === announced) return done();
      done(
        new AppError('upload_mismatch', 'The bytes that arrived do not match Content-MD5. Send them again.'),
      );
    },
  });
  const broken = () =>
    new AppError('bad_request', 'The connection broke during the upload. Send the file again.');
  raw.once('error', (error) => body.destroy(error instanceof AppError ? error : broken()));
  raw.once('close', () => {
    if (!raw.readableEnded) body.destroy(broken());
  });
  // The client may have disconnected during the checks above; then no further event fires.
  if (raw.destroyed && !raw.readableEnded) body.destroy(broken());
  addAbortSignal(signal, body);
  try {
    return await store.receive(key, raw.pipe(body));
  } catch (error) {
    if (error instanceof KeyTaken) throw alreadyUploaded();
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(idle);
  }
}

const wrongLength = (length: number) =>
  new AppError('upload_mismatch', `This upload was declared with ${length} bytes. Send exactly that many.`);

const tooLarge = (maxLength: number) =>
  new AppError('file_too_large', `The file may have at most ${maxLength} bytes.`);

/**
 * Reads and discards the rest while the response goes out: closing a connection over unread bytes often loses the
 * response. A client that keeps sending for too long is cut off.
 */
function discard(raw: IncomingMessage): void {
  if (raw.complete || raw.destroyed) return;
  const timer = setTimeout(() => raw.complete || raw.socket.destroy(), DISCARD_MS).unref();
  raw.once('close', () => clearTimeout(timer)).unpipe();
  raw.resume();
}

async function download(
  store: DiskStore,
  key: string,
  request: FastifyRequest,
  reply: FastifyReply,
  count: () => void,
) {
  const object = await store.find(key);
  if (!object) throw fileGoneError();
  const name = key.slice(key.lastIndexOf('/') + 1);
  const { 'if-range': ifRange = `"${name}"`, 'if-none-match': known } = request.headers;
  const range = ifRange === `"${name}"` ? rangeOf(request.headers.range, object.size) : null;
  if (range === 'unsatisfiable')
    throw new AppError('range_not_satisfiable', `The file has ${object.size} bytes.`, {
      headers: { 'content-range': `bytes */${object.size}` },
    });
  const { start, end } = range ?? { start: 0, end: object.size };
  // Opened before any header is sent: the file may have been removed since it was found.
  const isWanted = request.method === 'GET' && known !== `"${name}"`;
  if (isWanted) count();
  const bytes = isWanted ? await store.serve(orgOf(key), key, { start, end }).catch(goneIfMissing) : null;
  reply.headers({
    'content-type': contentTypeOf(key),
    'content-disposition': `attachment; filename="${name}"`,
    'accept-ranges': 'bytes',
    // An object never changes, so a cached copy stays valid.
    etag: `"${name}"`,
    'cache-control': 'private, max-age=3600, immutable',
  });
  if (known === `"${name}"`) return reply.code(304).send();
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${object.size}`);
  reply.header('content-length', end - start);
  return reply.send(bytes ?? undefined);
}

const fileGoneError = () => new AppError('not_found', 'The file no longer exists.');

function goneIfMissing(error: NodeJS.ErrnoException): never {
  throw error.code === 'ENOENT' ? fileGoneError() : error;
}
