// Posts on the wire.
import { type Static, type TSchema, Type } from 'typebox';
import { DEFAULT_PLATFORM } from '../request/platforms.js';
import { PostProblemRef } from '../request/post-problem.js';
import { choice, nullable, ref, timestamp, uuid } from '../request/schema.js';
import { postLabels } from './labels/schema.js';
import { POST_STATUSES } from './state.js';
import type { Toggle } from './toggles.js';

export const POST_TYPES = ['slides', 'video'] as const;
export const PUBLISH_MODES = ['direct', 'inbox'] as const;
export const PRIVACY_LEVELS = [
  'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
  'FOLLOWER_OF_CREATOR',
  'SELF_ONLY',
] as const;

export const TOGGLE_SCHEMAS = {
  disable_comment: Type.Boolean({ description: 'Comments disabled' }),
  disable_duet: Type.Boolean({ description: 'Duets disabled' }),
  disable_stitch: Type.Boolean({ description: 'Stitching disabled' }),
  brand_content_toggle: Type.Boolean({ description: 'Branded content disclosure (paid partnership)' }),
  brand_organic_toggle: Type.Boolean({ description: 'Own brand promotion disclosure' }),
} satisfies Record<Toggle, TSchema>;

/** The platform's number has 32 bits. */
const MAX_MS = 2 ** 31 - 1;

const COVER_SCHEMAS = {
  cover_index: nullable(
    Type.Integer({
      minimum: 0,
      maximum: 34,
      description:
        'Slides only: which of the uploaded slides is the cover, counted from 0. Null: the first. It stays the same number if slides are moved or removed; a number without a slide is refused when the post is published (`cover_out_of_range`).',
    }),
  ),
  cover_ms: nullable(
    Type.Integer({
      minimum: 0,
      maximum: MAX_MS,
      description: 'Video only: the moment whose frame is the cover, in milliseconds. Null: the first frame.',
    }),
  ),
};
const Readiness = Type.Object(
  {
    ready: Type.Boolean({ description: 'True if no known problem prevents publishing; warnings do not' }),
    problems: Type.Array(PostProblemRef, {
      description:
        'Problems, the most urgent first. Their codes are those of preflight: `account_missing`, `reconnect_required`, `account_blocked`, `no_media`, `uploads_pending`, `media_rejected`, `time_without_slot`, or a rule of the platform such as `caption_too_long`.',
    }),
  },
  {
    description:
      'With `include=readiness`: whether the post can be published, and which problems prevent it, from stored facts; Airdate does not query the platform. A draft may lack a `privacy_level`: every publish request names one. Null unless the post is a draft or scheduled.',
  },
);
export type Readiness = Static<typeof Readiness>;

const EXAMPLE = {
  id: '019a8b1e-6c00-7000-8000-3f2a9c1d7e55',
  org_id: '019a8b1e-0000-7000-8000-1b2c3d4e5f60',
  post_type: 'slides',
  title: 'Five ways to fold a map',
  caption: 'Number four is how the rescue service does it.',
  hashtags: '#maps #outdoors',
  status: 'scheduled',
  scheduled_at: '2030-12-01T18:00:00Z',
  last_slot: null,
  posted_at: null,
  social_account_id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
  publish_mode: 'direct',
  publish_retries: 0,
  last_publish_error: null,
  in_inbox: false,
  privacy_level: 'PUBLIC_TO_EVERYONE',
  disable_comment: false,
  disable_duet: false,
  disable_stitch: false,
  brand_content_toggle: false,
  brand_organic_toggle: false,
  labels: ['019a8b1e-4444-7000-8000-5d6e7f809112'],
  cover_index: 2,
  cover_ms: null,
  created_at: '2030-11-15T09:30:00Z',
  updated_at: '2030-11-15T09:31:12Z',
};

/** The post that the first example of a request creates. */
export const DRAFT_EXAMPLE = {
  ...EXAMPLE,
  status: 'draft',
  scheduled_at: null,
  social_account_id: null,
  privacy_level: null,
  labels: [],
  cover_index: null,
  updated_at: EXAMPLE.created_at,
};
export const POSTED_EXAMPLE = { ...EXAMPLE, status: 'posted', posted_at: EXAMPLE.scheduled_at };

