// The record of one Idempotency-Key: which request may answer it, and its response.

import type { App } from '../app/app.js';
import { DAY_MS } from '../core/durations.js';
import { AppError, type FieldError, type ProblemCode } from '../core/problems.js';
import type { Reader, Tx } from '../db/database.js';
import { sealedTable } from '../db/sealed-table.js';

/** What is stored of a response: the bytes of a success, or the parts of a problem. */
export type StoredResponse =
  | StoredSuccess
  | { problem: { code: ProblemCode; detail: string; fields: FieldError[]; headers: Record<string, string> } };

export interface StoredSuccess {
  status: number;
  location?: string | undefined;
  etag?: string | undefined;
  text: string;
}

export const IDEMPOTENCY_RETENTION_MS = DAY_MS;

/** A problem about the key itself must not become the key's response. */
const ABOUT_THE_KEY: readonly string[] = ['idempotency_key_reused', 'idempotency_key_in_use'];

export const inProgressError = () =>
  new AppError(
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still in progress. Try again in a moment.',
    { headers: { 'retry-after': '2' } },
  );

/** The same problem, marked as the response to an earlier request. */
export const asReplay = ({ code, message, fields, headers }: AppError): AppError =>
  new AppError(code, message, { fields, headers: { ...headers, 'idempotency-replayed': 'true' } });

export const SEALED_RESPONSES = sealedTable('idempotency_records', {
  key: ['org_id', 'key'],
  columns: ['response'],
});

export class IdempotencyRecord {
  private readonly app: App;
  private readonly row: { org_id: string; key: string };
  private readonly fingerprint: string;

  constructor(app: App, org_id: string, key: string, fingerprint: string) {
    this.app = app;
    this.row = { org_id, key };
    this.fingerprint = fingerprint;
  }

  /** Runs the work in the transaction of the record. If the key has a response already, that is the answer instead. */
  async answer(
    work: (tx: Tx) => Promise<StoredSuccess>,
  ): Promise<{ stored: StoredSuccess; replayed: boolean }> {
    // After a refusal, the work was rolled back with its record; now only the refusal is stored.
    const answered = this.inOneTransaction(work).catch((error: unknown) => this.storeRefusal(error));
    const { stored, replayed } = await answered;
    if (!('problem' in stored)) return { stored, replayed };
    const problem = new AppError(stored.problem.code, stored.problem.detail, stored.problem);
    throw replayed ? asReplay(problem) : problem;
  }

  /**
   * A refusal is the response to all repetitions. Of the failures only 409 and 422 are stored: the others invite the client to correct
   * the request and try again, and are thrown again here.
   */
  async storeRefusal(error: unknown): Promise<{ stored: StoredResponse; replayed: boolean }> {
    const isKept =
      error instanceof AppError &&
      (error.status === 409 || error.status === 422) &&
      !ABOUT_THE_KEY.includes(error.code);
    if (!isKept) throw error;
    const { code, message: detail, fields, headers } = error;
    return this.inOneTransaction(async () => ({ problem: { code, detail, fields, headers } }));
  }

  private inOneTransaction(work: (tx: Tx) => Promise<StoredResponse>) {
    return this.app.db.transact(async (tx) => {
      if (!(await this.claimKey(tx))) {
        const stored = await this.find(tx);
        if (!stored || 'dispatchId' in stored) throw inProgressError();
        return { stored, replayed: true };
      }
      const stored = await work(tx);
      await tx
        .updateTable('idempotency_records')
        .set({
          response: this.app.seal.seal(
            JSON.stringify(stored),
            SEALED_RESPONSES.contextOf(this.row, 'response'),
          ),
        })
        .where(({ and }) => and(this.row))
        .execute();
      return { stored, replayed: false };
    });
  }

  /** Whether the key has a response already. */
  async hasResponse(): Promise<boolean> {
    return (await this.find(this.app.db.read)) !== null;
  }

  /** The attempt that this key points at; null if the key is new. Fails with the problem that was stored, if any. */
  async findAttempt(): Promise<string | null> {
    const stored = await this.find(this.app.db.read);
    if (stored && 'dispatchId' in stored) return stored.dispatchId;
    if (stored && 'problem' in stored)
      throw asReplay(new AppError(stored.problem.code, stored.problem.detail, stored.problem));
    return null;
  }

  /** Takes the key in the transaction of a claim. `spent`: an earlier attempt of the same key of which nothing came. */
  async begin(tx: Tx, spent: string | null): Promise<void> {
    if (spent === null) {
      if (!(await this.claimKey(tx))) throw inProgressError();
      return;
    }
    // If two requests repeat the same spent attempt, only one of them begins.
    const { numUpdatedRows } = await tx
      .updateTable('idempotency_records')
      .set({ dispatch_id: null, created_at: this.app.clock.now() })
      .where(({ and }) => and(this.row))
      .where('dispatch_id', '=', spent)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw inProgressError();
  }

  /** From this commit on, the response is built from the attempt. */
  async linkAttempt(tx: Tx, dispatchId: string): Promise<void> {
    await tx
      .updateTable('idempotency_records')
      .set({ dispatch_id: dispatchId })
      .where(({ and }) => and(this.row))
      .execute();
  }

  /** True if this request may answer the key: it was never used, or its record has expired. */
  private async claimKey(tx: Tx): Promise<boolean> {
    const now = this.app.clock.now();
    const values = { fingerprint: this.fingerprint, response: null, dispatch_id: null, created_at: now };
    const begun = await tx
      .insertInto('idempotency_records')
      .values({ ...this.row, ...values })
      .onConflict((conflict) =>
        conflict
          .columns(['org_id', 'key'])
          .doUpdateSet(values)
          .where('idempotency_records.created_at', '<=', now - IDEMPOTENCY_RETENTION_MS),
      )
      .returning('key')
      .executeTakeFirst();
    return begun !== undefined;
  }

  /** What is stored for the key, unless it has expired. */
  private async find(read: Reader): Promise<StoredResponse | { dispatchId: string } | null> {
    const record = await read
      .selectFrom('idempotency_records')
      .select(['fingerprint', 'response', 'dispatch_id', 'created_at'])
      .where(({ and }) => and(this.row))
      .executeTakeFirst();
    if (!record || record.created_at <= this.app.clock.now() - IDEMPOTENCY_RETENTION_MS) return null;
    if (record.fingerprint !== this.fingerprint)
      throw new AppError(
        'idempotency_key_reused',
        'This Idempotency-Key belongs to another request. Use a new key for a new request.',
      );
    if (record.dispatch_id !== null) return { dispatchId: record.dispatch_id };
    const context = SEALED_RESPONSES.contextOf(this.row, 'response');
    return JSON.parse(this.app.seal.unseal(record.response as string, context)) as StoredResponse;
  }
}
