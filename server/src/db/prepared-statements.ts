// Statements that are compiled once and not per call, for the busiest paths: compiling took longer than running.
//
// A statement is built once, with a placeholder for each argument. Kysely treats the placeholders as values, so the compiled
// parameters show where each argument belongs: arguments may appear in any order, several times, and beside constants.
import type { Compilable, CompiledQuery, DatabaseConnection, Kysely, QueryResult, RawBuilder } from 'kysely';
import type { Reader, Tx } from './database.js';
import type { Tables } from './tables.js';

/** Stands for an argument while its statement is built. Using it for anything but passing it to the query throws. */
class Placeholder {
  [Symbol.toPrimitive](): never {
    throw new Error('the argument of a statement that is compiled once has no value while it is built');
  }
}

export interface Statement<Row> {
  readonly query: CompiledQuery<Row>;
  /** The parameters of one call. */
  bind(args: readonly unknown[]): unknown[];
}

export function compileStatement<Row>(
  count: number,
  build: (...args: never[]) => CompiledQuery<Row>,
): Statement<Row> {
  const placeholders = Array.from({ length: count }, () => new Placeholder());
  const query = build(...(placeholders as never[]));
  const { parameters } = query;
  for (const [index, placeholder] of placeholders.entries())
    if (!parameters.includes(placeholder))
      throw new Error(`argument ${index + 1} is no parameter of: ${query.sql}`);
  // Which argument each parameter is; -1 for a constant.
  const argumentIndexes = parameters.map((one) => placeholders.indexOf(one as Placeholder));
  const isInOrder =
    argumentIndexes.length === count && argumentIndexes.every((argument, index) => argument === index);
  return {
    query,
    bind: isInOrder
      ? (args) => args as unknown[]
      : (args) =>
          argumentIndexes.map((argument, index) => (argument < 0 ? parameters[index] : args[argument])),
  };
}

/** A read that one piece of work repeats on one handle, compiled at its first call. */
export function prepareReadOn<const Args extends readonly unknown[], Row>(
  read: Reader,
  build: (...args: Args) => Compilable<Row>,
): (...args: Args) => Promise<Row[]> {
  let statement: Statement<Row> | undefined;
  return async (...args) => {
    statement ??= compileStatement(args.length, (...values) =>
      build(...(values as unknown as Args)).compile(),
    );
    const query = { ...statement.query, parameters: statement.bind(args) };
    return (await (read as Kysely<Tables>).executeQuery<Row>(query)).rows;
  };
}

/** Connections that belong to one handle for good. */
const connections = new WeakMap<object, DatabaseConnection>();

/** Statements that are compiled once go straight to this connection: Kysely's way there takes as long as a small one. */
export function bindConnection(tx: Tx, connection: DatabaseConnection): void {
  connections.set(tx, connection);
}

/** A statement inside a transaction, built and compiled at its first call on each engine. */
export function prepareWrite<const Args extends readonly unknown[], Row>(
  build: (tx: Tx, ...args: Args) => Compilable<Row> | RawBuilder<Row>,
): (tx: Tx, ...args: Args) => Promise<QueryResult<Row>> {
  const statements = new WeakMap<object, Statement<Row>>();
  return async (tx, ...args) => {
    const engine = tx.getExecutor().adapter.constructor;
    let statement = statements.get(engine);
    if (!statement) {
      statement = compileStatement(args.length, (...values) =>
        build(tx, ...(values as unknown as Args)).compile(tx),
      );
      statements.set(engine, statement);
    }
    const query = { ...statement.query, parameters: statement.bind(args) };
    return connections.get(tx)?.executeQuery<Row>(query) ?? tx.executeQuery<Row>(query);
  };
}

/**
 * The same for writes whose columns vary: compiled for each set of columns, of which there are few. Columns whose value is
 * undefined are left out, as everywhere in Kysely.
 */
export function prepareColumnWrite<Columns extends object, const Args extends readonly unknown[], Row>(
  build: (tx: Tx, columns: Columns, ...args: Args) => Compilable<Row>,
): (tx: Tx, columns: Columns, ...args: Args) => Promise<QueryResult<Row>> {
  const writes = new Map<string, (tx: Tx, ...values: unknown[]) => Promise<QueryResult<Row>>>();
  return (tx, columns, ...args) => {
    // One pass over all columns.
    const names: string[] = [];
    const given: unknown[] = [];
    for (const [name, value] of Object.entries(columns)) {
      if (value === undefined) continue;
      names.push(name);
      given.push(value);
    }
    const key = names.join();
    let write = writes.get(key);
    if (!write) {
      write = prepareWrite((tx, ...values: unknown[]) => {
        const row = Object.fromEntries(names.map((name, i) => [name, values[i]])) as Columns;
        return build(tx, row, ...(values.slice(names.length) as unknown as Args));
      });
      writes.set(key, write);
    }
    return write(tx, ...given, ...args);
  };
}