export const Post = Type.Object(
  {
    id: uuid(),
    org_id: uuid(),
    post_type: choice(POST_TYPES),
    title: nullable(Type.String()),
    caption: nullable(Type.String()),
    hashtags: nullable(Type.String()),
    status: choice(POST_STATUSES),
    scheduled_at: nullable(timestamp('When the post is scheduled to publish')),
    last_slot: nullable(
      timestamp('The slot that failed or was missed. A new slot or a publication clears it'),
    ),
    posted_at: nullable(timestamp('When the post was published')),
    social_account_id: nullable(uuid('Connected account to publish to')),
    publish_mode: choice(PUBLISH_MODES),
    publish_retries: Type.Integer({ description: 'Number of publish retry attempts' }),
    last_publish_error: nullable(Type.String({ description: 'Last publish failure message' })),
    in_inbox: Type.Boolean({
      description:
        'Whether the post is a draft in the inbox of its account, which its creator has not posted yet; its `status` is `posted` all the same',
    }),
    privacy_level: nullable(choice(PRIVACY_LEVELS)),
    ...TOGGLE_SCHEMAS,
    labels: Type.Array(uuid(), { description: 'Ids of labels' }),
    ...COVER_SCHEMAS,
    created_at: timestamp(),
    updated_at: timestamp(),
    cover_url: Type.Optional(
      nullable(
        Type.String({
          description:
            'With `include=cover`: signed URL of the thumbnail of the slide that is the cover, or null',
        }),
      ),
    ),
    cover_video_url: Type.Optional(
      nullable(
        Type.String({
          description: 'With `include=cover`: signed URL of the video, to show a frame of it, or null',
        }),
      ),
    ),
    readiness: Type.Optional(nullable(Readiness)),
    failed_at: Type.Optional(
      nullable(
        timestamp('With `include=readiness`: when the last attempt of a draft failed; null if none did'),
      ),
    ),
  },
  {
    $id: 'Post',
    examples: [EXAMPLE],
  },
);
export type Post = Static<typeof Post>;
export const PostRef = ref<Post>('Post');

/** In characters as people count them. */
export const MAX_LENGTHS = { caption: 2200, hashtags: 500 } as const;

const title = Type.String({ minLength: 1, maxLength: 500, description: '1 to 500 characters' });
const upTo = (limit: number) => Type.String({ maxLength: limit, description: `At most ${limit} characters` });
const caption = upTo(MAX_LENGTHS.caption);
const hashtags = upTo(MAX_LENGTHS.hashtags);

/** What only one platform has will live here. */
export const platformOptions = Type.Optional(
  Type.Object(
    {
      [DEFAULT_PLATFORM]: Type.Optional(
        Type.Object({}, { additionalProperties: false, description: 'The options of this platform' }),
      ),
    },
    {
      additionalProperties: false,
      description: 'Platform-specific options, by platform. None exist yet; the name is reserved.',
    },
  ),
);

/** What a caller may set of a post, now or later. */
const changeable = {
  caption: Type.Optional(nullable(caption)),
  hashtags: Type.Optional(nullable(hashtags)),
  scheduled_at: Type.Optional(
    nullable(
      timestamp(
        'Publish time with a UTC offset, at least 5 minutes in the future (the operator can change this minimum)',
      ),
    ),
  ),
  social_account_id: Type.Optional(nullable(uuid('Account to publish to'))),
  privacy_level: Type.Optional(
    nullable(choice(PRIVACY_LEVELS, { description: 'Required for scheduling; there is no default' })),
  ),
  publish_mode: Type.Optional(choice(PUBLISH_MODES)),
  ...Type.Partial(Type.Object(TOGGLE_SCHEMAS)).properties,
  labels: postLabels,
  ...Type.Partial(Type.Object(COVER_SCHEMAS)).properties,
  options: platformOptions,
};

const statusOf = (description: string) => Type.Optional(choice(['scheduled', 'draft'], { description }));

export const CreatePost = Type.Object(
  {
    title,
    post_type: Type.Optional(choice(POST_TYPES, { default: 'slides' })),
    status: statusOf('`scheduled` also schedules the post; `draft` is the default'),
    ...changeable,
  },
  {
    additionalProperties: false,
    examples: [
      { title: 'Five ways to fold a map', caption: 'Number four is a surprise.', hashtags: '#maps' },
      {
        title: 'Five ways to fold a map',
        status: 'scheduled',
        scheduled_at: '2030-12-01T18:00:00Z',
        social_account_id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
        privacy_level: 'PUBLIC_TO_EVERYONE',
      },
    ],
  },
);
export type CreatePost = Static<typeof CreatePost>;

export const UpdatePost = Type.Object(
  {
    title: Type.Optional(title),
    status: statusOf('`scheduled` schedules or reschedules the post, `draft` unschedules it'),
    ...changeable,
  },
  {
    additionalProperties: false,
    examples: [
      {
        status: 'scheduled',
        scheduled_at: '2030-12-01T18:00:00Z',
        social_account_id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
        privacy_level: 'PUBLIC_TO_EVERYONE',
      },
    ],
  },
);
export type UpdatePost = Static<typeof UpdatePost>;

export const BatchPosts = Type.Object(
  {
    ids: Type.Array(uuid(), { minItems: 1, maxItems: 50, description: '1 to 50 post ids' }),
    action: choice(['archive', 'unarchive']),
  },
  {
    additionalProperties: false,
    examples: [{ ids: ['019a8b1e-6c00-7000-8000-3f2a9c1d7e55'], action: 'archive' }],
  },
);
export type BatchPosts = Static<typeof BatchPosts>;
