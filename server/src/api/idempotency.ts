// `Idempotency-Key`: the first answer to a key is the answer to all its repetitions, for 24 hours.
//
// The record is written in the transaction of the work itself, so there is no moment in which one exists without the
// other. A twin that runs at the same time waits at the record's key until the first has committed, and then gets its
// answer. Of failures only 409 and 422 are kept: the others invite the caller to mend the request and try again.
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reader, Tx } from '../db/database.js';
import { AppError, type FieldError, invalid, type ProblemCode } from '../ground/problems.js';
import type { App } from './app.js';
import { callerOf } from './caller.js';

/** What a writing route answers. */
export interface Answer {
  status: number;
  location?: string;
  body: Record<string, unknown>;
}

type Work = (tx: Tx) => Promise<Answer>;

/** What is kept of an answer: the bytes of a success, or what a problem is made of. */
type Kept =
  | { status: number; location?: string | undefined; text: string }
  | { problem: { code: ProblemCode; detail: string; fields: FieldError[]; headers: Record<string, string> } };

export const KEPT_MS = 24 * 3600 * 1000;

/** Stands in for an organization in the records of the operator's requests. */
const OPERATOR = '00000000-0000-0000-0000-000000000000';

/** Runs the work of a writing route in one transaction, at most once per Idempotency-Key, and sends its answer. */
export function idempotent(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  work: Work,
): Promise<FastifyReply> {
  return answerOnce(app, request, reply, callerOf(request).orgId, '', work);
}

/** For answers that hold a secret: only the same person, or a key with the very same scopes, is shown it again. */
export function idempotentPerCaller(app: App, request: FastifyRequest, reply: FastifyReply, work: Work) {
  const caller = callerOf(request);
  const who = caller.via === 'session' ? caller.personId : [...caller.scopes].sort().join(' ');
  return answerOnce(app, request, reply, caller.orgId, who, work);
}

export function idempotentForOperator(app: App, request: FastifyRequest, reply: FastifyReply, work: Work) {
  return answerOnce(app, request, reply, OPERATOR, '', work);
}

export const stillUnderWay = () =>
  new AppError(
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still under way. Ask again in a moment.',
    { headers: { 'retry-after': '2' } },
  );

async function answerOnce(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  orgId: string,
  boundTo: string,
  work: Work,
): Promise<FastifyReply> {
  const key = keyOf(request);
  if (key === null) {
    const answer = await app.db.transact(work);
    return send(reply, { ...answer, text: serialize(reply, answer) });
  }
  const record = new KeptRecord(app, orgId, key, fingerprintOf(request, boundTo));
  const { kept, replayed } = await record.answer(async (tx) => {
    const answer = await work(tx);
    return { status: answer.status, location: answer.location, text: serialize(reply, answer) };
  });
  if (replayed) reply.header('idempotency-replayed', 'true');
  if ('problem' in kept) throw new AppError(kept.problem.code, kept.problem.detail, kept.problem);
  return send(reply, kept);
}

/** By the route's own response schema, like any other answer. */
export const serialize = (reply: FastifyReply, { body, status }: Answer) =>
  reply.serializeInput(body, String(status)) as string;

export function send(
  reply: FastifyReply,
  { status, location, text }: { status: number; location?: string | undefined; text: string },
) {
  if (location !== undefined) reply.header('location', location);
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(text);
}

/** What says that the key itself is the trouble must not become its answer. */
const ABOUT_THE_KEY: readonly string[] = ['idempotency_key_reused', 'idempotency_key_in_use'];

const isKept = (error: unknown): error is AppError =>
  error instanceof AppError &&
  (error.status === 409 || error.status === 422) &&
  !ABOUT_THE_KEY.includes(error.code);

export class KeptRecord {
  private readonly app: App;
  private readonly orgId: string;
  private readonly key: string;
  private readonly fingerprint: string;

  constructor(app: App, orgId: string, key: string, fingerprint: string) {
    this.app = app;
    this.orgId = orgId;
    this.key = key;
    this.fingerprint = fingerprint;
  }

  async answer(work: (tx: Tx) => Promise<Kept>): Promise<{ kept: Kept; replayed: boolean }> {
    try {
      return await this.inOneTransaction(work);
    } catch (error) {
      if (!isKept(error)) throw error;
      // The work was rolled back with its record; what is kept now is only that it was refused.
      const { code, message: detail, fields, headers } = error;
      const problem = { code, detail, fields, headers };
      return this.inOneTransaction(async () => ({ problem }));
    }
  }

