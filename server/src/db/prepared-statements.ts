// Statements that are compiled once and not per call, for the busiest paths: compiling took longer than running. Each lies beside the
// code that runs it, and is called with the handle to run it on, then its arguments:
//
//   const findPost = prepareRead((read, orgId: string, id: string) => read.selectFrom('posts')…);
//   const [post] = await findPost(app.db.read, orgId, id);
//
// A statement is built once, with a placeholder for each argument. Kysely treats the placeholders as values, so the compiled
// parameters show where each argument belongs: arguments may appear in any order, several times, and beside constants.
import type { Compilable, CompiledQuery, Kysely, QueryResult, RawBuilder } from 'kysely';
import type { Reader, Tx } from './database.js';
import type { Tables } from './tables.js';

/** Stands for an argument while its statement is built. Using it for anything but passing it to the query throws. */
class Placeholder {
  [Symbol.toPrimitive](): never {
    throw new Error('the argument of a statement that is compiled once has no value while it is built');
  }
}

interface Statement<Row> {
  readonly query: CompiledQuery<Row>;
  /** What Postgres keeps its plan under. */
  readonly name?: string | undefined;
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

type Handle = Reader | Tx;

/** How a handle runs a compiled statement. */
type RunStatement = <Row>(
  statement: Statement<Row>,
  parameters: readonly unknown[],
) => Promise<QueryResult<Row>>;

const shortcuts = new WeakMap<Handle, RunStatement>();

/** Statements that are compiled once go this way on the handle: Kysely's way takes as long as a small one. */
export function runDirectly(handle: Handle, run: RunStatement): void {
  shortcuts.set(handle, run);
}

/** Built and compiled at its first call on each engine. */
function prepare<const Args extends readonly unknown[], Row>(
  build: (handle: never, ...args: Args) => Compilable<Row> | RawBuilder<Row>,
  name?: string,
): (handle: Handle, ...args: Args) => Promise<QueryResult<Row>> {
  const statements = new WeakMap<object, Statement<Row>>();
  return (handle, ...args) => {
    const kysely = handle as Kysely<Tables>;
    const engine = kysely.getExecutor().adapter.constructor;
    let statement = statements.get(engine);
    if (!statement) {
      const compiled = compileStatement(args.length, (...values) =>
        build(handle as never, ...(values as unknown as Args)).compile(kysely),
      );
      statement = { ...compiled, name };
      statements.set(engine, statement);
    }
    const parameters = statement.bind(args);
    const run = shortcuts.get(handle);
    return run ? run(statement, parameters) : kysely.executeQuery<Row>({ ...statement.query, parameters });
  };
}

/**
 * A read, outside of transactions or inside of one. With a name, Postgres also keeps its plan outside: only for lookups by a whole
 * key, because a kept plan that ignores the organization's size was measured 7 times slower for a large one.
 */
export function prepareRead<On extends Reader, const Args extends readonly unknown[], Row>(
  build: (read: On, ...args: Args) => Compilable<Row>,
  name?: string,
): (read: On, ...args: Args) => Promise<Row[]> {
  const run = prepare(build, name);
  return async (read, ...args) => (await run(read, ...args)).rows;
}

/** A statement that writes. */
export const prepareWrite: <const Args extends readonly unknown[], Row>(
  build: (tx: Tx, ...args: Args) => Compilable<Row> | RawBuilder<Row>,
) => (tx: Tx, ...args: Args) => Promise<QueryResult<Row>> = prepare;

/**
 * The same for columns that vary: compiled for each set of columns, of which there are few. Columns whose value is
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
