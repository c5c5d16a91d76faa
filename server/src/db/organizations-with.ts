// Finds the organizations that have work of some kind, at the cost of a few probes for each of them, however many rows they have.
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from './database.js';

/**
 * The organizations with rows that are `planned` and `due`. One probe finds the next organization, in an index that begins
 * with the organization and holds only `planned` rows.
 */
export async function organizationsWith(
  read: Reader | Tx,
  name: 'asset_sources',
  planned: RawBuilder<boolean>,
  due: RawBuilder<unknown>,
): Promise<string[]> {
  const table = sql.table(name);
  const jumps = sql<{ org_id: string }>`(
    with recursive step (org_id) as (
      select org_id from (select org_id from ${table} where ${planned} order by org_id limit 1) as first_one
      union all
      select (select org_id from ${table} where ${planned} and org_id > step.org_id order by org_id limit 1)
      from step where step.org_id is not null
    )
    select org_id from step where org_id is not null and exists (
      select 1 from ${table} as work where work.org_id = step.org_id and ${planned} and ${due}
    )
  )`;
  const rows = await read.selectFrom(jumps.as('planned')).select('org_id').execute();
  return rows.map(({ org_id }) => org_id);
}
