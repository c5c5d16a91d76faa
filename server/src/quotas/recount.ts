// Sums up the bytes themselves, for a check of the counters.
import { type Expression, sql } from 'kysely';
import type { Database } from '../db/database.js';

/** Returns every organization whose counters differ from its rows. */
export async function recountBytes(db: Database): Promise<{ cell: string; counted: number; kept: number }[]> {
  const nothing = sql<number>`0`;
  const bytes = (n: Expression<number | null>) => sql<number>`coalesce(${n}, 0)`;
  const files = db.read
    .selectFrom('assets')
    .select((eb) => [
      'org_id',
      sql<string>`'files'`.as('kind'),
      bytes(
        eb
          .case()
          .when('state', '=', 'ready')
          .then(eb.ref('size'))
          .when('state', '=', 'pending')
          .then(eb.fn.coalesce('announced_length', 'size'))
          .else(null)
          .end(),
      ).as('counted'),
      nothing.as('kept'),
    ]);
  const replaced = db.read
    .selectFrom('objects_to_delete')
    .select((eb) => [
      'org_id',
      sql<string>`'files'`.as('kind'),
      bytes(eb.ref('size')).as('counted'),
      nothing.as('kept'),
    ]);
  const responses = db.read
    .selectFrom('idempotency_records')
    .select((eb) => [
      'org_id',
      sql<string>`'responses'`.as('kind'),
      bytes(eb.fn<number | null>('length', ['response'])).as('counted'),
      nothing.as('kept'),
    ]);
  const kept = db.read
    .selectFrom('stored_bytes')
    .select(['org_id', 'kind', nothing.as('counted'), 'n as kept']);
  // One statement sees one snapshot, even while others write.
  const rows = await db.read
    .selectFrom(files.unionAll(replaced).unionAll(responses).unionAll(kept).as('all_bytes'))
    .select((eb) => [
      'org_id',
      'kind',
      eb.fn.sum<number>('counted').as('counted'),
      eb.fn.sum<number>('kept').as('kept'),
    ])
    .groupBy(['org_id', 'kind'])
    .having((eb) => eb(eb.fn.sum('counted'), '<>', eb.fn.sum('kept')))
    .execute();
  return rows.map(({ org_id, kind, counted, kept }) => ({
    cell: `${org_id} bytes in ${kind}`,
    counted: Number(counted),
    kept: Number(kept),
  }));
}