  private inOneTransaction(work: (tx: Tx) => Promise<Kept>) {
    return this.app.db.transact(async (tx) => {
      if (!(await this.begin(tx))) {
        const kept = await this.find(tx);
        if (!kept || 'dispatchId' in kept) throw stillUnderWay();
        return { kept, replayed: true };
      }
      const kept = await work(tx);
      await tx
        .updateTable('idempotency_records')
        .set({ answer: this.app.seal.close(JSON.stringify(kept), this.place) })
        .where('org_id', '=', this.orgId)
        .where('key', '=', this.key)
        .execute();
      return { kept, replayed: false };
    });
  }

  /** True if the key is ours to answer: never used, or so long ago that it is forgotten. */
  private async begin(tx: Tx): Promise<boolean> {
    const now = this.app.clock.now();
    const { org_id, ...values } = {
      org_id: this.orgId,
      fingerprint: this.fingerprint,
      answer: null,
      dispatch_id: null,
      created_at: now,
    };
    const begun = await tx
      .insertInto('idempotency_records')
      .values({ org_id, key: this.key, ...values })
      .onConflict((conflict) =>
        conflict
          .columns(['org_id', 'key'])
          .doUpdateSet(values)
          .where('idempotency_records.created_at', '<=', now - KEPT_MS),
      )
      .returning('key')
      .executeTakeFirst();
    return begun !== undefined;
  }

  /** Opens an attempt and keeps where it is. `spent` is an earlier one of the same key that came to nothing. */
  pointAtAttempt(claim: (tx: Tx) => Promise<string>, spent: string | null): Promise<string> {
    return this.app.db.transact(async (tx) => {
      if (spent === null ? !(await this.begin(tx)) : !(await this.beginAgain(tx, spent)))
        throw stillUnderWay();
      const dispatchId = await claim(tx);
      await tx
        .updateTable('idempotency_records')
        .set({ dispatch_id: dispatchId })
        .where('org_id', '=', this.orgId)
        .where('key', '=', this.key)
        .execute();
      return dispatchId;
    });
  }

  /** Of two who come back for the same spent attempt, one begins. */
  private async beginAgain(tx: Tx, spent: string): Promise<boolean> {
    const { numUpdatedRows } = await tx
      .updateTable('idempotency_records')
      .set({ dispatch_id: null, created_at: this.app.clock.now() })
      .where('org_id', '=', this.orgId)
      .where('key', '=', this.key)
      .where('dispatch_id', '=', spent)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** A refusal is the answer to all repetitions, if it is of the kind that is kept. */
  async keepProblem(error: unknown): Promise<void> {
    if (!isKept(error)) return;
    const { code, message: detail, fields, headers } = error;
    await this.inOneTransaction(async () => ({ problem: { code, detail, fields, headers } }));
  }

  /** What is kept of the key, unless that is too old. */
  async find(read: Reader): Promise<Kept | { dispatchId: string } | null> {
    const record = await read
      .selectFrom('idempotency_records')
      .select(['fingerprint', 'answer', 'dispatch_id', 'created_at'])
      .where('org_id', '=', this.orgId)
      .where('key', '=', this.key)
      .executeTakeFirst();
    if (!record || record.created_at <= this.app.clock.now() - KEPT_MS) return null;
    if (record.fingerprint !== this.fingerprint)
      throw new AppError(
        'idempotency_key_reused',
        'This Idempotency-Key belongs to another request. Use a new key for a new request.',
      );
    if (record.dispatch_id !== null) return { dispatchId: record.dispatch_id };
    return JSON.parse(this.app.seal.open(record.answer as string, this.place)) as Kept;
  }

  private get place() {
    return [this.orgId, this.key, 'idempotency_records.answer'];
  }
}

export function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalid([
    { pointer: '/Idempotency-Key', message: 'must have 1 to 255 visible ASCII characters without spaces' },
  ]);
}

/** The same request is the same method, address and body; how the JSON was spaced does not matter. */
export function fingerprintOf(request: FastifyRequest, boundTo: string): string {
  const { method, url, body } = request;
  return hash('sha256', JSON.stringify([method, url, boundTo, body ?? null]), 'hex');
}
