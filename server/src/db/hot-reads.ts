// The few reads that most requests are made of, compiled once (see Database.named).
import type { Database } from './database.js';

export type HotReads = ReturnType<typeof createHotReads>;

export function createHotReads(db: Database) {
  return {
    postById: db.named('post_by_id', (read, orgId: string, id: string) =>
      read.selectFrom('posts').selectAll().where('org_id', '=', orgId).where('id', '=', id),
    ),
    postCounters: db.named('post_counters_of', (read, orgId: string) =>
      read.selectFrom('post_counters').select(['status', 'published', 'n']).where('org_id', '=', orgId),
    ),
    dispatchCounters: db.named('dispatch_counters_of', (read, orgId: string) =>
      read.selectFrom('dispatch_counters').select(['outcome', 'n']).where('org_id', '=', orgId),
    ),
  };
}
