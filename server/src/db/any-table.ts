import type { Kysely } from 'kysely';
import type { Reader, Tx } from './database.js';

/** One handle for all tables, where their names are data. */
export const anyTable = (handle: Reader | Tx) =>
  handle as unknown as Kysely<Record<string, Record<string, unknown>>>;
