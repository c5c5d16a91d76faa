// Tools that let a post go out: check it, schedule it, publish it now.
import { Type } from 'typebox';
import { toTimestamp } from '../../core/clock.js';
import type { PostRow } from '../../db/tables.js';
import { getPostRow, lockEditablePost, lockPost, planUpdate, updatePost } from '../../posts/posts.js';
import { presentPost } from '../../posts/present.js';
import { type Post, PostRef } from '../../posts/schema.js';
import { allows } from '../../posts/state.js';
import { toggleFields } from '../../posts/toggles.js';
import { preflight } from '../../publishing/preflight.js';
import { publishNow } from '../../publishing/publish-now.js';
import { type Preflight, PreflightRef, type PublishPost } from '../../publishing/schema.js';
import {
  askToConfirm,
  assertConfirmed,
  confirmationRecordOf,
  confirmField,
  type PlannedCall,
  previewOr,
} from './confirmation.js';
import { AFTER_REFUSAL, helpWith, SEE_STATUS, SETTLE_IT } from './next-steps.js';
import { DO_NOT_REPEAT } from './outcome.js';
import { readTime } from './times.js';
import { ASKS_PLATFORM, PUBLISHES, postId, tool } from './tool.js';

export const postCheck = tool({
  name: 'post_check',
  title: 'Check a post',
  description:
    'Lists everything that would be refused, and shows exactly what would be sent to the platform. Sends and changes nothing.',
  scopes: ['posts:read'],
  annotations: ASKS_PLATFORM,
  input: Type.Object({ post_id: postId }, { additionalProperties: false }),
  output: PreflightRef,
  async run({ app, caller }, { post_id }) {
    const found = await preflight(app, caller, post_id);
    const post = await getPostRow(app, caller, post_id);
    return { data: found, next: stepAfterCheck(post, found, caller.scopes.has('posts:publish')) };
  },
});

function stepAfterCheck(
  { status, last_outcome }: PostRow,
  { ready, problems }: Preflight,
  mayPublish: boolean,
): string {
  if (last_outcome === 'unknown') return SETTLE_IT;
  if (!allows('publish', status)) return SEE_STATUS;
  const codes = problems.filter(({ level }) => level === 'error').map(({ code }) => code);
  if (!ready)
    return [
      ...helpWith(codes),
      ...(status === 'scheduled' ? ['It is scheduled: call post_unschedule before you change it.'] : []),
      REPAIR_AND_CHECK,
    ].join(' ');
  if (status === 'scheduled') return 'Nothing is in the way: the post goes out at its slot.';
  return mayPublish
    ? 'Nothing is in the way: call post_schedule or post_publish when the person wants it to go out.'
    : 'Nothing is in the way. This key may not publish: tell the person, who can do it in the dashboard.';
}

const REPAIR_AND_CHECK =
  'Repair what post_update and the tools for files can repair, then call this tool again.';

export const postSchedule = tool({
  name: 'post_schedule',
  title: 'Schedule a post',
  description:
    'Schedules a draft, or moves a scheduled post, in two calls. The first, without confirm, changes nothing: it returns what would go out, when (as you asked, in UTC, in time_zone, and from now), the preflight and a confirm. Show them to the person. The second, with confirm, schedules the post, or says that the post has changed since.',
  scopes: ['posts:write', 'posts:publish'],
  annotations: PUBLISHES,
  input: Type.Object(
    {
      post_id: postId,
      scheduled_at: Type.String({
        minLength: 1,
        maxLength: 40,
        description:
          'When the post goes out, in most cases at least 5 minutes ahead: a local time of time_zone without an offset, such as 2030-12-01T18:00, or a time with its UTC offset, such as 2030-12-01T18:00:00+01:00',
      }),
      time_zone: Type.Optional(
        Type.String({
          maxLength: 100,
          description:
            'IANA time zone that the person means, such as Europe/Berlin; ask if you do not know it. The first call tells the time there',
        }),
      ),
      confirm: confirmField,
    },
    { additionalProperties: false },
  ),
  output: previewOr(Type.Object({ post: PostRef, replayed: Type.Boolean() })),
  afterProblem: { wrong_state: SEE_STATUS },
  async run(call, { post_id, scheduled_at, time_zone, confirm }) {
    const { app, caller } = call;
    const time = readTime(scheduled_at, time_zone, app.clock.now());
    const plan: PlannedCall = { act: 'schedule', ...time };
    const slot = { status: 'scheduled' as const, scheduled_at: toTimestamp(time.at) };
    if (confirm === undefined) {
      // Refuses now what the second call would refuse; nothing is written.
      await app.db.transact(async (tx) => {
        await planUpdate(app, tx, caller, await lockEditablePost(tx, caller, post_id), slot);
      });
      return askToConfirm(call, post_id, plan);
    }
    const { id } = await getPostRow(app, caller, post_id);
    const { stored, replayed } = await confirmationRecordOf(call, id, plan, confirm).answer(async (tx) => {
      await assertConfirmed(call, tx, await lockPost(tx, caller, id), plan, confirm);
      const post = presentPost(await updatePost(app, tx, caller, id, slot));
      return { status: 200, text: JSON.stringify(post) };
    });
    return { data: { post: JSON.parse(stored.text) as Post, replayed } };
  },
});

export const postPublish = tool({
  name: 'post_publish',
  title: 'Publish a post now',
  description:
    'Publishes a post now, with its own account, privacy level, mode and toggles, in two calls. The first, without confirm, sends nothing: it returns what would go out, the preflight and a confirm. Show them to the person. The second, with confirm, publishes the post, or says that the post has changed since. Then follow post_status. If the outcome is unknown, do not repeat it.',
  scopes: ['posts:publish'],
  annotations: PUBLISHES,
  input: Type.Object({ post_id: postId, confirm: confirmField }, { additionalProperties: false }),
  output: previewOr(Type.Object({ publish_id: Type.String(), replayed: Type.Boolean() })),
  afterProblem: {
    ...AFTER_REFUSAL,
    platform_timeout: DO_NOT_REPEAT,
    idempotency_key_in_use:
      'The first call with this confirm is still in progress. Call post_status instead of repeating it.',
  },
  async run(call, { post_id, confirm }) {
    const { app, caller } = call;
    const plan: PlannedCall = { act: 'publish', at: null };
    if (confirm === undefined) return askToConfirm(call, post_id, plan);
    const post = await getPostRow(app, caller, post_id);
    const input = {
      // A post without them was never confirmed.
      social_account_id: post.social_account_id as string,
      privacy_level: post.privacy_level as PublishPost['privacy_level'],
      mode: post.publish_mode,
      ...toggleFields(post),
    };
    const record = confirmationRecordOf(call, post.id, plan, confirm);
    const { publishId, isReplay } = await publishNow(app, caller, post.id, input, record, (read, seen) =>
      assertConfirmed(call, read, seen, plan, confirm),
    );
    return { data: { publish_id: publishId, replayed: isReplay }, next: FOLLOW };
  },
});

const FOLLOW =
  'The platform has accepted the post and is processing it. Call post_status to learn whether it is published.';
