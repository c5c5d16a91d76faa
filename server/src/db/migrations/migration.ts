import type { ColumnTypes } from '../database.js';

export interface Migration {
  /** Its number is its place in the list; the name is for people. */
  name: string;
  statements(types: ColumnTypes): string[];
}
