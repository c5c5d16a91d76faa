// How a restored database is told from one that has run without a break; see restore-safety/.

import type { Generated } from 'kysely';

/** One row: this installation, and the counter that the file store's note repeats. */
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

/** Where the events of an organization entered a new epoch: those after this number belong to it. */
export interface EventEpochTable {
  org_id: string;
  epoch: number;
  after_seq: number;
}
