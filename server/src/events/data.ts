// What events of each type say in `data`. A consumer who has read the type knows its fields.
import { type TProperties, Type } from 'typebox';
import { DEFAULT_PLATFORM, platformField } from '../request/platforms.js';
import { PostProblemRef } from '../request/post-problem.js';
import { choice, nullable, timestamp, uuid } from '../request/schema.js';

const text = (description: string) => Type.String({ description });

const post = { post_id: uuid('The post') };
const account = {
  social_account_id: uuid('The account'),
  platform: platformField('Platform of the account'),
};
const attempt = { ...post, dispatch_id: uuid('The attempt'), ...account };
const result = {
  publish_id: nullable(text("The platform's id of the publication")),
  post_url: nullable(text('The public URL; null if the platform has not reported it yet')),
};
const trouble = {
  error_code: nullable(text("The platform's code, or one of ours")),
  error_message: nullable(text('What went wrong, for people')),
};

const postExample = { post_id: '019a8b1e-6c00-7000-8000-3f2a9c1d7e55' };
const accountExample = {
  social_account_id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
  platform: DEFAULT_PLATFORM,
};
const attemptExample = {
  ...postExample,
  dispatch_id: '019a8b1e-7777-7000-8000-0a1b2c3d4e5f',
  ...accountExample,
};
const publish_id = 'p_pub_url~v2.7602997070760331285';

export const EVENT_DATA = {
  'post.created': withExample('A post was created, in any way', post, postExample),
  'post.scheduled': withExample(
    'A slot was booked or moved',
    { ...post, ...account, scheduled_at: timestamp('The slot') },
    { ...postExample, ...accountExample, scheduled_at: '2030-12-01T18:00:00Z' },
  ),
  'post.at_risk': withExample(
    'A day or an hour before its slot, or when a file was rejected since, a problem keeps the post from being published',
    {
      ...post,
      ...account,
      slot: timestamp('The slot at which the post may not go out'),
      problems: Type.Array(PostProblemRef, {
        description:
          'The problems in the readiness of the post, the most urgent first; those already reported for this slot are left out',
      }),
    },
    {
      ...postExample,
      ...accountExample,
      slot: '2030-12-01T18:00:00Z',
      problems: [
        {
          code: 'privacy_level_missing',
          detail: 'Choose who can see the post.',
          pointer: '/privacy_level',
          level: 'error',
        },
      ],
    },
  ),
  'post.published': withExample(
    "The post is on the platform, or in the creator's inbox",
    { ...attempt, outcome: choice(['published', 'in_inbox'], { description: 'Where it is' }), ...result },
    { ...attemptExample, outcome: 'published', publish_id, post_url: null },
  ),
  'post.public': withExample(
    'The public URL of a published post became known, or the creator posted a draft from the inbox',
    {
      ...attempt,
      ...result,
      platform_post_id: nullable(text("The platform's id of the post, as text: it exceeds 2^53")),
    },
    {
      ...attemptExample,
      publish_id,
      post_url: 'https://www.example.com/@airdate.demo/photo/7602997070760331285',
      platform_post_id: '7602997070760331285',
    },
  ),
  'post.publish_failed': withExample(
    'An attempt failed, or the slot passed without one',
    {
      ...post,
      dispatch_id: nullable(uuid('The attempt; null if there was none')),
      social_account_id: Type.Optional(account.social_account_id),
      platform: Type.Optional(account.platform),
      ...trouble,
      post_status: choice(['draft', 'scheduled', 'publishing', 'posted', 'archived'], {
        description: 'The status of the post after the failure',
      }),
      will_retry: Type.Boolean({ description: 'False means that a person must act' }),
      retry_at: nullable(timestamp('The earliest time of the retry; null if there is none')),
    },
    {
      ...attemptExample,
      error_code: 'picture_size_check_failed',
      error_message: 'A picture is too small (picture_size_check_failed)',
      post_status: 'draft',
      will_retry: false,
      retry_at: null,
    },
  ),
  'post.outcome_unknown': withExample(
    'A person has to look for the post and resolve it; it is not sent again',
    { ...attempt, ...trouble },
    {
      ...attemptExample,
      error_code: 'platform_timeout',
      error_message: 'The platform did not answer: the post may or may not be public (platform_timeout)',
    },
  ),
  'post.deleted': withExample('A post was deleted', post, postExample),
  'account.connected': withExample(
    'An account was connected, for the first time or again',
    {
      ...account,
      username: Type.Optional(text('Not yet known when an account is connected for the first time')),
      is_reconnected: Type.Boolean({ description: 'True if the organization had this account before' }),
    },
    { ...accountExample, username: 'airdate.demo', is_reconnected: true },
  ),
  'account.disconnected': withExample(
    'An account was disconnected, or must be connected again',
    {
      ...account,
      username: text("The account's name on the platform"),
      account_status: choice(['reconnect_required', 'disconnected'], {
        description: 'What the account is now',
      }),
      reason: nullable(text('Why, for people')),
    },
    {
      ...accountExample,
      username: 'airdate.demo',
      account_status: 'reconnect_required',
      reason: 'The owner of the account has withdrawn its permission.',
    },
  ),
  'webhook.disabled': withExample(
    'One of your endpoints gets no more events',
    { webhook_id: uuid('The webhook'), reason: text('Why, for people') },
    {
      webhook_id: '019a8b1e-9999-7000-8000-7a8b9cadbecf',
      reason: 'Every delivery failed for five days.',
    },
  ),
};

function withExample<P extends TProperties>(description: string, fields: P, example: object) {
  return { ...Type.Object(fields), description, examples: [example] };
}
