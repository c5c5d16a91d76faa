// Answers a read with the bytes of the last answer while the database can tell that nothing was committed since: on SQLite,
// for reads that depend on nothing but the rows of the organization.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { App } from '../app/app.js';
import type { CachedResponse, ResponseCache } from '../app/process-state.js';
import { createSingleFlight } from '../core/concurrency.js';
import { callerOf } from './caller.js';
import { tagOfBytes } from './conditional-requests.js';

export interface Read {
  body: object;
  /** Null: the hash of the bytes, or none with `include`. Left out: none. */
  etag?: string | null;
}

const MAX_BYTES = 16 * 1024 * 1024;
/** The text is kept as UTF-16 at worst; the rest of an entry is small. */
const sizeOf = ({ text }: CachedResponse) => 2 * text.length + 500;

export const createResponseCache = (): ResponseCache => ({
  entries: new LRUCache<string, CachedResponse>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf }),
  reading: createSingleFlight(),
});

/** A longer URL is not worth its key. */
const MAX_URL = 300;

/** Signed URLs change by themselves. Searches are rarely repeated, and stop at a limit of work. */
const UNCACHEABLE_PARAMETERS = ['include', 'q', 'needs_attention'];

const isCacheable = ({ url, query }: FastifyRequest) =>
  url.length <= MAX_URL && !UNCACHEABLE_PARAMETERS.some((name) => name in (query as object));

export async function replyFromCache(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  read: () => Promise<Read>,
): Promise<unknown> {
  const { orgId } = callerOf(request);
  const stamp = isCacheable(request) ? await app.db.readChangeStamp(orgId) : null;
  if (stamp === null) {
    const { body, etag } = await read();
    if (etag) reply.header('etag', etag);
    return body;
  }
  const { responses } = app.state;
  const key = `${orgId} ${request.url}`;
  let cached = responses.entries.get(key);
  if (cached?.stamp !== stamp)
    cached = await responses.reading(`${stamp} ${key}`, async () => {
      const found = await readNow(reply, stamp, read);
      responses.entries.set(key, found);
      return found;
    });
  if (cached.etag) reply.header('etag', cached.etag);
  return reply.header('content-type', 'application/json; charset=utf-8').send(cached.text);
}

async function readNow(
  reply: FastifyReply,
  stamp: string,
  read: () => Promise<Read>,
): Promise<CachedResponse> {
  const { body, etag } = await read();
  const text = reply.serializeInput(body as Record<string, unknown>, '200') as string;
  return { stamp, text, etag: etag === null ? tagOfBytes(text) : etag };
}
