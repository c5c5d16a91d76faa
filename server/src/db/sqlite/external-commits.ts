// Whether another process has committed anything. Asking SQLite takes locks on the file, a seventh of the time of a read that is
// answered from memory, so requests that begin together (see http/request-scheduler.ts) ask once.
import type { SqliteConnection } from './connection.js';

export class ExternalCommits {
  private readonly writer: SqliteConnection;
  private reading: Promise<number> | null = null;

  constructor(writer: SqliteConnection) {
    this.writer = writer;
  }

  /** A number that changes with every commit of another process. It is read after this call, so it is never too old. */
  version(): Promise<number> {
    this.reading ??= Promise.resolve().then(() => {
      this.reading = null;
      return this.writer.dataVersion();
    });
    return this.reading;
  }
}
