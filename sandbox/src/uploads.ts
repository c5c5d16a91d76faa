// FILE_UPLOAD: receives the chunks of a video in order, and answers with bare HTTP statuses.
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ChunkRange, lastByteOf, parseContentRange } from './chunks.js';
import type { Platform } from './platform.js';
import type { Processing } from './processing.js';
import { ApiError, queryOf } from './responses.js';
import type { PublishRow } from './store.js';

const TYPES = ['video/mp4', 'video/quicktime', 'video/webm'];

/** An HTTP status, and how many bytes have arrived, if the response says so. */
interface Taken {
  status: number;
  bytes?: number;
}

export function uploadRoutes(app: FastifyInstance, platform: Platform, processing: Processing): void {
  const { store, settings, log } = platform;
  /** Chunks of one upload are serialized: a client that repeats one may be faster than the end of the first attempt. */
  const queues = new Map<string, Promise<unknown>>();

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body));
    scope.setErrorHandler((error, _request, reply) => {
      if (error instanceof ApiError) return reply.code(error.status).send();
      log.error({ err: error }, 'the sandbox could not store a chunk');
      return reply.code(500).send();
    });

    scope.put('/upload/', { config: { faultTarget: 'upload' } }, async (request, reply) => {
      const { upload_id: id = '', upload_token: token = '' } = queryOf(request);
      const { status, bytes } = await enqueue(id, () => take(request, id, token));
      const total = parseContentRange(request.headers['content-range'])?.total;
      if (bytes !== undefined) reply.header('content-range', `bytes ${arrived(bytes)}/${total}`);
      return reply.code(status).send();
    });
  });

  async function enqueue<T>(id: string, work: () => Promise<T>): Promise<T> {
    const queued = (queues.get(id) ?? Promise.resolve()).then(work);
    const quiet = queued.catch(() => {});
    queues.set(id, quiet);
    try {
      return await queued;
    } finally {
      if (queues.get(id) === quiet) queues.delete(id);
    }
  }

  async function take(request: FastifyRequest, id: string, token: string): Promise<Taken> {
    const sql = 'select * from publishes where digits = ? and upload_token = ?';
    const row = store.get<PublishRow>(sql, id, token);
    if (!row || row.status === 'FAILED') return { status: 404 };
    if ((row.upload_expires_at ?? 0) <= platform.now()) return { status: 403 };
    const range = parseContentRange(request.headers['content-range']);
    if (!range || !fits(request, range, row)) return { status: 400 };
    if (range.first !== row.bytes) return { status: 416, bytes: row.bytes };
    if (range.last !== lastByteOf(planOf(row), range.first)) return { status: 400 };
    if (!(await write(request.raw, row, range))) return { status: 400 };
    return store.transact(() => keep(row, range.last + 1));
  }

  /** In one transaction: an upload with all its bytes is always being processed, even after a crash in between. */
  function keep(row: PublishRow, bytes: number): Taken {
    const changed = store.run(
      "update publishes set bytes = ? where digits = ? and bytes = ? and stage = 'transfer'",
      bytes,
      row.digits,
      row.bytes,
    );
    // The post may have failed while the bytes arrived.
    if (changed === 0) return { status: 404 };
    if (bytes < (row.video_size ?? 0)) return { status: 206, bytes };
    store.run('update media set bytes = ? where digits = ?', bytes, row.digits);
    processing.begin(row.publish_id);
    return { status: 201, bytes };
  }

  /** Writes a chunk into its place in the file. False if its length is not the announced one. */
  async function write(raw: IncomingMessage, row: PublishRow, { first, last }: ChunkRange): Promise<boolean> {
    await mkdir(store.mediaFolder(row.digits), { recursive: true });
    const flags = first === 0 ? 'w' : 'r+';
    const file = createWriteStream(store.mediaFile(row.digits, 0), { flags, start: first });
    try {
      await pipeline(raw, file);
    } catch (error) {
      if (raw.complete) throw error;
      return false;
    }
    return file.bytesWritten === last - first + 1;
  }

  const arrived = (bytes: number) =>
    bytes === 0 ? '*' : `0-${settings.uploaded_range === 'count' ? bytes : bytes - 1}`;
}

const planOf = (row: PublishRow) => ({
  videoSize: row.video_size ?? 0,
  chunkSize: row.chunk_size ?? 0,
  chunkCount: row.chunk_count ?? 0,
});

/** Whether the headers agree with each other and with the init. */
function fits({ headers }: FastifyRequest, { first, last, total }: ChunkRange, row: PublishRow): boolean {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
  return (
    TYPES.includes(type) &&
    total === row.video_size &&
    Number(headers['content-length'] ?? Number.NaN) === last - first + 1
  );
}
