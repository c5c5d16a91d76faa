// The tables, as TypeScript types. Both engines store the same: times are milliseconds since 1970 (bigint), booleans are 0
// or 1, ids are UUIDs (uuid on Postgres, text on SQLite), so that one query serves both.
import type { Generated } from 'kysely';
import type { EventTables } from './event-tables.js';
import type { PeopleTables } from './people-tables.js';
import type { PostTables } from './post-tables.js';
import type { PublishingTables } from './publishing-tables.js';

export type * from './event-tables.js';
export type * from './people-tables.js';
export * from './post-tables.js';
export * from './publishing-tables.js';

export interface IdempotencyRecordTable {
  org_id: string;
  key: string;
  fingerprint: string;
  /** The first response, sealed: it may hold a secret that is shown once. Null only inside the first transaction. */
  response: string | null;
  /** Instead of a response: the attempt that the response is built from. */
  dispatch_id: string | null;
  created_at: number;
}

/** Bytes of an organization in its files and in recorded responses. Triggers keep it. */
export interface StoredBytesTable {
  org_id: string;
  kind: 'files' | 'responses';
  n: number;
}

/** Which worker processes are alive, for `/readyz` of processes without a worker. */
export interface WorkerTable {
  id: string;
  started_at: number;
  heartbeat_at: number;
}

/** A worker without a heartbeat for this long counts as gone. */
export const WORKER_SILENCE_MS = 30_000;

/** One row, sealed with the key this database was created with: another key is detected at the start. */
export interface KeyCheckTable {
  id: 1;
  sealed: string;
}

export interface SchemaMigrationTable {
  version: number;
  name: string;
  checksum: string;
  applied_at: number;
  /** The oldest program that works on this schema, by the number of its newest migration. */
  works_from: number;
}

/** One row: this installation (see restore-safety/), and the counter that the file store's note repeats. */
export interface InstallationTable {
  id: 1;
  /** Random, created with the row. */
  installation_id: string;
  /** Only rises. The store's note is written after this is committed, so a higher counter there means a restore. */
  counter: number;
  /**
   * The last raises, newest first, as `counter:tag` separated by blanks. A database that lost commits and was raised again has
   * another tag for the same counter.
   */
  recent_tags: Generated<string>;
  /** When the counter was last raised, for people. Only ids and counters decide. */
  noted_at: number;
  /** 1 once the store is known to hold a note of this installation. */
  store_noted: 0 | 1;
  /** The epoch of event ids given from now on; 0 until the first restore. */
  epoch: number;
  /** When safe mode began; null outside safe mode. */
  safe_since: number | null;
  safe_reason: string | null;
  /** The backup's time, if the operator gave it. */
  restored_to: number | null;
  released_at: number | null;
  /** The first sweep for orphans after a release: `due`, or `allowed` to remove any share. Null: none is pending. */
  first_sweep: 'due' | 'allowed' | null;
}

export interface Tables extends PostTables, PeopleTables, PublishingTables, EventTables {
  schema_migrations: SchemaMigrationTable;
  key_check: KeyCheckTable;
  idempotency_records: IdempotencyRecordTable;
  stored_bytes: StoredBytesTable;
  workers: WorkerTable;
  installation: InstallationTable;
}
