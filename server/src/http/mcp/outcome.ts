// Tools about what became of a post.
import { Type } from 'typebox';
import { AppError } from '../../core/problems.js';
import { getPost } from '../../posts/posts.js';
import { resolvePost } from '../../publishing/resolve.js';
import { type PublishStatus, ResolvePost } from '../../publishing/schema.js';
import { publishStatus } from '../../publishing/status.js';
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
  async run(call, { post_id, wait_seconds = 0 }) {
    const { found, refused } = await call.waits.read({
      orgId: call.caller.orgId,
      forMs: wait_seconds * 1_000,
      ended: call.ended,
      read: () => readOutcome(call, post_id),
      isOver: (found) => !isUnderWay(found),
    });
    if (refused) return { ...found, next: CALL_AGAIN };
    return found.publish?.status === 'unknown' ? { ...found, next: DO_NOT_REPEAT } : found;
  },
});

export const postResolve = tool({
  name: 'post_resolve',
  title: 'Resolve an unknown outcome',
  description:
    'For a post whose outcome is unknown, after a person has checked the account on the platform: posted marks it as published, not_posted makes it a draft again. Never guess: a wrong not_posted leads to a duplicate.',
  scopes: ['posts:publish'],
  annotations: CHANGES,
  input: Type.Object({ post_id: postId, ...ResolvePost.properties }, { additionalProperties: false }),
  async run({ app, caller }, { post_id, outcome }) {
    const post = await app.db.transact((tx) => resolvePost(app, tx, caller, post_id, { outcome }));
    return { post };
  },
});

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

const isUnderWay = ({ post, publish }: PublishOutcome) =>
  publish?.status === 'processing' || (post.status === 'publishing' && publish?.status !== 'unknown');
