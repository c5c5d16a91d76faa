// What a change of a post requires beyond the scope of its route. A booked slot publishes by itself, so booking one, and
// changing what goes out in it, requires the scope of publishing; otherwise `posts:write` alone could publish. It depends on
// the post's state, so it is checked against the locked row, in the transaction that writes.
import type { Updateable } from 'kysely';
import type { PostRow, PostTable } from '../db/tables.js';
import { assertScope, type Caller } from '../request/caller.js';
import { SLOT_COLUMNS } from './slot.js';

/**
 * `status` is what the caller asks for. Asking for `scheduled` counts as booking, even if the post has a slot; a field sent
 * with its current value changes nothing and requires nothing.
 */
export function assertMayChange(
  caller: Caller,
  post: PostRow,
  changes: Updateable<PostTable>,
  status: 'scheduled' | 'draft' | undefined,
): void {
  if (status === 'scheduled') assertScope(caller, 'posts:publish', 'Scheduling or moving a post');
  if (status !== undefined || post.status !== 'scheduled') return;
  const changed = SLOT_COLUMNS.filter(
    (field) => changes[field] !== undefined && changes[field] !== post[field],
  );
  if (changed.length > 0)
    assertScope(caller, 'posts:publish', `Changing ${changed.join(', ')} of a scheduled post`);
}

export function assertMayChangeFiles(caller: Caller, post: PostRow): void {
  if (post.status === 'scheduled')
    assertScope(caller, 'posts:publish', 'Changing the files of a scheduled post');
}
