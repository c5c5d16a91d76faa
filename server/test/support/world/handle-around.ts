// A database handle whose statements a test stops, fails or follows.
import type { CompiledQuery, Kysely, KyselyProps } from 'kysely';
import type { Reader, Tx } from '../../../src/db/database.js';
import type { Tables } from '../../../src/db/tables.js';

type Around = (statement: () => Promise<unknown>, query: CompiledQuery) => Promise<unknown>;

/** The parts of a handle, with a wrapper around the execution of every statement. */
export function handleAround(real: Reader | Tx, around: Around): KyselyProps {
  const executor = new Proxy((real as Kysely<Tables>).getExecutor(), {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target);
      if (name !== 'executeQuery') return method;
      return (query: CompiledQuery, ...given: unknown[]) => around(() => method(query, ...given), query);
    },
  });
  // The rest is for schemas and new transactions, which these handles are not used for.
  const unused = {} as never;
  return { config: unused, dialect: unused, driver: unused, executor };
}
