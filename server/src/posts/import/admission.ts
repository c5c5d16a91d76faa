// How many imports a process has in memory: a body may have 5 MB. They then wait in `app.queues.importPosts`.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app/app.js';
import { AppError, busy } from '../../core/problems.js';
import { callerOf } from '../../request/caller.js';

const MAX_PER_ORGANIZATION = 3;
const MAX_IMPORTS = 12;
const SECONDS = 5;

/** Before the body is read. It counts until the response is sent, or its connection is gone. */
export function admitImport(
  { state: { admittedImports } }: { state: Pick<App['state'], 'admittedImports'> },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  // Its client has gone, and the response will not close again.
  if (reply.raw.destroyed) throw new AppError('request_timeout', 'The client has closed the connection.');
  const { orgId } = callerOf(request);
  if (admittedImports.of(orgId) >= MAX_PER_ORGANIZATION || admittedImports.total >= MAX_IMPORTS)
    throw busy('Other imports are in progress. Try again when they are done.', SECONDS);
  admittedImports.add(orgId, 1);
  reply.raw.once('close', () => admittedImports.add(orgId, -1));
}
