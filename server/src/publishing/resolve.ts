// A person says what became of a post that nobody else can tell of.

import type { TxApp } from '../api/app.js';
import type { Caller } from '../api/caller.js';
import type { Tx } from '../db/database.js';
import { wrongState } from '../ground/problems.js';
import { lockPost } from '../posts/posts.js';
import { presentPost } from '../posts/present.js';
import type { Post } from '../posts/schema.js';
import { allows } from '../posts/state.js';
import { over } from './attempt/decide.js';
import { slotAfter } from './attempt/post-after-failure.js';
import { apply, look } from './attempt/settle.js';
import type { Ruling, Seen } from './attempt/transition.js';
import type { ResolvePost } from './schema.js';

export async function resolvePost(
  app: TxApp,
  tx: Tx,
  caller: Caller,
  id: string,
  { outcome }: ResolvePost,
): Promise<Post> {
  const post = await lockPost(tx, caller, id);
  const unknown = await tx
    .selectFrom('dispatches')
    .select(['org_id', 'id', 'post_id', 'turn'])
    .where('org_id', '=', caller.orgId)
    .where('post_id', '=', post.id)
    .where('outcome', '=', 'unknown')
    .forUpdate()
    .executeTakeFirst();
  const seen = unknown && allows('resolve', post.status) ? await look(tx, unknown) : null;
  if (!seen)
    throw wrongState(
      'Only a post whose outcome is unknown can be resolved. What became of this one is known.',
    );
  await apply(app, tx, seen, rule(seen, outcome, app.clock.now()));
  return presentPost(await lockPost(tx, caller, post.id));
}

function rule(seen: Seen, outcome: ResolvePost['outcome'], now: number): Ruling {
  const { dispatch, post } = seen;
  const ended = { ...over(now), finished_at: now };
  const isArchived = post.status === 'archived';
  if (outcome === 'posted')
    return {
      dispatch: { ...ended, outcome: 'published', setback: null, error_code: null, error_message: null },
      post: {
        ...(isArchived ? {} : { status: 'posted' }),
        ...slotAfter(seen),
        posted_at: dispatch.started_at,
        last_publish_error: null,
      },
    };
  return {
    // Nothing was taken, as far as anybody knows: the request may be repeated.
    dispatch: {
      ...ended,
      outcome: 'failed',
      setback: 'later',
      error_code: 'resolved_not_posted',
      error_message:
        'Somebody has looked and said that the post is not on the platform (resolved_not_posted)',
    },
    post: {
      ...(isArchived ? {} : { status: 'draft' }),
      scheduled_at: null,
      wait_until: null,
      last_publish_error: null,
    },
  };
}
