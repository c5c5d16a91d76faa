// Tools about what became of a post.
import { Type } from 'typebox';
import { toTimestamp } from '../../core/clock.js';
import { AppError } from '../../core/problems.js';
import { getPost, getPostRow, lockPost } from '../../posts/posts.js';
import { type Post, PostRef } from '../../posts/schema.js';
import { latestDispatch } from '../../publishing/history/dispatches.js';
import { resolvePost } from '../../publishing/resolve.js';
import { type PublishStatus, PublishStatusRef, ResolvePost } from '../../publishing/schema.js';
import { publishStatus } from '../../publishing/status.js';
import { nullable, timestamp, uuid } from '../../request/schema.js';
import {
  AccountShown,
  assertConfirmed,
  confirmationRecordOf,
  confirmField,
  confirmFor,
  type PlannedCall,
  shownAccount,
} from './confirmation.js';
import { helpAfterFailure } from './next-steps.js';
import { ASKS_PLATFORM, CHANGES, postId, type ToolCall, tool } from './tool.js';
import { MAX_WAITS } from './waits.js';

/** Clients give up on a call after a minute or less. */
const MAX_WAIT_SECONDS = 25;

export const DO_NOT_REPEAT =
  'The outcome is unknown: the post may be on the platform. Do not publish it again. Call post_status later; if it stays unknown, ask the person to check the account on the platform, and report what they find with post_resolve.';

const CALL_AGAIN = `This call did not wait: ${MAX_WAITS} others of the organization wait already. Call post_status again in some seconds.`;

export const postStatus = tool({
  name: 'post_status',
  title: 'Get the outcome of a post',
  description:
    'Reports the outcome of a post: processing, published, in_inbox, failed or unknown; in_inbox means that the creator still has to post it from the inbox of the app; publish is null if the platform has not accepted the post. With wait_seconds it waits while the post is being published. Unknown means that the post may be on the platform: do not publish it again.',
  scopes: ['posts:read'],
  annotations: ASKS_PLATFORM,
  input: Type.Object(
    {
      post_id: postId,
      wait_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0 })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    post: Type.Object({
      id: uuid(),
      status: Type.String(),
      scheduled_at: nullable(timestamp()),
      last_publish_error: nullable(Type.String()),
    }),
    publish: Type.Union([PublishStatusRef, Type.Null()]),
  }),
  async run(call, { post_id, wait_seconds = 0 }) {
    const { found, refused } = await call.waits.read({
      orgId: call.caller.orgId,
      forMs: wait_seconds * 1_000,
      ended: call.ended,
      read: () => readOutcome(call, post_id),
      isOver: (found) => !isUnderWay(found),
    });
    if (refused) return { data: found, next: CALL_AGAIN };
    const next = stepAfter(found);
    return { data: found, ...(next === undefined ? {} : { next }) };
  },
});

export const postResolve = tool({
  name: 'post_resolve',
  title: 'Resolve an unknown outcome',
  description:
    'Reports what a person saw on the account, for a post whose outcome is unknown, in two calls: posted marks it as published, not_posted makes it a draft that can be published again. The first call, without confirm, changes nothing: it returns what would be reported, and a confirm. Show it to the person, who must have looked at the account. Never guess: a wrong not_posted leads to a duplicate.',
  scopes: ['posts:publish'],
  annotations: CHANGES,
  input: Type.Object(
    { post_id: postId, ...ResolvePost.properties, confirm: confirmField },
    { additionalProperties: false },
  ),
  output: Type.Union([
    Type.Object({
      confirm: Type.String(),
      reports: Type.Object({
        outcome: Type.String(),
        effect: Type.String(),
        title: Type.String(),
        account: AccountShown,
        attempted_at: timestamp(),
      }),
    }),
    Type.Object({ post: PostRef, replayed: Type.Boolean() }),
  ]),
  async run(call, { post_id, outcome, confirm }) {
    const { app, caller } = call;
    const post = await getPostRow(app, caller, post_id);
    const attempt = await latestDispatch(app, caller.orgId, post.id, () => true);
    const plan: PlannedCall = { act: 'resolve', at: null, claim: `${outcome} ${attempt?.id}` };
    if (confirm === undefined) {
      if (attempt?.outcome !== 'unknown')
        throw new AppError(
          'wrong_state',
          'Only a post whose outcome is unknown can be resolved. The outcome of this one is known.',
        );
      return {
        data: {
          confirm: await confirmFor(call, post, plan),
          reports: {
            outcome,
            effect: EFFECTS[outcome],
            title: post.title,
            account: await shownAccount(call, attempt.social_account_id),
            attempted_at: toTimestamp(attempt.started_at),
          },
        },
        next: LOOK_FIRST,
      };
    }
    const { stored, replayed } = await confirmationRecordOf(call, post.id, plan, confirm).answer(
      async (tx) => {
        await assertConfirmed(call, tx, await lockPost(tx, caller, post.id), plan, confirm);
        const resolved = await resolvePost(app, tx, caller, post.id, { outcome });
        return { status: 200, text: JSON.stringify(resolved) };
      },
    );
    return { data: { post: JSON.parse(stored.text) as Post, replayed } };
  },
});

const EFFECTS = {
  posted: 'The post is marked as published.',
  not_posted:
    'The post becomes a draft, and can be published again. If it is on the platform after all, that puts it there twice.',
};

const LOOK_FIRST =
  'Nothing has happened yet. Show reports to the person, and ask them to look for the post on the account now. Only if they say that it is as reported, call this tool again with the same arguments and confirm.';

interface PublishOutcome {
  post: { id: string; status: string; scheduled_at: string | null; last_publish_error: string | null };
  publish: PublishStatus | null;
}

async function readOutcome({ app, caller }: ToolCall, postId: string): Promise<PublishOutcome> {
  const { id, status, scheduled_at, last_publish_error } = await getPost(app, caller, postId);
  const publish = await publishStatus(app, caller, id).catch((error: unknown) => {
    // The post itself was found.
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  });
  return { post: { id, status, scheduled_at, last_publish_error }, publish };
}

function stepAfter(found: PublishOutcome): string | undefined {
  if (found.publish?.status === 'unknown') return DO_NOT_REPEAT;
  if (isUnderWay(found)) return 'It is not over. Call post_status again, with wait_seconds.';
  const { status, last_publish_error } = found.post;
  return status === 'draft' && last_publish_error !== null
    ? [FAILED, ...helpAfterFailure(last_publish_error)].join(' ')
    : undefined;
}

const FAILED =
  'The post was not published, and does not go out by itself: tell the person last_publish_error. Once the cause is repaired, publish or schedule it again.';

const isUnderWay = ({ post, publish }: PublishOutcome) =>
  publish?.status === 'processing' || (post.status === 'publishing' && publish?.status !== 'unknown');
