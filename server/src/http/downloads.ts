// How many files are sent at once. A client that does not read holds a connection, an open file and two pieces of it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../core/networks.js';
import { AppError } from '../core/problems.js';
import { Tally } from '../core/tally.js';
import { enforceDownloadPace } from './connections.js';

/** A browser has six connections to a server. An office may share one address. */
export const MAX_PER_NETWORK = 100;
export const MAX_PER_ORG = 200;
const SECONDS = 5;

/** Counts a download until its response has ended. Throws a 429 problem above a limit. */
export function createDownloads() {
  const open = new Tally();
  return (request: FastifyRequest, { raw }: FastifyReply, orgId: string): void => {
    const network = networkOf(request.ip);
    if (open.of(network) >= MAX_PER_NETWORK) throw tooMany('Your address', MAX_PER_NETWORK);
    if (open.of(orgId) >= MAX_PER_ORG) throw tooMany('Your organization', MAX_PER_ORG);
    // Its client has gone, and the response will not close again.
    if (raw.destroyed) return;
    enforceDownloadPace(raw);
    for (const key of [network, orgId]) {
      open.add(key, 1);
      raw.once('close', () => open.add(key, -1));
    }
  };
}

const tooMany = (whose: string, limit: number) =>
  new AppError(
    'rate_limited',
    `${whose} has ${limit} downloads in progress. Try again when some have ended.`,
    {
      headers: { 'retry-after': String(SECONDS) },
    },
  );
