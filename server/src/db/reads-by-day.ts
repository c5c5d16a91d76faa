// What the analytics of days are made of: each read is a stretch of one index that holds all it asks for.
import type { Database } from './database.js';

export function readsByDay(db: Database) {
  return {
    postsCreatedIn: db.readOnce((read, orgId: string, from: number, to: number) =>
      read
        .selectFrom('posts')
        .select('created_at')
        .where('org_id', '=', orgId)
        .where('created_at', '>=', from)
        .where('created_at', '<', to),
    ),

    postsPublishedIn: db.readOnce((read, orgId: string, from: number, to: number) =>
      read
        .selectFrom('posts')
        .select('posted_at')
        .where('org_id', '=', orgId)
        .where('posted_at', '>=', from)
        .where('posted_at', '<', to),
    ),

    dispatchesIn: db.readOnce((read, orgId: string, from: number, to: number) =>
      read
        .selectFrom('dispatches')
        .select(['started_at', 'outcome', 'scheduled_for', 'error_code'])
        .where('org_id', '=', orgId)
        .where('started_at', '>=', from)
        .where('started_at', '<', to),
    ),

    /** See posts/revision.ts. */
    revision: db.readOnce((read, orgId: string) =>
      read.selectFrom('revisions').select('n').where('org_id', '=', orgId),
    ),
  };
}
