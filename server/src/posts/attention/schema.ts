// What needs attention, on the wire.
import { type Static, Type } from 'typebox';
import { choice, nullable, ref, timestamp, uuid } from '../../request/schema.js';

const CAUSES = [
  'account_reconnect',
  'account_missing',
  'account_blocked',
  'no_media',
  'upload_unfinished',
  'will_fail',
  'time_without_slot',
  'publish_failed',
  'outcome_unknown',
] as const;

/** Where counting stops. */
export const MAX_COUNTED = 1_000;
export const MAX_IDS = 5;
export const MAX_ROWS = 100;

export const Attention = Type.Object(
  {
    cause: choice(CAUSES, {
      description:
        '`account_reconnect`: an account with scheduled posts must be reconnected; `account_missing`: it was disconnected; `account_blocked`: the platform refuses its posts, or all posts of this app, for a while; `no_media`: scheduled posts have no media; `upload_unfinished`: they have none yet, or their slot has come, and a file is still on its way; `will_fail`: scheduled posts have another problem in their `readiness`; `time_without_slot`: drafts whose `scheduled_at` has passed, for which nothing was scheduled; `publish_failed`: the last publish failed; `outcome_unknown`: a person has to look for the post and resolve it',
    }),
    code: Type.Optional(
      nullable(
        Type.String({
          description:
            'In `publish_failed`, the code at the end of the error messages; in `will_fail`, the code of the problem',
        }),
      ),
    ),
    account: Type.Optional(
      Type.Object(
        { id: uuid(), username: Type.String() },
        { description: 'The account, if all posts of the row have the same one' },
      ),
    ),
    blocked_until: Type.Optional(
      timestamp('In `account_blocked`, when the next post is tried; the others follow once it is accepted'),
    ),
    count: Type.Integer({
      minimum: 1,
      maximum: MAX_COUNTED,
      description: `How many posts; counting stops at ${MAX_COUNTED.toLocaleString('en')}`,
    }),
    post_title: Type.Optional(Type.String({ description: 'The title of the post, if it is the only one' })),
    post_ids: Type.Array(uuid(), {
      maxItems: MAX_IDS,
      description: `Up to ${MAX_IDS} of the posts, the most urgent first`,
    }),
    next_at: nullable(timestamp('The earliest slot among the posts; null if none of them is scheduled')),
    message: Type.String({ description: 'What is wrong and what to do, for people' }),
  },
  {
    $id: 'Attention',
    examples: [
      {
        cause: 'account_reconnect',
        account: { id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f', username: 'field.notes' },
        count: 14,
        post_ids: ['019a8b1e-6c00-7000-8000-3f2a9c1d7e55'],
        next_at: '2030-12-01T18:00:00Z',
        message: 'field.notes: reconnect, 14 posts wait.',
      },
    ],
  },
);
export type Attention = Static<typeof Attention>;
export const AttentionRef = ref<Attention>('Attention');
