// ETags of reads, and 304 for a client that has the bytes already. A post's tag is set by its route, from its version; a
// list's is a hash of the bytes, which any change on the page changes. Neither comes with `include`, whose signed URLs change
// by themselves.
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { matchesIfNoneMatch, tagOfBytes } from '../request/conditional-requests.js';
import type { Server } from '../request/server.js';

interface Success {
  $ref?: string;
  properties?: { data?: { type?: string } };
}

type Done = (error: null, payload?: unknown) => void;

export function addEtags(server: Server): void {
  server.addHook('onRoute', (route) => {
    if (!isTagged(String(route.method), route.url, route.schema)) return;
    // Before the framework's own, which removes the body of a response to HEAD.
    route.onSend = [tag, ...[route.onSend ?? []].flat()];
  });
}

/** Whether the response to this route carries an ETag: a post, and every list that is not also a stream. */
export function isTagged(method: string, url: string, schema: FastifySchema | undefined): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith('/api/')) return false;
  const success = (schema?.response as Record<number, Success>)?.[200];
  const isList = success?.properties?.data?.type === 'array' || success?.$ref === 'AssetList#';
  return url === '/api/v1/posts/:id' || isList;
}

function tag(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const { include } = request.query as { include?: string };
  if (reply.statusCode !== 200 || typeof payload !== 'string' || include !== undefined)
    return done(null, payload);
  let etag = reply.getHeader('etag') as string | undefined;
  if (etag === undefined) {
    etag = tagOfBytes(payload);
    reply.header('etag', etag);
  }
  if (!matchesIfNoneMatch(request.headers['if-none-match'], etag)) return done(null, payload);
  reply.code(304).removeHeader('content-type');
  // To HEAD, the length is that of the full response.
  done(null, request.method === 'HEAD' ? payload : null);
}
