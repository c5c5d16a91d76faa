// The database port: what the rest of the service may ask of either engine.
import type { Compilable, CompiledQuery, Kysely, QueryResult, Transaction } from 'kysely';
import type { Listener } from './changes.js';
import type { Tables } from './tables.js';

/** Single reading statements outside a transaction. Writing needs `transact`. */
export type Reader = Pick<Kysely<Tables>, 'selectFrom' | 'with' | 'fn'>;

export type Tx = Transaction<Tables>;

export interface Database {
  readonly engine: 'sqlite' | 'postgres';

  /** Sees what is committed. Not for use inside `transact`; see guard.ts. */
  readonly read: Reader;

  /**
   * Runs `work` in a transaction that may write, and commits when it resolves. Nothing but database statements
   * may be awaited inside: on SQLite a transaction stops every other writer.
   */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;

  /**
   * A read whose text is made once and not per call, for the hottest ones. `build` gets placeholders in the order of the
   * later values. With a name Postgres keeps its plan too: only for look-ups by a whole key, because a kept plan
   * that does not know the organization's size was measured 7 times slower for a large one.
   */
  readOnce<Row, const Args extends readonly (string | number)[]>(
    build: (read: Reader, ...args: Args) => Compilable<Row>,
    name?: string,
  ): (...args: Args) => Promise<Row[]>;

  /** The database's own idea of the time, for hosts whose clocks disagree. */
  now(): Promise<number>;

  /**
   * Tells what was changed (see changes.ts), after its commit: in this process, and on Postgres in every other. Resolves
   * when it hears, or cannot for now; on Postgres that costs a connection, from the first listener on. Returns how to stop.
   */
  listen(listener: Listener): Promise<() => void>;

  /** Runs `work` while no other process migrates, in one transaction. `run` executes plain SQL. */
  migrating<T>(work: (tx: Tx, run: (sql: string) => Promise<void>) => Promise<T>): Promise<T>;

  close(): Promise<void>;
}

/**
 * A statement whose text is made once per engine, for the busiest transactions: making the text took longer than running
 * it. `build` gets the values in the order of the later calls and must use each exactly once.
 */
export function writeOnce<const Args extends readonly unknown[], Row>(
  build: (tx: Tx, ...args: Args) => Compilable<Row>,
): (tx: Tx, ...args: Args) => Promise<QueryResult<Row>> {
  const texts = new WeakMap<object, CompiledQuery<Row>>();
  return async (tx, ...args) => {
    const engine = tx.getExecutor().adapter.constructor;
    let text = texts.get(engine);
    if (!text) {
      text = build(tx, ...args).compile();
      if (text.parameters.length !== args.length)
        throw new Error(`not every value is a parameter of: ${text.sql}`);
      texts.set(engine, text);
    }
    return tx.executeQuery<Row>({ ...text, parameters: args });
  };
}

/**
 * The same for writes that name other columns each time: a text is made for each set of columns, and there are few of
 * those. Columns without a value stay away, as they do everywhere.
 */
export function writeColumnsOnce<Columns extends object, const Args extends readonly unknown[], Row>(
  build: (tx: Tx, columns: Columns, ...args: Args) => Compilable<Row>,
): (tx: Tx, columns: Columns, ...args: Args) => Promise<QueryResult<Row>> {
  const writes = new Map<string, (tx: Tx, ...values: unknown[]) => Promise<QueryResult<Row>>>();
  return (tx, columns, ...args) => {
    const given = Object.entries(columns).filter(([, value]) => value !== undefined);
    const names = given.map(([name]) => name);
    const key = names.join();
    let write = writes.get(key);
    if (!write) {
      write = writeOnce((tx, ...values: unknown[]) => {
        const row = Object.fromEntries(names.map((name, i) => [name, values[i]])) as Columns;
        return build(tx, row, ...(values.slice(names.length) as unknown as Args));
      });
      writes.set(key, write);
    }
    return write(tx, ...given.map(([, value]) => value), ...args);
  };
}

/** Column types that differ between the engines; everything else in a migration is one text. */
export interface ColumnTypes {
  uuid: string;
  /** Text that is compared byte by byte. */
  word: string;
}
