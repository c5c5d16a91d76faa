// Which attempts have not ended yet.
import { type SqlBool, sql } from 'kysely';
import type { AttemptRow } from '../../db/tables.js';

export const OPEN_OUTCOMES: readonly AttemptRow['outcome'][] = ['started', 'accepted', 'unknown'];

/** Written out, as in the index of open attempts: with parameters, it would not be used. */
export const isOpenAttempt = sql<SqlBool>`outcome in (${sql.join(OPEN_OUTCOMES.map((outcome) => sql.lit(outcome)))})`;
