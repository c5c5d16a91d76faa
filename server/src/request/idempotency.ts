// `Idempotency-Key`: the first response to a key is repeated for all requests with that key, for 24 hours.
//
// The record is written in the transaction of the work itself, so neither ever exists without the other. A concurrent request
// with the same key waits for the record's row until the first has committed, and then gets its response.

import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app/app.js';
import { NIL_UUID } from '../core/ids.js';
import { invalid } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import { type Caller, callerOf } from './caller.js';
import { IdempotencyRecord, inProgressError } from './idempotency-record.js';

/** The response of a writing route. */
export interface RouteResponse {
  status: number;
  location?: string;
  /** The ETag of what the body shows. A replay repeats it, and so says which version was the response then. */
  etag?: string;
  body: Record<string, unknown>;
}

type Work = (tx: Tx) => Promise<RouteResponse>;

/** Stands for the organization in the records of the operator's requests. */
const OPERATOR = NIL_UUID;

/**
 * Runs the work of a writing route in one transaction, at most once per Idempotency-Key, and sends its response. What it plans with
 * `afterCommit` is done between its commit and the response, and not with a repeated response: its work was rolled back, or never begun.
 * `record`: by default the organization's.
 */
export async function idempotent(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
  record = idempotencyRecordOf(app, request),
): Promise<FastifyReply> {
  const run = async (tx: Tx) => {
    const { status, location, etag, body } = await work(tx);
    // By the route's own response schema, like any other response.
    return { status, location, etag, text: reply.serializeInput(body, String(status)) as string };
  };
  const { stored, replayed } =
    record === null ? { stored: await app.db.transact(run), replayed: false } : await record.answer(run);
  if (replayed) reply.header('idempotency-replayed', 'true');
  if (stored.location !== undefined) reply.header('location', stored.location);
  if (stored.etag !== undefined) reply.header('etag', stored.etag);
  return reply
    .code(stored.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(stored.text);
}

interface InTwoSteps<Prepared> {
  prepare(): Promise<Prepared>;
  work(tx: Tx, prepared: Prepared): Promise<RouteResponse>;
  /** Gives up what was prepared, unless a commit has used it after all. */
  discard(prepared: Prepared): Promise<void>;
  /** Whether only the caller that made the first request gets its response again, as with `idempotentPerCaller`. */
  isPerCaller?: true;
}

/** For work that begins outside the database, such as copying files. Nothing is prepared if the key has a response already. */
export async function idempotentWithPrepare<Prepared>(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { prepare, work, discard, isPerCaller }: InTwoSteps<Prepared>,
): Promise<FastifyReply> {
  const record = idempotencyRecordOf(app, request, isPerCaller && callerIdOf(callerOf(request)));
  const hasResponse = (await record?.hasResponse()) ?? false;
  const step = hasResponse
    ? null
    : await prepare().then(
        (prepared) => ({ prepared }),
        // Thrown in the transaction, so that a refusal is stored as the response.
        (error: unknown) => ({ error }),
      );
  let isUsed = false;
  try {
    const prepared = async (tx: Tx) => {
      if (step === null) throw inProgressError();
      if ('error' in step) throw step.error;
      const answer = await work(tx, step.prepared);
      isUsed = true;
      return answer;
    };
    return await idempotent(app, request, reply, prepared, record);
  } catch (error) {
    isUsed = false;
    throw error;
  } finally {
    if (step && 'prepared' in step && !isUsed) await discard(step.prepared);
  }
}

/** For responses that hold a secret, signed URLs too: only the person or the key that made it is shown it again. */
export async function idempotentPerCaller(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
) {
  return idempotent(
    app,
    request,
    reply,
    work,
    idempotencyRecordOf(app, request, callerIdOf(callerOf(request))),
  );
}

const callerIdOf = (caller: Caller) => (caller.via === 'session' ? caller.personId : caller.keyId);

export async function idempotentForOperator(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
) {
  return idempotent(app, request, reply, work, idempotencyRecordOf(app, request, '', OPERATOR));
}

/** Null without an Idempotency-Key. */
export function idempotencyRecordOf(
  app: App,
  request: FastifyRequest,
  boundTo = '',
  orgId = callerOf(request).orgId,
): IdempotencyRecord | null {
  const { method, url, body, headers } = request;
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalid([
      { pointer: '/Idempotency-Key', message: 'must have 1 to 255 visible ASCII characters without spaces' },
    ]);
  // Requests are the same if method, URL and body are; whitespace in the JSON does not matter. `If-Match` is not part of it: it says
  // when the request may run, and a client that was refused with 412 repeats the request with another one.
  const fingerprint = hash('sha256', JSON.stringify([method, url, boundTo, body ?? null]), 'hex');
  return new IdempotencyRecord(app, orgId, key, fingerprint);
}
