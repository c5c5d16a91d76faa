import type { Database } from '../database.js';

/** What differs between the engines in a migration; everything else is one text. */
export interface ColumnTypes {
  /** The engine, for statements that differ between the two, such as triggers. */
  engine: Database['engine'];
  uuid: string;
  /** Text that is compared byte by byte: faster than a language's order, and the same on both engines. */
  binaryText: string;
}

export const COLUMN_TYPES: Readonly<Record<Database['engine'], ColumnTypes>> = {
  sqlite: { engine: 'sqlite', uuid: 'text', binaryText: 'text' },
  postgres: { engine: 'postgres', uuid: 'uuid', binaryText: 'text collate "C"' },
};

export interface Migration {
  /** For people. The number of a migration is its position in the list. */
  name: string;
  /**
   * True if programs without it cannot work on the schema any more. Avoid it: the processes of the version before must then stop
   * before the migration runs.
   */
  breaksOlder?: true;
  statements(types: ColumnTypes): string[];
}
