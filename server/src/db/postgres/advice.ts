// Warns at startup about Postgres settings that cause trouble later.
import { type Kysely, sql } from 'kysely';
import { type Log, toLogFields } from '../../core/log.js';
import type { Database } from '../database.js';
import type { Tables } from '../tables.js';

interface Connections {
  databasePoolSize: number;
  databasePooler: 'transaction' | null;
}

export async function warnAboutPostgresSettings(db: Database, config: Connections, log: Log): Promise<void> {
  const read = db.read as Kysely<Tables>;
  try {
    if (config.databasePooler === null) await warnIfTooFewConnections(read, config, log);
    else await warnIfNoStatementTimeout(read, log);
  } catch (err) {
    log.warn(toLogFields(err), 'the settings of Postgres could not be read');
  }
}

/** A process opens its connections when it needs them, so too few of them would show only under load. */
async function warnIfTooFewConnections(
  read: Kysely<Tables>,
  { databasePoolSize }: Connections,
  log: Log,
): Promise<void> {
  const needed = databasePoolSize + 1; // the one that listens
  const { rows } = await sql<{ allowed: number; taken: number }>`select
    current_setting('max_connections')::int
      - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int as allowed,
    (select count(*) from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()) as taken`.execute(read);
  const [found] = rows;
  if (!found || needed <= found.allowed - found.taken) return;
  log.warn(
    { needed, allowed: found.allowed, taken: found.taken },
    'Postgres has too few connections for this process: raise max_connections, lower DATABASE_POOL_SIZE, or use a pooler',
  );
}

/** Reads outside a transaction have no limit of ours behind a pooler. */
async function warnIfNoStatementTimeout(read: Kysely<Tables>, log: Log): Promise<void> {
  const { rows } = await sql<{ role: string; ms: string }>`select current_user as role,
    setting as ms from pg_settings where name = 'statement_timeout'`.execute(read);
  const [found] = rows;
  if (found?.ms !== '0') return;
  log.warn(
    { role: found.role },
    "behind the pooler Postgres does not end a long read: alter role … set statement_timeout = '15s', then let the pooler reconnect",
  );
}
