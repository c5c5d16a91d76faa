// Imports of a process: one at a time, and few bodies of 5 MB in memory.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../api/app.js';
import { callerOf } from '../../api/caller.js';
import { fairly } from '../../ground/concurrency.js';
import { AppError, busy } from '../../ground/problems.js';
import { Tally } from '../../ground/tally.js';

const MAX_OF_ORGANIZATION = 3;
const MAX_OF_PROCESS = 12;
const SECONDS = 5;

/** One at a time: on SQLite other writes wait while an import is written, and are served between two of them. */
const newQueue = () => fairly({ most: 1, perKey: 1, waiting: MAX_OF_ORGANIZATION });

const newCounts = () => new Tally();

/** Before the body is read. It counts until the response is sent, or its connection is gone. */
export function admitImport(app: App, request: FastifyRequest, reply: FastifyReply): void {
  // Its client has gone, and the response will not close again.
  if (reply.raw.destroyed) throw new AppError('request_timeout', 'The client has closed the connection.');
  const counts = app.perProcess(newCounts);
  const { orgId } = callerOf(request);
  if (counts.of(orgId) >= MAX_OF_ORGANIZATION || counts.total >= MAX_OF_PROCESS)
    throw busy('Other imports are in progress. Try again when they are done.', SECONDS);
  counts.add(orgId, 1);
  reply.raw.once('close', () => counts.add(orgId, -1));
}

/** Organizations take turns. One whose client is gone leaves the queue: another import was admitted instead. */
export async function queueImport<T>(
  app: App,
  orgId: string,
  gone: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const result = app.perProcess(newQueue)(orgId, work, { evenIfFull: true, signal: gone });
  if (result === null) throw new Error('a queue that takes everyone has refused');
  return result;
}
