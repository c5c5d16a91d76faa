// The reads of daily analytics: each scans a range of one index that covers it, up to a number of rows.
import type { Database } from './database.js';

export function readsByDay(db: Database) {
  const postsBy = (moment: 'created_at' | 'posted_at') =>
    db.prepareRead((read, orgId: string, from: number, to: number, limit: number) =>
      read
        .selectFrom('posts')
        .select((eb) => eb.ref(moment).$notNull().as('at'))
        .where('org_id', '=', orgId)
        .where(moment, '>=', from)
        .where(moment, '<', to)
        .limit(limit),
    );
  return {
    postsCreatedIn: postsBy('created_at'),
    postsPublishedIn: postsBy('posted_at'),

    dispatchesIn: db.prepareRead((read, orgId: string, from: number, to: number, limit: number) =>
      read
        .selectFrom('dispatches')
        .select(['started_at', 'outcome', 'scheduled_for', 'error_code'])
        .where('org_id', '=', orgId)
        .where('started_at', '>=', from)
        .where('started_at', '<', to)
        .limit(limit),
    ),

    /** See analytics/revision.ts. */
    revision: db.prepareRead((read, orgId: string) =>
      read.selectFrom('revisions').select('n').where('org_id', '=', orgId),
    ),
  };
}
