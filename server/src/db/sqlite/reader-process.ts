// Runs long reads in a process of its own (see reader-pool.ts), one at a time.
import { SqliteConnection } from './connection.js';

export interface ReadRequest {
  sql: string;
  parameters: readonly unknown[];
}
export type ReadResponse =
  | { rows: Record<string, unknown>[] }
  | { error: { message: string; code?: string } };

const connection = new SqliteConnection(process.argv[2] as string);
connection.exec('pragma query_only = on');

const answer = (message: ReadResponse) => process.send?.(message);

process.on('message', ({ sql, parameters }: ReadRequest) => {
  try {
    if (sql === 'begin' || sql === 'commit') {
      connection.exec(sql);
      answer({ rows: [] });
    } else answer({ rows: connection.rowsOf(sql, parameters) });
  } catch (error) {
    const { message, code } = error as { message: string; code?: string };
    answer({ error: { message, ...(code === undefined ? {} : { code }) } });
  }
});
// The parent is gone, so the answer has no receiver.
process.on('disconnect', () => process.exit());
