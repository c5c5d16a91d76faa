// `Idempotency-Key` of requests that leave the database: the record commits with the claim and points at the attempt, so
// its answer is made of what became of that, also when the first request has died.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../api/app.js';
import { callerOf } from '../api/caller.js';
import {
  type Answer,
  fingerprintOf,
  KeptRecord,
  keyOf,
  send,
  serialize,
  stillUnderWay,
} from '../api/idempotency.js';
import type { Tx } from '../db/database.js';
import { AppError } from '../ground/problems.js';

/** How a route that leads to an attempt works: nothing of the attempt is done before its record is kept. */
export interface AttemptSteps<Prepared> {
  /** What can be refused before anything is written. */
  prepare(): Promise<Prepared>;
  /** Opens the attempt, by its id. */
  claim(tx: Tx, prepared: Prepared): Promise<string>;
  /** Carries it out. */
  carryOut(dispatchId: string, prepared: Prepared): Promise<void>;
  /** What the attempt has come to: its answer, a problem, or that it is open, or that it came to nothing at all. */
  answer(dispatchId: string): Promise<Answer | 'open' | 'nothing'>;
}

/** Carries an attempt out at most once per Idempotency-Key, and answers. What came to nothing may be tried again. */
export async function onceByAttempt<Prepared>(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  steps: AttemptSteps<Prepared>,
): Promise<FastifyReply> {
  const key = keyOf(request);
  const record =
    key === null ? null : new KeptRecord(app, callerOf(request).orgId, key, fingerprintOf(request, ''));
  const earlier = await record?.find(app.db.read);
  let spent: string | null = null;
  if (earlier && 'problem' in earlier) {
    reply.header('idempotency-replayed', 'true');
    throw new AppError(earlier.problem.code, earlier.problem.detail, earlier.problem);
  }
  if (earlier && 'dispatchId' in earlier) {
    const answer = await steps.answer(earlier.dispatchId).catch((error) => {
      // Nothing was taken: that is no answer to keep, and the same request may begin again.
      if (error instanceof AppError && error.status === 503) return 'nothing' as const;
      reply.header('idempotency-replayed', 'true');
      throw error;
    });
    if (answer === 'open') throw stillUnderWay();
    if (answer !== 'nothing') {
      reply.header('idempotency-replayed', 'true');
      return send(reply, { ...answer, text: serialize(reply, answer) });
    }
    spent = earlier.dispatchId;
  }
  let prepared: Prepared;
  let dispatchId: string;
  try {
    prepared = await steps.prepare();
    const work = (tx: Tx) => steps.claim(tx, prepared);
    dispatchId = record ? await record.pointAtAttempt(work, spent) : await app.db.transact(work);
  } catch (error) {
    if (record && spent === null) await record.keepProblem(error);
    throw error;
  }
  const answer = await sureOf(async () => {
    await steps.carryOut(dispatchId, prepared);
    return steps.answer(dispatchId);
  });
  if (answer === 'open' || answer === 'nothing') throw record ? stillUnderWay() : takenOver();
  return send(reply, { ...answer, text: serialize(reply, answer) });
}

/** From the claim on, a failure of ours does not say that nothing was sent: the attempt lives on without the request. */
async function sureOf<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError && error.code !== 'unavailable' ? error : takenOver(error);
  }
}

/** Whoever has waited so long that others have taken the attempt over can only ask what became of it. */
const takenOver = (cause?: unknown) =>
  new AppError(
    'platform_timeout',
    'The attempt goes on without this request. Ask for the status of the post instead of repeating the request.',
    { cause },
  );
