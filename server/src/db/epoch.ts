// The installation's epoch, read with a row in the same statement. A restored database repeats versions that were reached
// before; with the epoch beside them they are told apart. The process does not remember the epoch: another process may have
// begun a new one, and this one learns of it only at its next check.
import { sql } from 'kysely';
import type { PostRow } from './tables.js';

export const CURRENT_EPOCH = sql<number>`coalesce((select epoch from installation), 0)`.as('epoch');

/** A post with what its ETag is made of. */
export type VersionedPost = PostRow & { epoch: number };
