// Safe mode in the database: how it begins, and how transactions check it.

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { writeOnce } from '../db/compiled-once.js';
import type { Tx } from '../db/database.js';
import { type Evidence, evidenceOfRestore, type Installation, type Note } from './note.js';

export type Known = Omit<Evidence, 'database'>;

/** Runs in the transaction that discovers a restore. */
export type OnRestored = (tx: Tx, reason: string) => Promise<void>;

/** Raises the counter, or enters safe mode if the evidence says that the database was restored. */
export async function raiseCounter(
  tx: Tx,
  known: Known,
  now: number,
  onRestored: OnRestored,
): Promise<Installation> {
  const raised = (await raiseByOne(tx, now)).rows[0] ?? null;
  // As it was before this transaction.
  const database = raised && { ...raised, counter: raised.counter - 1 };
  const reason = evidenceOfRestore({ ...known, database });
  if (reason !== null && (await hasOrganizations(tx))) {
    await onRestored(tx, reason);
    return enterSafeMode(tx, { reason, known, now });
  }
  if (raised && reason === null) return raised;
  // The first start, or an empty database on a store that was already in use.
  return keep(tx, { counter: above(raised, known), noted_at: now });
}

const raiseByOne = writeOnce((tx, now: number) =>
  tx
    .updateTable('installation')
    .set((eb) => ({ counter: eb('counter', '+', sql.lit(1)), noted_at: now }))
    .where('id', '=', sql.lit(1))
    .returningAll(),
);

const hasOrganizations = async (tx: Tx): Promise<boolean> =>
  (await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()) !== undefined;

const above = (row: Installation | null, { store, remembered }: Known) =>
  Math.max(row?.counter ?? 0, store?.counter ?? 0, remembered?.counter ?? 0) + 1;

interface Beginning {
  reason: string;
  known: Known;
  now: number;
  /** When the backup was taken, if the operator said so. */
  restoredTo?: number | null;
}

/**
 * Begins safe mode, or begins it again. Its counter is above everything ever written, and becomes the epoch of event
 * ids: ids issued since the backup are never issued again.
 */
export async function enterSafeMode(tx: Tx, { reason, known, now, restoredTo }: Beginning) {
  const row = await tx.selectFrom('installation').selectAll().forUpdate().executeTakeFirst();
  const counter = above(row ?? null, known);
  await keep(tx, {
    counter,
    noted_at: now,
    // The store's present note belongs to the other database.
    store_noted: 0,
    safe_since: now,
    safe_reason: reason,
    restored_to: restoredTo ?? null,
    released_at: null,
    first_sweep: null,
  });
  return beginEpoch(tx);
}

/** Without the store's note, events could get ids that a newer database has already issued. */
export async function beginEpochUnchecked(tx: Tx): Promise<void> {
  const row = await tx.selectFrom('installation').select('counter').forUpdate().executeTakeFirst();
  if (!row || !(await hasOrganizations(tx))) return;
  await tx
    .updateTable('installation')
    .set({ counter: row.counter + 1 })
    .execute();
  await beginEpoch(tx);
}

async function keep(
  tx: Tx,
  columns: Partial<Installation> & Pick<Installation, 'counter' | 'noted_at'>,
): Promise<Installation> {
  return tx
    .insertInto('installation')
    .values({ id: 1, installation_id: randomUUID(), store_noted: 0, epoch: 0, ...columns })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        ...columns,
        // Another process may have inserted the row and raised it since. The counter never falls.
        counter: sql<number>`case when installation.counter < excluded.counter then excluded.counter else installation.counter + 1 end`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Makes the counter the new epoch; each organization's last event ends the old one. Locks the event counters. */
async function beginEpoch(tx: Tx): Promise<Installation> {
  const row = await tx
    .updateTable('installation')
    .set((eb) => ({ epoch: eb.ref('counter') }))
    .returningAll()
    .executeTakeFirstOrThrow();
  const { epoch } = row;
  await tx.selectFrom('event_counters').select('org_id').orderBy('org_id').forUpdate().execute();
  // An epoch without events is replaced: repeated starts without a store must not fill the table.
  await tx
    .deleteFrom('event_epochs')
    .where('after_seq', '>=', (eb) =>
      eb.fn.coalesce(
        eb
          .selectFrom('event_counters')
          .select('last')
          .whereRef('event_counters.org_id', '=', 'event_epochs.org_id'),
        sql.lit(0),
      ),
    )
    .execute();
  await tx
    .insertInto('event_epochs')
    .columns(['org_id', 'epoch', 'after_seq'])
    .expression((eb) =>
      eb
        .selectFrom('organizations')
        .leftJoin('event_counters', 'event_counters.org_id', 'organizations.id')
        .select([
          'organizations.id as org_id',
          sql<number>`cast(${epoch} as bigint)`.as('epoch'),
          sql<number>`coalesce(event_counters.last, 0)`.as('after_seq'),
        ]),
    )
    .execute();
  return row;
}

/** What the database alone reveals: whether it is behind what this process wrote. */
export async function checkDatabase(
  tx: Tx,
  remembered: Note | null,
  now: number,
  onRestored: OnRestored,
): Promise<Installation | null> {
  const row = (await tx.selectFrom('installation').selectAll().forUpdate().executeTakeFirst()) ?? null;
  const known = { store: null, isNoteExpected: false, remembered };
  const reason = remembered && evidenceOfRestore({ ...known, database: row });
  if (!reason || !(await hasOrganizations(tx))) return row;
  await onRestored(tx, reason);
  return enterSafeMode(tx, { reason, known, now });
}

/** Read by each claim, in its own transaction. */
export async function findInstallation(tx: Tx): Promise<Installation | null> {
  return (await find(tx)).rows[0] ?? null;
}

const find = writeOnce((tx) => tx.selectFrom('installation').selectAll().where('id', '=', sql.lit(1)));

/** From now on a store without a note is suspicious. Applies only to the note that was really written. */
export async function rememberStoreNote(tx: Tx, { installationId, counter }: Note): Promise<void> {
  await tx
    .updateTable('installation')
    .set({ store_noted: 1 })
    .where('installation_id', '=', installationId)
    .where('counter', '>=', counter)
    .execute();
}
