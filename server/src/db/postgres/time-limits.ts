// How long Postgres runs a statement, and waits for the next one of a transaction, before it ends it.
import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely';

/** Told to Postgres when a connection begins. */
export const SESSION_LIMITS = {
  statement_timeout: 15_000,
  idle_in_transaction_session_timeout: 30_000,
} as const;

const SET_LOCAL = Object.entries(SESSION_LIMITS).map(([name, ms]) => `set local ${name} = ${ms}`);

/**
 * For a pooler that lends connections per transaction: it refuses limits of a session, so each transaction begins with its own. They
 * travel with its first statement and cost no further round trip.
 */
export class LimitedTransactions extends PostgresDialect {
  private readonly config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.config = config;
  }

  override createDriver(): PostgresDriver {
    return new LimitingDriver(this.config);
  }
}

class LimitingDriver extends PostgresDriver {
  override beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const executeQuery = <R>(begin: CompiledQuery) =>
      connection.executeQuery<R>(CompiledQuery.raw([begin.sql, ...SET_LOCAL].join('; ')) as CompiledQuery<R>);
    return super.beginTransaction({ executeQuery } as DatabaseConnection, settings);
  }
}
