// The events of posts that begin or cease to exist.
import type { Tx } from '../db/database.js';
import type { PostRow } from '../db/tables.js';
import { type NewEvent, recordEvents } from '../events/record.js';

/** Every way to create a post records this event, before those of its slot. */
export const createdEvent = ({ id }: Pick<PostRow, 'id'>): NewEvent => ({
  type: 'post.created',
  data: { post_id: id },
});

/** Posts of one organization. Call it last in a transaction. */
export async function recordDeleted(
  tx: Tx,
  posts: readonly Pick<PostRow, 'org_id' | 'id'>[],
  now: number,
): Promise<void> {
  const [first] = posts;
  if (first)
    await recordEvents(
      tx,
      first.org_id,
      now,
      posts.map(({ id }) => ({ type: 'post.deleted' as const, data: { post_id: id } })),
    );
}
