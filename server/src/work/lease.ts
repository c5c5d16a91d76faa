// Which worker owns a piece of work. A lease is columns of the work's own row: a fence number, and until when the work is owned.
// Acquiring and releasing raise the fence, and every write of an owner names it, so a worker that was paused beyond its lease
// changes nothing. When a lease ends without a release, its owner has died, and another worker may acquire it.
import type { RawBuilder } from 'kysely';
import type { App } from '../app/app.js';
import { toLogFields } from '../core/log.js';
import { anyTable } from '../db/any-table.js';
import type { Tx } from '../db/database.js';
import { prepareColumnWrite, prepareRead, prepareWrite } from '../db/prepared-statements.js';
import type { Tables } from '../db/tables.js';

export interface LeaseColumns<Key extends string, End extends string> {
  readonly table: keyof Tables;
  /** The organization, the id, and the fence. */
  readonly key: readonly [orgId: Key, id: Key, fence: Key];
  /** The columns that hold the end of the lease: until when the work is owned, and when another worker may pick it up. */
  readonly ends: readonly End[];
  /** How long a lease lasts. */
  ms(app: Pick<App, 'config'>): number;
}

export interface Lease<Row, Owned> {
  ms(app: Pick<App, 'config'>): number;
  /** Makes the statement that takes work over, if its fence is still the one that was read and it is free. */
  acquireIf<Args extends unknown[]>(
    isFree: (...args: Args) => RawBuilder<unknown>,
  ): (tx: Tx, seen: Owned, until: number, ...args: Args) => Promise<Row | null>;
  /** Moves the end of the lease. */
  renew(tx: Tx, owned: Owned, until: number): Promise<boolean>;
  /** Changes the row under the lease. */
  update(tx: Tx, owned: Owned, changes: Partial<Row>): Promise<boolean>;
  /** Ends the lease; the changes say when a worker next picks the work up. A heartbeat that is on its way finds another fence. */
  release(tx: Tx, owned: Owned, changes: Partial<Row>): Promise<boolean>;
  /** The fence after a release, for a write that changes the rest of the row too. */
  raised(owned: Owned): Partial<Row>;
  /** The row, locked. */
  lockIfOwner(tx: Tx, owned: Owned): Promise<Row | null>;
  /** The id and the fence, which name a lease in this process. */
  idOf(owned: Owned): string;
}

/** All but `acquireIf` act only while the fence is the owner's, and tell whether it was. */
export function createLease<Row extends object, Key extends keyof Row & string>({
  table,
  key,
  ends,
  ms,
}: LeaseColumns<Key, keyof Row & string>): Lease<Row, Pick<Row, Key>> {
  const [org, id, fence]: readonly [string, string, string] = key;
  const args = (row: Pick<Row, Key>) =>
    key.map((column) => row[column]) as unknown as [string, string, number];
  const toAll = <T>(value: T) => Object.fromEntries(ends.map((column) => [column, value]));
  const owned = (tx: Tx, changes: object, orgId: string, rowId: string, number: number) =>
    anyTable(tx)
      .updateTable(table)
      .set(changes)
      .where(org, '=', orgId)
      .where(id, '=', rowId)
      .where(fence, '=', number); // mutant: owner-fence
  const write = prepareColumnWrite(owned);
  const lock = prepareRead((tx: Tx, orgId: string, rowId: string, number: number) =>
    anyTable(tx)
      .selectFrom(table)
      .selectAll()
      .where(org, '=', orgId)
      .where(id, '=', rowId)
      .where(fence, '=', number) // mutant: settling-fence
      .forUpdate(),
  );
  const raised = (row: Pick<Row, Key>) => {
    const next = args(row)[2] + 1; // mutant: fence-of-settling
    return { [fence]: next } as unknown as Partial<Row>;
  };
  const update = async (tx: Tx, row: Pick<Row, Key>, changes: object) => {
    const { numAffectedRows } = await write(tx, changes, ...args(row));
    return (numAffectedRows ?? 0n) > 0n;
  };

  return {
    ms,
    acquireIf(isFree) {
      const acquire = prepareWrite(
        (
          tx,
          until: number,
          orgId: string,
          rowId: string,
          number: number,
          ...more: Parameters<typeof isFree>
        ) => {
          const raised = owned(tx, toAll(until), orgId, rowId, number).set((eb) => ({
            [fence]: eb(fence, '+', 1), // mutant: fence-of-acquiring
          }));
          return raised.where(isFree(...more) as RawBuilder<boolean>).returningAll();
        },
      );
      return async (tx, seen, until, ...more) => {
        const { rows } = await acquire(tx, until, ...args(seen), ...more);
        return (rows[0] as Row | undefined) ?? null;
      };
    },
    renew: (tx, row, until) => update(tx, row, toAll(until)),
    update,
    release: (tx, row, changes) => update(tx, row, { ...toAll(null), ...raised(row), ...changes }),
    raised,
    async lockIfOwner(tx, row) {
      const [found] = await lock(tx, ...args(row));
      return (found as Row | undefined) ?? null;
    },
    idOf: (row) => args(row)[1],
  };
}

/**
 * Whether this process is still at work on the row. Its lease may have expired while the database was unreachable; the process
 * does not take over from itself.
 */
export function isLeasedHere(app: Pick<App, 'state'>, id: string): boolean {
  return app.state.leased.has(id); // mutant: leased-here
}

/**
 * Runs work on a row that this process has leased. The lease is renewed meanwhile, four times per duration. The signal aborts
 * when another worker has it.
 */
export async function withLease<Row, Owned, T>(
  app: App,
  lease: Lease<Row, Owned>,
  row: Owned,
  work: (leaseLost: AbortSignal) => Promise<T>,
): Promise<T> {
  const id = lease.idOf(row);
  const leaseLost = new AbortController();
  let isRenewing = false;
  const beat = async () => {
    if (isRenewing) return;
    isRenewing = true;
    try {
      const isOurs = await app.db.transact((tx) => lease.renew(tx, row, app.clock.now() + lease.ms(app)));
      if (!isOurs) leaseLost.abort(new Error('another worker has the lease'));
    } catch (err) {
      // A database that does not answer says nothing about the lease.
      app.log.warn(
        { ...toLogFields(err), id },
        'a lease could not be renewed; the next heartbeat tries again',
      );
    } finally {
      isRenewing = false;
    }
  };
  const timer = setInterval(() => void beat(), Math.max(1, lease.ms(app) / 4));
  timer.unref();
  app.state.leased.add(id);
  try {
    return await work(leaseLost.signal);
  } finally {
    clearInterval(timer);
    app.state.leased.delete(id);
  }
}
