// Records the statements that the service really sends to its database.
import { mock } from 'node:test';
import type { CompiledQuery } from 'kysely';
import pg from 'pg';
import { SqliteConnection } from '../../../src/db/sqlite/connection.js';
import { ReaderPool } from '../../../src/db/sqlite/reader-pool.js';
import type { Engine } from './fresh-databases.js';

export interface Statement {
  text: string;
  values: unknown[];
}

/** Records every statement with its values, from now on, until the returned function is called. */
export function statementsOf(engine: Engine, sent: Statement[]): () => void {
  return engine === 'postgres' ? fromPostgres(sent) : fromSqlite(sent);
}

function fromPostgres(sent: Statement[]): () => void {
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  const { mock: listening } = mock.method(
    pg.Client.prototype,
    'query',
    function (this: pg.Client, ...args: unknown[]) {
      const [asked, values] = args as [string | Statement, unknown[] | undefined];
      if (typeof asked === 'string') sent.push({ text: asked, values: values ?? [] });
      else if (asked?.text) sent.push({ text: asked.text, values: asked.values });
      return query.apply(this, args);
    },
  );
  return () => listening.restore();
}

function fromSqlite(sent: Statement[]): () => void {
  const inside = SqliteConnection.prototype as unknown as {
    execute(query: CompiledQuery, values: readonly unknown[]): unknown;
  };
  const { execute } = inside;
  const { mock: listening } = mock.method(
    inside,
    'execute',
    function (this: SqliteConnection, query: CompiledQuery, values: readonly unknown[]) {
      sent.push({ text: query.sql, values: [...values] });
      return execute.call(this as never, query, values);
    },
  );
  // Long reads run in other processes.
  const { executeQuery } = ReaderPool.prototype;
  const { mock: aside } = mock.method(
    ReaderPool.prototype,
    'executeQuery',
    function (this: ReaderPool, query: CompiledQuery) {
      sent.push({ text: query.sql, values: [...query.parameters] });
      return executeQuery.call(this, query);
    },
  );
  return () => {
    listening.restore();
    aside.restore();
  };
}
