import type { ColumnTypes } from '../database.js';

/** Names are compared byte by byte: faster than a language's order, and the same as on SQLite. */
export const postgresTypes: ColumnTypes = { engine: 'postgres', uuid: 'uuid', word: 'text collate "C"' };
