// Imports of a process: one at a time, and few bodies of 5 MB in memory.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../api/app.js';
import { callerOf } from '../../api/caller.js';
import { fairly } from '../../ground/concurrency.js';
import { AppError, busy } from '../../ground/problems.js';

const MAX_OF_ORGANIZATION = 3;
const MOST = 12;
const SECONDS = 5;

/** One at a time: on SQLite other writes wait while an import is written, and get their turn between two of them. */
const newLine = () => fairly({ most: 1, perKey: 1, waiting: MAX_OF_ORGANIZATION });

const newCounts = () => new Map<string, number>();

/** Before the body is read. The place is free again when the response is sent, or its connection is gone. */
export function admitImport(app: App, request: FastifyRequest, reply: FastifyReply): void {
  // Its client has gone, and the response will not close again.
  if (reply.raw.destroyed) throw new AppError('request_timeout', 'The client has closed the connection.');
  const counts = app.perProcess(newCounts);
  const { orgId } = callerOf(request);
  const own = counts.get(orgId) ?? 0;
  const all = [...counts.values()].reduce((sum, n) => sum + n, 0);
  if (own >= MAX_OF_ORGANIZATION || all >= MOST)
    throw busy('Other imports are in progress. Try again when they are done.', SECONDS);
  counts.set(orgId, own + 1);
  reply.raw.once('close', () => {
    const left = (counts.get(orgId) ?? 1) - 1;
    if (left > 0) counts.set(orgId, left);
    else counts.delete(orgId);
  });
}

/** Organizations take turns. One whose client is gone leaves the line: its place was given to the next. */
export async function importInTurn<T>(
  app: App,
  orgId: string,
  gone: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const result = app.perProcess(newLine)(orgId, work, { evenIfFull: true, signal: gone });
  if (result === null) throw new Error('a line that takes everyone has refused');
  return result;
}
