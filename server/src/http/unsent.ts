// What a client asks for and does not read waits in this process. An organization, or without a key the network of an address,
// gets nothing more while many bytes of its responses wait. Streams hold little themselves; see downloads.ts.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../api/server.js';
import { networkOf } from '../ground/networks.js';
import { busy } from '../ground/problems.js';
import { Tally } from '../ground/tally.js';

/** A list of 100 posts with the longest captions has 1 MB. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Shorter responses cost less than counting them. */
const MIN_COUNTED = 16 * 1024;
const SECONDS = 5;

/** Call after the hook that identifies the caller. */
export function limitUnsent(server: Server): void {
  const unsent = new Tally();
  const keyOf = (request: FastifyRequest) => request.caller?.orgId ?? networkOf(request.ip);

  server.addHook('onRequest', (request: FastifyRequest, _reply: FastifyReply, done) => {
    if (unsent.isEmpty || unsent.of(keyOf(request)) < MAX_BYTES) return done();
    done(busy('Many responses wait to be read. Read them first, then try again.', SECONDS));
  });
  server.addHook('onSend', (request: FastifyRequest, { raw }: FastifyReply, payload: unknown, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isWhole && payload.length >= MIN_COUNTED && !raw.destroyed) {
      const key = keyOf(request);
      unsent.add(key, payload.length);
      raw.once('close', () => unsent.add(key, -payload.length));
    }
    done(null, payload);
  });
}
