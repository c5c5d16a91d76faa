// A caller reports what became of a post whose outcome is unknown.

import type { TxApp } from '../app/app.js';
import { byCaller, recordAudit } from '../audit/record.js';
import { AppError } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import { lockPost } from '../posts/posts.js';
import { presentPost } from '../posts/present.js';
import type { Post } from '../posts/schema.js';
import { allows } from '../posts/state.js';
import type { CallerWithAddress } from '../request/caller.js';
import { lostSlot, slotAfter } from './attempt/post-after-failure.js';
import { publicColumns } from './attempt/public-address.js';
import { applyTransition, lockAttempt } from './attempt/settle.js';
import type { AttemptState, Transition } from './attempt/transition.js';
import { closedColumns } from './attempt/transition.js';
import type { ResolvePost } from './schema.js';

export async function resolvePost(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
  { outcome }: ResolvePost,
): Promise<Post> {
  const post = await lockPost(tx, caller, id);
  const unknown = await tx
    .selectFrom('dispatches')
    .select(['org_id', 'id', 'post_id', 'fence'])
    .where('org_id', '=', caller.orgId)
    .where('post_id', '=', post.id)
    .where('outcome', '=', 'unknown')
    .forUpdate()
    .executeTakeFirst();
  const state = unknown && allows('resolve', post.status) ? await lockAttempt(tx, unknown) : null;
  if (!state)
    throw new AppError(
      'wrong_state',
      'Only a post whose outcome is unknown can be resolved. The outcome of this one is known.',
    );
  await recordAudit(app, tx, byCaller(caller), {
    action: 'post.resolved',
    target: { id: post.id, name: post.title },
    details: { outcome, dispatch_id: state.attempt.id },
  });
  await applyTransition(app, tx, state, transitionTo(state, outcome, app.clock.now()));
  return presentPost(await lockPost(tx, caller, post.id));
}

/** A person has seen it, and not told its address. */
const RESOLVED = { kind: 'published', socialStatus: '' } as const;

function transitionTo(state: AttemptState, outcome: ResolvePost['outcome'], now: number): Transition {
  const { attempt, post } = state;
  const ended = { ...closedColumns(now), finished_at: now };
  const isArchived = post.status === 'archived';
  if (outcome === 'posted')
    return {
      attempt: {
        ...ended,
        ...publicColumns(state, RESOLVED, now),
        outcome: 'published',
        failure: null,
        error_code: null,
        error_message: null,
      },
      post: {
        ...(isArchived ? {} : { status: 'posted' }),
        ...slotAfter(state),
        posted_at: attempt.started_at,
        last_slot: null,
        last_publish_error: null,
      },
    };
  return {
    // The platform took nothing, as far as the engine knows: the request may be repeated.
    attempt: {
      ...ended,
      outcome: 'failed',
      failure: 'retryable',
      error_code: 'resolved_not_posted',
      error_message: 'The post was resolved as not on the platform (resolved_not_posted)',
    },
    post: {
      ...(isArchived ? {} : { status: 'draft' }),
      scheduled_at: null,
      ...lostSlot(state),
      wait_until: null,
      last_publish_error: null,
    },
  };
}
