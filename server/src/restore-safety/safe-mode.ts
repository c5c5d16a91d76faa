// Safe mode in the database: how it begins, and how transactions check it.

import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Reader, Tx } from '../db/database.js';
import { prepareRead, prepareWrite } from '../db/prepared-statements.js';
import {
  counterIn,
  type Evidence,
  type Installation,
  judge,
  RECENT_TAGS_LENGTH,
  TAG_LENGTH,
  type Watermark,
} from './note.js';

export type KnownInstallation = Omit<Evidence, 'database'>;

/** Runs in the transaction that discovers a restore. */
export type OnRestored = (tx: Tx, reason: string) => Promise<void>;

/** What this process knows without asking the store. */
export const onlyRemembered = (remembered: Watermark | null): KnownInstallation => ({
  store: 'absent',
  isNoteExpected: false,
  remembered,
  hasWritten: false,
});

/** Raises the counter; enters safe mode instead if the database is behind what this process remembers. */
export async function raiseCounter(
  tx: Tx,
  remembered: Watermark | null,
  now: number,
  onRestored: OnRestored,
): Promise<Installation> {
  const raised = (await raiseByOne(tx, now, newTag())).rows[0] ?? null;
  // The watermark as it was before this transaction.
  const database = raised && { ...raised, counter: raised.counter - 1 };
  const known = onlyRemembered(remembered);
  const finding = judge({ ...known, database });
  if (finding.kind === 'restored' && (await hasOrganizations(tx))) {
    await onRestored(tx, finding.reason);
    return enterSafeMode(tx, { reason: finding.reason, above: highest(known), now });
  }
  return raised ?? saveInstallation(tx, 1, { noted_at: now });
}

/**
 * Acts on what the store's note revealed, about the row as it is now: other processes may have found out too. Returns the row;
 * null if there is none, or if nothing is done because there are no organizations.
 */
export async function enterIfRestored(
  tx: Tx,
  known: KnownInstallation,
  now: number,
  onRestored: OnRestored,
): Promise<Installation | null> {
  const row = (await tx.selectFrom('installation').selectAll().forUpdate().executeTakeFirst()) ?? null;
  const finding = judge({ ...known, database: row });
  if (finding.kind === 'sound' || finding.kind === 'unreadable') return row;
  if (!(await hasOrganizations(tx))) return null;
  const { reason } = finding;
  await onRestored(tx, reason);
  return enterSafeMode(tx, { reason, above: highest(known), now });
}

/** For a database without organizations, on a store that it has used before: above what the store says. */
export const raiseAbove = (tx: Tx, known: KnownInstallation, now: number): Promise<Installation> =>
  saveInstallation(tx, highest(known) + 1, { noted_at: now });

/**
 * Makes this database the owner of a store that had another one's note. If it has organizations, the posts it knows may have been
 * published by that other database, so it is in safe mode afterwards.
 */
export async function takeNote(tx: Tx, above: number, now: number): Promise<Installation> {
  const row = await tx.selectFrom('installation').selectAll().forUpdate().executeTakeFirst();
  if (row?.safe_since == null && (await hasOrganizations(tx))) {
    const reason = 'The file store belonged to another installation, and the operator gave it to this one.';
    await enterSafeMode(tx, { reason, above, now });
  }
  return saveInstallation(tx, above + 1, { noted_at: now, store_noted: 1 });
}

const newTag = (): string => randomBytes((TAG_LENGTH * 3) / 4).toString('base64url');

/** The recent tags after a raise to this counter. */
const withTag = (counter: ReturnType<typeof sql<number>>, tag: string) =>
  sql<string>`substr(cast(cast(${counter} as bigint) as text) || ':' || cast(${tag} as text) || ' ' || installation.recent_tags, 1, ${sql.lit(RECENT_TAGS_LENGTH)})`;

const NEXT = sql<number>`(installation.counter + 1)`;

const raiseByOne = prepareWrite((tx, now: number, tag: string) =>
  tx
    .updateTable('installation')
    .set({ counter: NEXT, recent_tags: withTag(NEXT, tag), noted_at: now })
    .where('id', '=', sql.lit(1))
    .returningAll(),
);

export const hasOrganizations = async (read: Reader | Tx): Promise<boolean> =>
  (await read.selectFrom('organizations').select('id').limit(1).executeTakeFirst()) !== undefined;

/** The highest counter known besides the database's. */
const highest = ({ store, remembered }: KnownInstallation) =>
  Math.max(counterIn(store), remembered?.counter ?? 0);

interface Beginning {
  reason: string;
  /** A counter that another database may have reached. */
  above: number;
  now: number;
  /** When the backup was taken, if the operator said so. */
  restoredTo?: number | null;
}

/**
 * Begins safe mode, or begins it again. Its counter is above everything ever written, and becomes the epoch of event
 * ids: ids issued since the backup are never issued again.
 */
export async function enterSafeMode(tx: Tx, { reason, above, now, restoredTo }: Beginning) {
  await saveInstallation(tx, above + 1, {
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
  const row = await tx.selectFrom('installation').select('noted_at').forUpdate().executeTakeFirst();
  if (!row || !(await hasOrganizations(tx))) return;
  await raiseByOne(tx, row.noted_at, newTag());
  await beginEpoch(tx);
}

/** Writes the row. The counter never falls: another process may have raised it since. */
async function saveInstallation(
  tx: Tx,
  least: number,
  columns: Partial<Installation> & Pick<Installation, 'noted_at'>,
): Promise<Installation> {
  await tx
    .insertInto('installation')
    .values({
      id: 1,
      installation_id: randomUUID(),
      counter: 0,
      recent_tags: '',
      store_noted: 0,
      epoch: 0,
      ...columns,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const counter = sql<number>`(case when installation.counter < ${least} then ${least} else installation.counter + 1 end)`;
  return tx
    .updateTable('installation')
    .set({ ...columns, counter, recent_tags: withTag(counter, newTag()) })
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

/** Read by each claim, in its own transaction. */
export async function findInstallation(read: Reader | Tx): Promise<Installation | null> {
  return (await findRow(read))[0] ?? null;
}

const findRow = prepareRead((read) =>
  read.selectFrom('installation').selectAll().where('id', '=', sql.lit(1)),
);

/** From now on a store without a note is suspicious. Applies only to the note that was really written. */
export async function rememberStoreNote(tx: Tx, { installationId, counter }: Watermark): Promise<void> {
  await tx
    .updateTable('installation')
    .set({ store_noted: 1 })
    .where('installation_id', '=', installationId)
    .where('counter', '>=', counter)
    .execute();
}
