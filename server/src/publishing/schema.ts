// Publishing on the wire.
import { type Static, type TBoolean, type TOptional, Type } from 'typebox';
import { PRIVACY_LEVELS, platformOptions, TOGGLE_SCHEMAS } from '../posts/schema.js';
import { TOGGLES, type Toggle } from '../posts/toggles.js';
import { PostProblemRef } from '../request/post-problem.js';
import { choice, nullable, ref, timestamp, uuid } from '../request/schema.js';

const togglesOffByDefault = Object.fromEntries(
  TOGGLES.map((name) => [name, Type.Optional(Type.Boolean({ ...TOGGLE_SCHEMAS[name], default: false }))]),
) as Record<Toggle, TOptional<TBoolean>>;

export const PublishPost = Type.Object(
  {
    social_account_id: uuid('Account to publish to'),
    mode: Type.Optional(
      choice(['direct', 'inbox'], {
        default: 'direct',
        description:
          "`direct` publishes the post; `inbox` sends it as a draft to the account's inbox on the platform",
      }),
    ),
    privacy_level: choice(PRIVACY_LEVELS, { description: 'Who can see the post; there is no default' }),
    ...togglesOffByDefault,
    options: platformOptions,
  },
  {
    additionalProperties: false,
    examples: [
      {
        social_account_id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
        privacy_level: 'PUBLIC_TO_EVERYONE',
      },
    ],
  },
);
export type PublishPost = Static<typeof PublishPost>;

export const Published = Type.Object(
  { publish_id: Type.String({ description: 'Identifier of the publish operation on the platform' }) },
  { $id: 'Published', examples: [{ publish_id: 'p_pub_url~v2.7602997070760331285' }] },
);
export type Published = Static<typeof Published>;
export const PublishedRef = ref<Published>('Published');

export const PublishStatus = Type.Object(
  {
    publish_id: nullable(Type.String({ description: "Null if the platform's response was lost" })),
    status: choice(['processing', 'published', 'in_inbox', 'failed', 'unknown']),
    social_status: nullable(Type.String({ description: "The platform's own status" })),
    fail_reason: nullable(Type.String()),
    post_url: nullable(
      Type.String({ description: 'URL of the post on the platform, once the platform provides it' }),
    ),
    updated_at: timestamp('When the platform last reported a status'),
  },
  {
    $id: 'PublishStatus',
    examples: [
      {
        publish_id: 'p_pub_url~v2.7602997070760331285',
        status: 'processing',
        social_status: 'PROCESSING_UPLOAD',
        fail_reason: null,
        post_url: null,
        updated_at: '2030-12-01T18:00:01Z',
      },
    ],
  },
);
export type PublishStatus = Static<typeof PublishStatus>;
export const PublishStatusRef = ref<PublishStatus>('PublishStatus');

export const Preflight = Type.Object(
  {
    ready: Type.Boolean(),
    problems: Type.Array(PostProblemRef),
    account: nullable(
      Type.Object(
        { id: uuid(), username: Type.String() },
        { description: 'The account that the post names, even if it was disconnected' },
      ),
    ),
    request: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Exactly what would be sent. `{nonce}` stands for the secret in each slide URL, which is new for every attempt.',
    }),
  },
  {
    $id: 'Preflight',
    examples: [
      {
        ready: false,
        problems: [
          {
            code: 'privacy_level_missing',
            detail: 'Choose who can see the post.',
            pointer: '/privacy_level',
            level: 'error',
          },
        ],
        account: { id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f', username: 'field.notes' },
        request: { media_type: 'PHOTO', post_mode: 'DIRECT_POST' },
      },
    ],
  },
);
export type Preflight = Static<typeof Preflight>;
export const PreflightRef = ref<Preflight>('Preflight');

export const ResolvePost = Type.Object(
  {
    outcome: choice(['posted', 'not_posted'], {
      description:
        '`posted`: the post is on the platform; `not_posted`: it is not, and can be published again',
    }),
  },
  { additionalProperties: false, examples: [{ outcome: 'posted' }] },
);
export type ResolvePost = Static<typeof ResolvePost>;
