// Compares the booked slots that triggers keep with the posts and files themselves.
import { sql } from 'kysely';
import type { Database } from '../../db/database.js';

/** Every scheduled post whose slot is missing or wrong, and every slot without a scheduled post. */
export async function recountSlots(db: Database): Promise<{ cell: string; counted: number; kept: number }[]> {
  const zero = sql<number>`0`;
  const one = sql<number>`1`;
  const real = db.read
    .selectFrom('posts')
    .select([
      'org_id',
      'id as post_id',
      'scheduled_at',
      sql<number>`case when exists (select 1 from assets where assets.org_id = posts.org_id
        and assets.post_id = posts.id and assets.state = 'ready') then 1 else 0 end`.as('has_media'),
      one.as('counted'),
      zero.as('kept'),
    ])
    .where('status', '=', 'scheduled');
  const kept = db.read
    .selectFrom('booked_slots')
    .select(['org_id', 'post_id', 'scheduled_at', 'has_media', zero.as('counted'), one.as('kept')]);
  // One statement sees one snapshot, even while others write.
  const rows = await db.read
    .selectFrom(real.unionAll(kept as never).as('both'))
    .select((eb) => [
      'org_id',
      'post_id',
      'scheduled_at',
      'has_media',
      eb.fn.sum<number>('counted').as('counted'),
      eb.fn.sum<number>('kept').as('kept'),
    ])
    .groupBy(['org_id', 'post_id', 'scheduled_at', 'has_media'])
    .having((eb) => eb(eb.fn.sum('counted'), '<>', eb.fn.sum('kept')))
    .execute();
  return rows.map(({ counted, kept, ...cell }) => ({
    cell: `slot ${Object.values(cell).join(' ')}`,
    counted: Number(counted),
    kept: Number(kept),
  }));
}
