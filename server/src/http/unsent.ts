// What a client asks for and does not read waits in this process. An organization, or without a key the network of an address,
// gets nothing more while many bytes of its responses wait. Streams hold little themselves; see downloads.ts.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../core/networks.js';
import { busy } from '../core/problems.js';
import { Tally } from '../core/tally.js';
import type { Server } from '../request/server.js';

/** A list of 100 posts with the longest captions has 1 MB, whether the API or MCP returns it. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Shorter responses cost less than counting them. */
const MIN_COUNTED = 16 * 1024;
const SECONDS = 5;

type Done = (error: null, payload?: unknown) => void;

/** For everything that returns JSON. */
export function limitUnsent(server: Server): void {
  const unsent = new Tally();
  const keyOf = (request: FastifyRequest) => request.caller?.orgId ?? networkOf(request.ip);

  function refuse(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
    if (unsent.isEmpty || unsent.of(keyOf(request)) < MAX_BYTES) return done();
    done(busy('Many responses wait to be read. Read them first, then try again.', SECONDS));
  }

  function count(request: FastifyRequest, { raw }: FastifyReply, payload: unknown, done: Done): void {
    const isHeld = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isHeld && payload.length >= MIN_COUNTED && !raw.destroyed) {
      const key = keyOf(request);
      unsent.add(key, payload.length);
      raw.once('close', () => unsent.add(key, -payload.length));
    }
    done(null, payload);
  }

  server.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/') && route.url !== '/mcp') return;
    route.onRequest = [refuse, ...[route.onRequest ?? []].flat()];
    route.onSend = [...[route.onSend ?? []].flat(), count];
  });
}
