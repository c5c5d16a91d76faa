// Whether another process has committed anything. Asking SQLite takes locks on the file, a seventh of the time of a read that is
// answered from memory, so the requests of one turn of the event loop ask once, together.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqliteConnection } from './connection.js';

export class ForeignCommits {
  private readonly writer: SqliteConnection;
  private asked: Promise<number> | null = null;

  constructor(writer: SqliteConnection) {
    this.writer = writer;
  }

  /** A number that changes with every commit of another process. It is read after this call, so it is never too old. */
  version(): Promise<number> {
    this.asked ??= nextTurn().then(() => {
      this.asked = null;
      return this.writer.dataVersion();
    });
    return this.asked;
  }
}
