// What a client asks for and does not read: responses wait in this process, and a file that is sent holds a connection, an open file
// and two pieces of it. Both are limited for each organization, or without a key for the network of an address.
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../core/networks.js';
import { AppError, busy } from '../core/problems.js';
import { Tally } from '../core/tally.js';
import type { Server } from '../request/server.js';
import { enforceDownloadPace } from './connections.js';

/** A list of 100 posts with the longest captions has 1 MB, whether the API or MCP returns it. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Shorter responses cost less than counting them. */
const MIN_COUNTED = 16 * 1024;

/** How many files are sent at the same time. A browser has six connections to a server. An office may share one address. */
export const MAX_PER_NETWORK = 100;
export const MAX_PER_ORG = 200;

const SECONDS = 5;

type Done = (error: null, payload?: unknown) => void;

/** For everything that returns JSON: who has many bytes waiting gets nothing more. */
export function limitUnsent(server: Server): void {
  const unsent = new Tally();
  const keyOf = (request: FastifyRequest) => request.caller?.orgId ?? networkOf(request.ip);

  function refuse(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
    if (unsent.isEmpty || unsent.of(keyOf(request)) < MAX_BYTES) return done();
    done(busy('Many responses wait to be read. Read them first, then try again.', SECONDS));
  }

  function count(request: FastifyRequest, { raw }: FastifyReply, payload: unknown, done: Done): void {
    const isHeld = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isHeld && payload.length >= MIN_COUNTED) addUntilClosed(unsent, keyOf(request), payload.length, raw);
    done(null, payload);
  }

  server.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/') && route.url !== '/mcp') return;
    route.onRequest = [refuse, ...[route.onRequest ?? []].flat()];
    route.onSend = [...[route.onSend ?? []].flat(), count];
  });
}

/** Counts a download until its response has ended. Throws a 429 problem above a limit. */
export function createDownloads() {
  const open = new Tally();
  return (request: FastifyRequest, { raw }: FastifyReply, orgId: string): void => {
    const network = networkOf(request.ip);
    if (open.of(network) >= MAX_PER_NETWORK) throw tooMany('Your address', MAX_PER_NETWORK);
    if (open.of(orgId) >= MAX_PER_ORG) throw tooMany('Your organization', MAX_PER_ORG);
    if (!raw.destroyed) enforceDownloadPace(raw);
    for (const key of [network, orgId]) addUntilClosed(open, key, 1, raw);
  };
}

const tooMany = (whose: string, limit: number) =>
  new AppError(
    'rate_limited',
    `${whose} has ${limit} downloads in progress. Try again when some have ended.`,
    { headers: { 'retry-after': String(SECONDS) } },
  );

function addUntilClosed(tally: Tally, key: string, n: number, response: ServerResponse): void {
  // Its client has gone, and the response will not close again.
  if (response.destroyed) return;
  tally.add(key, n);
  response.once('close', () => tally.add(key, -n));
}
