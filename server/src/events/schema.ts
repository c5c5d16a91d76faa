// Events on the wire.
import { type Static, Type } from 'typebox';
import { DEFAULT_PLATFORM, platformField } from '../request/platforms.js';
import { PostProblemRef } from '../request/post-problem.js';
import { choice, nullable, ref, timestamp, uuid } from '../request/schema.js';
import { EVENT_ID } from './ids.js';

export const EVENT_TYPES = [
  'post.created',
  'post.scheduled',
  'post.at_risk',
  'post.published',
  'post.public',
  'post.publish_failed',
  'post.outcome_unknown',
  'post.deleted',
  'account.connected',
  'account.disconnected',
  'webhook.disabled',
] as const;

/** One object for all types; each type has only the fields that apply to it. */
export const EventData = Type.Object({
  post_id: Type.Optional(uuid('In all `post.` events')),
  dispatch_id: Type.Optional(nullable(uuid('The attempt that caused the event; null if there was none'))),
  social_account_id: Type.Optional(uuid('In `account.` events, and in `post.` events about publishing')),
  platform: Type.Optional(platformField('Platform of that account')),
  scheduled_at: Type.Optional(timestamp('Only in `post.scheduled`: the slot')),
  slot: Type.Optional(timestamp('Only in `post.at_risk`: the slot at which the post may not go out')),
  problems: Type.Optional(
    Type.Array(PostProblemRef, {
      description:
        'Only in `post.at_risk`: the problems in the readiness of the post, the most urgent first; those already reported for this slot are left out',
    }),
  ),
  outcome: Type.Optional(choice(['published', 'in_inbox'], { description: 'Only in `post.published`' })),
  publish_id: Type.Optional(
    nullable(Type.String({ description: 'Only in `post.published` and `post.public`' })),
  ),
  post_url: Type.Optional(
    nullable(
      Type.String({
        description:
          'Only in `post.published` and `post.public`: the public URL, null if the platform has not reported it yet',
      }),
    ),
  ),
  platform_post_id: Type.Optional(
    nullable(
      Type.String({
        description: "Only in `post.public`: the platform's id of the post, as text: it exceeds 2^53",
      }),
    ),
  ),
  error_code: Type.Optional(
    nullable(Type.String({ description: 'Only in `post.publish_failed` and `post.outcome_unknown`' })),
  ),
  error_message: Type.Optional(
    nullable(
      Type.String({
        description: 'Only in `post.publish_failed` and `post.outcome_unknown`: what went wrong, for people',
      }),
    ),
  ),
  post_status: Type.Optional(
    choice(['draft', 'scheduled', 'publishing', 'posted', 'archived'], {
      description: 'Only in `post.publish_failed`: the status of the post after the failure',
    }),
  ),
  will_retry: Type.Optional(
    Type.Boolean({ description: 'Only in `post.publish_failed`: false means that a person must act' }),
  ),
  retry_at: Type.Optional(
    nullable(
      timestamp('Only in `post.publish_failed`: the earliest time of the retry; null if there is none'),
    ),
  ),
  username: Type.Optional(
    Type.String({
      description: 'In `account.` events; not yet known when an account is connected for the first time',
    }),
  ),
  is_reconnected: Type.Optional(
    Type.Boolean({
      description: 'Only in `account.connected`: true if the organization had this account before',
    }),
  ),
  account_status: Type.Optional(
    choice(['reconnect_required', 'disconnected'], { description: 'Only in `account.disconnected`' }),
  ),
  reason: Type.Optional(
    nullable(
      Type.String({ description: 'Only in `account.disconnected` and `webhook.disabled`: why, for people' }),
    ),
  ),
  webhook_id: Type.Optional(uuid('Only in `webhook.disabled`: the webhook that gets no more events')),
});
export type EventData = Static<typeof EventData>;

export const Event = Type.Object(
  {
    id: Type.String({
      description: 'Ids sort in the order of the events; send one back as `after` or `Last-Event-ID`',
    }),
    type: choice(EVENT_TYPES),
    created_at: timestamp(),
    data: EventData,
  },
  {
    $id: 'Event',
    examples: [
      {
        id: 'evt_00000001z',
        type: 'post.published',
        created_at: '2026-12-01T18:00:05Z',
        data: {
          post_id: '019a8b1e-6c00-7000-8000-3f2a9c1d7e55',
          dispatch_id: '019a8b1e-7777-7000-8000-0a1b2c3d4e5f',
          social_account_id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
          platform: DEFAULT_PLATFORM,
          outcome: 'published',
          publish_id: 'p_pub_url~v2.7602997070760331285',
          post_url: null,
        },
      },
    ],
  },
);
export type Event = Static<typeof Event>;
export const EventRef = ref<Event>('Event');

export const EventPage = Type.Object({
  data: Type.Array(EventRef),
  has_more: Type.Boolean({
    description: 'True if more events follow: read on with the last id as `after`',
    examples: [false],
  }),
  gap: Type.Boolean({
    description:
      'True if events after `after` have expired, so that you have missed some: fetch your data again, then read on. Always false without `after`.',
    examples: [false],
  }),
});
export type EventPage = Static<typeof EventPage>;

export const MAX_EVENTS = 100;

export const ListEvents = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        pattern: EVENT_ID,
        'x-rule': 'must be the id of an event',
        description:
          'Only events after this one. `evt_000000000` comes before every event. An id that was never issued, or was lost when a backup was restored, returns 410 `cursor_unknown`.',
        examples: ['evt_00000001z'],
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_EVENTS, default: MAX_EVENTS })),
  },
  { additionalProperties: false },
);
export type ListEvents = Static<typeof ListEvents>;
