// Records that posts began or ended to exist: in the counters, and as events. Every way to create or delete posts ends here.
import type { Tx } from '../db/database.js';
import type { EventTable } from '../db/event-tables.js';
import type { PostRow } from '../db/tables.js';
import { recordEvents } from '../events/record.js';
import { recordPostChanges } from './counters.js';

type Counted = Pick<PostRow, 'org_id' | 'id' | 'status' | 'post_type' | 'social_account_id' | 'posted_at'>;

/** Posts of one organization, after everything that belongs to them was written. Call it last, but for other events. */
export async function recordCreated(tx: Tx, posts: readonly Counted[], now: number): Promise<void> {
  await recordPostChanges(
    tx,
    posts.map((after) => ({ after })),
  );
  await recordLife(tx, posts, 'post.created', now);
}

/** Call it last. The counters are already changed: others follow them. */
export const recordDeleted = (tx: Tx, posts: readonly Counted[], now: number): Promise<void> =>
  recordLife(tx, posts, 'post.deleted', now);

async function recordLife(
  tx: Tx,
  posts: readonly Counted[],
  type: EventTable['type'],
  now: number,
): Promise<void> {
  const [first] = posts;
  if (first)
    await recordEvents(
      tx,
      first.org_id,
      now,
      posts.map(({ id }) => ({ type, data: { post_id: id } })),
    );
}
