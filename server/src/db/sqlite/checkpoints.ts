// By default SQLite checkpoints its WAL into the database file during some commits. After a transaction of many
// rows, such as an import, that would stop the process for long, so another process does it.
import type { SqliteConnection } from './connection.js';
import type { ReaderPool } from './reader-pool.js';

/** Changes of a transaction that is too large to be moved within its commit. */
const MANY_ROWS = 5_000;

/** How many pages the log has before a checkpoint: SQLite's default. */
const USUAL = 1_000;

export class Checkpoints {
  private readonly writer: SqliteConnection;
  private readonly aside: ReaderPool;

  constructor(writer: SqliteConnection, aside: ReaderPool) {
    this.writer = writer;
    this.aside = aside;
  }

  commitWithCheckpoint(rows: number, commit: () => void): void {
    if (rows < MANY_ROWS) return commit();
    this.setAutoCheckpoint(0);
    try {
      commit();
    } finally {
      void this.checkpointInBackground();
    }
  }

  /** Later commits leave it too, until it is done. */
  private async checkpointInBackground(): Promise<void> {
    try {
      await this.aside.run('pragma wal_checkpoint(passive)');
    } catch {
      // A later commit does it, as usual.
    }
    try {
      this.setAutoCheckpoint(USUAL);
    } catch {
      // The database was closed meanwhile.
    }
  }

  private setAutoCheckpoint(pages: number): void {
    this.writer.exec(`pragma wal_autocheckpoint = ${pages}`);
  }
}
