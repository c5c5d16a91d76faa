import type { ColumnTypes } from '../database.js';

export interface Migration {
  /** Its number is its place in the list; the name is for people. */
  name: string;
  /**
   * True if programs without it cannot work on the schema any more. Avoid it: the processes of the version before must then stop
   * before the migration runs.
   */
  breaksOlder?: true;
  statements(types: ColumnTypes): string[];
}
