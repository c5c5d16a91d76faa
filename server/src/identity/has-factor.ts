import type { Reader } from '../db/database.js';

/** Whether the person has an authenticator app that is asked for at sign-in. */
export const hasFactor = async (
  read: Reader,
  { org_id, id }: { org_id: string; id: string },
): Promise<boolean> =>
  (await read
    .selectFrom('person_factors')
    .select('id')
    .where('org_id', '=', org_id)
    .where('person_id', '=', id)
    .where('confirmed_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()) !== undefined;
