// Fail points at the ports: the operations of one worker on the database, the platform and the note in the file store are
// counted. At the Nth operation the worker dies, or is held until the test releases it, or its database goes away until the
// test brings it back.
//
// A worker is one App. Dead: none of its operations reaches the database or the platform any more, none of its answers
// arrives, and open transactions are rolled back. Held: the whole process is paused, as with SIGSTOP, so every operation it
// starts meanwhile waits too. A worker is never held inside a transaction: on SQLite it is the only one, on Postgres it has
// locked the rows, so no other worker could take over before it ends, and the pause might as well come before it. Outage:
// the process lives and talks to the platform, but every read and transaction fails, even one that has just committed.
import { Kysely, Transaction } from 'kysely';
import type { Connector, ReadRange } from '../../../src/connectors/connector.js';
import type { Database, Tx } from '../../../src/db/database.js';
import type { Tables } from '../../../src/db/tables.js';
import type { ObjectStore } from '../../../src/object-store/object-store.js';
import { handleAround } from '../../support/world/handle-around.js';

export interface Fault {
  act: 'die' | 'hold' | 'outage';
  /** After: the operation is done, but its answer does not reach the worker (in time). */
  when: 'before' | 'after';
  /** The number of the operation, from 1; or the first of this name. */
  at: number | string;
}

class Died extends Error {}

/** The driver's error when no server listens at the database's address. */
export class DatabaseAway extends Error {
  readonly code = 'ECONNREFUSED';
}

/** A new promise each time: one that all dead workers wait for would keep them all in memory. */
const never = () => new Promise<never>(() => {});

const CALLS = [
  'creator',
  'submit',
  'prepare',
  'sendChunk',
  'observe',
  'exchange',
  'renew',
  'revoke',
  'identity',
] as const satisfies (keyof Connector)[];

export class FailPoints {
  /** Everything since it was armed, in order. */
  readonly seen: string[] = [];
  /** The operation at which the fault struck, once it has. */
  readonly struck: Promise<string>;
  private tellStruck: (name: string) => void = () => {};
  private fault: Fault | null = null;
  private counts = false;
  /** The operation at which the fault strikes has begun. */
  private isChosen = false;
  private readonly death = new AbortController();
  private paused: Promise<void> | null = null;
  private endPause: () => void = () => {};
  private isAway = false;
  /** Resolves when the database is available, or available again. */
  back: Promise<void> = Promise.resolve();
  private endOutage: () => void = () => {};

  constructor() {
    this.struck = new Promise((resolve) => {
      this.tellStruck = resolve;
    });
  }

  /** Counts from here on. Without a fault it only records. */
  arm(fault: Fault | null = null): void {
    this.counts = true;
    this.fault = fault;
  }

  /** Releases a held worker, and brings a lost database back. */
  release(): void {
    this.paused = null;
    this.endPause();
    this.isAway = false;
    this.endOutage();
  }

  readonly database = (real: Database): Database => ({
    ...real,
    read: new Kysely<Tables>(handleAround(real.read, (read) => this.pass('read', read))),
    transact: (work) => this.pass('transact', () => real.transact((tx) => this.inside(tx, work))),
  });

  readonly connector = (real: Connector): Connector => {
    const wrapped = { ...real } as Record<string, unknown>;
    for (const name of CALLS) {
      const call = real[name] as (...given: unknown[]) => Promise<unknown>;
      wrapped[name] = (...given: unknown[]) => {
        // The connections of a process end with it.
        const signal = AbortSignal.any([given.pop() as AbortSignal, this.death.signal]);
        const args = given.map((value) =>
          typeof value === 'function' ? this.readAround(value as ReadRange) : value,
        );
        return this.pass(name, () => call(...args, signal));
      };
    }
    return wrapped as unknown as Connector;
  };

  /** The engine loads and replaces only the note of the installation. */
  readonly store = (real: ObjectStore): ObjectStore => ({
    ...real,
    load: (key) => this.pass('loadNote', () => real.load(key)),
    replace: (key, bytes) => this.pass('writeNote', () => real.replace(key, bytes)),
  });

  private readAround(read: ReadRange): ReadRange {
    return (start, end) =>
      this.pass(
        'bytes',
        async () => {
          const bytes = await read(start, end);
          this.death.signal.addEventListener('abort', () => bytes.destroy(), { once: true });
          return bytes;
        },
        true,
      );
  }

  private async inside<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
    const props = handleAround(tx, (statement) => this.pass('statement', statement, true));
    const result = await work(new Transaction<Tables>(props));
    if (this.death.signal.aborted) throw new Died();
    return result;
  }

  private async pass<T>(name: string, act: () => Promise<T>, isInside = false): Promise<T> {
    await this.live(isInside);
    const isMine = this.isMine(name);
    if (isMine && this.fault?.when === 'before') await this.strike(name, isInside);
    this.reach(name);
    const ended = await act().then(
      (value) => () => value,
      (error) => () => {
        throw error;
      },
    );
    await this.live(isInside);
    if (isMine && this.fault?.when === 'after') await this.strike(name, isInside);
    this.reach(name);
    return ended();
  }

  private isMine(name: string): boolean {
    if (!this.counts) return false;
    const n = this.seen.push(name);
    if (this.fault === null || this.isChosen) return false;
    const { act, at } = this.fault;
    // Where this run differs from the undisturbed one, a hold may fall into a transaction. It comes after it then.
    const isLater = act === 'hold' && typeof at === 'number' && n >= at && !isShort(name);
    this.isChosen = isLater || (at === n && act !== 'hold') || at === name;
    return this.isChosen;
  }

  /** Dead workers wait for ever, except for their transactions, which have to end. */
  private async live(isInside: boolean): Promise<void> {
    if (this.paused && !isInside) await this.paused;
    if (!this.death.signal.aborted) return;
    if (isInside) throw new Died();
    await never();
  }

  private reach(name: string): void {
    if (this.isAway && isDatabase(name)) throw new DatabaseAway(`the database is away: ${name}`);
  }

  private strike(name: string, isInside: boolean): Promise<void> {
    if (this.fault?.act === 'die') this.death.abort();
    else if (this.fault?.act === 'outage') this.loseDatabase();
    else if (!isInside)
      this.paused = new Promise((resolve) => {
        this.endPause = resolve;
      });
    this.tellStruck(name);
    return this.live(isInside);
  }

  private loseDatabase(): void {
    this.isAway = true;
    this.back = new Promise((resolve) => {
      this.endOutage = resolve;
    });
  }
}

/** A worker cannot be held here: inside a transaction, or in a half-sent chunk, which the platform waits for. */
export const isShort = (operation: string) => operation === 'statement' || operation === 'bytes';

/** An outage is noticed here. Inside a transaction it might as well start before it, or at its commit. */
export const isDatabase = (operation: string) =>
  operation === 'read' || operation === 'transact' || operation === 'statement';
