// Posts on the wire.
import { type Static, type TSchema, Type } from 'typebox';
import { paginationParameters } from '../api/pagination.js';
import { DEFAULT_PLATFORM } from '../api/platforms.js';
import { choice, nullable, ref, timestamp, uuid } from '../api/schema.js';
import { LONGEST_QUERY, MOST_WORDS } from './search/text.js';
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

const Readiness = Type.Object(
  {
    ready: Type.Boolean({ description: 'Whether nothing that is known is in the way' }),
    problems: Type.Array(
      Type.Object({
        code: Type.String({
          description:
            'As in preflight: `account_missing`, `reconnect_required`, `no_media`, `uploads_pending`, or a rule of the platform such as `caption_too_long`',
        }),
        message: Type.String({ description: 'What to do, for people' }),
        pointer: Type.Optional(Type.String({ description: 'JSON pointer to a field of the post' })),
      }),
      { description: 'The most urgent first; empty if the post is ready' },
    ),
  },
  {
    description:
      'With `include=readiness`: whether the post will go out, and what is in its way, from stored facts; the platform is not asked. Null unless the post is a draft or scheduled.',
  },
);
export type Readiness = Static<typeof Readiness>;

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
      timestamp(
        'The slot that the post lost: its attempts failed, or it was missed. Cleared by a new slot and by a publication',
      ),
    ),
    posted_at: nullable(timestamp('When the post was published')),
    social_account_id: nullable(uuid('Connected account to publish to')),
    publish_mode: choice(PUBLISH_MODES),
    publish_retries: Type.Integer({ description: 'Number of publish retry attempts' }),
    last_publish_error: nullable(Type.String({ description: 'Last publish failure message' })),
    privacy_level: nullable(choice(PRIVACY_LEVELS)),
    ...TOGGLE_SCHEMAS,
    created_at: timestamp(),
    updated_at: timestamp(),
    cover_url: Type.Optional(
      nullable(
        Type.String({
          description: 'With `include=cover`: signed URL of the thumbnail of the first slide, or null',
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
  },
  {
    $id: 'Post',
    examples: [
      {
        id: '019a8b1e-6c00-7000-8000-3f2a9c1d7e55',
        org_id: '019a8b1e-0000-7000-8000-1b2c3d4e5f60',
        post_type: 'slides',
        title: 'Five ways to fold a map',
        caption: 'Number four is how the rescue service does it.',
        hashtags: '#maps #outdoors',
        status: 'scheduled',
        scheduled_at: '2026-12-01T18:00:00Z',
        last_slot: null,
        posted_at: null,
        social_account_id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
        publish_mode: 'direct',
        publish_retries: 0,
        last_publish_error: null,
        privacy_level: 'PUBLIC_TO_EVERYONE',
        disable_comment: false,
        disable_duet: false,
        disable_stitch: false,
        brand_content_toggle: false,
        brand_organic_toggle: false,
        created_at: '2026-11-15T09:30:00Z',
        updated_at: '2026-11-15T09:31:12Z',
      },
    ],
  },
);
export type Post = Static<typeof Post>;
export const PostRef = ref<Post>('Post');

const title = Type.String({ minLength: 1, maxLength: 500, description: '1 to 500 characters' });
const caption = Type.String({ maxLength: 2200, description: 'At most 2200 characters' });
const hashtags = Type.String({ maxLength: 500, description: 'At most 500 characters' });

export const CreatePost = Type.Object(
  {
    title,
    post_type: Type.Optional(choice(POST_TYPES, { default: 'slides' })),
    caption: Type.Optional(caption),
    hashtags: Type.Optional(hashtags),
    social_account_id: Type.Optional(uuid('Account for publishing')),
  },
  {
    additionalProperties: false,
    examples: [
      { title: 'Five ways to fold a map', caption: 'Number four is a surprise.', hashtags: '#maps' },
    ],
  },
);
export type CreatePost = Static<typeof CreatePost>;

/** What only one platform has will live here. */
export const platformOptions = Type.Optional(
  Type.Object(
    { [DEFAULT_PLATFORM]: Type.Optional(Type.Object({}, { additionalProperties: false })) },
    {
      additionalProperties: false,
      description: 'Platform-specific options, by platform. Reserved: there are none yet.',
    },
  ),
);

export const UpdatePost = Type.Object(
  {
    title: Type.Optional(title),
    caption: Type.Optional(nullable(caption)),
    hashtags: Type.Optional(nullable(hashtags)),
    status: Type.Optional(
      choice(['scheduled', 'draft'], {
        description: '`scheduled` schedules or reschedules the post, `draft` unschedules it',
      }),
    ),
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
    options: platformOptions,
  },
  {
    additionalProperties: false,
    examples: [
      {
        status: 'scheduled',
        scheduled_at: '2026-12-01T18:00:00Z',
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

export const SORTS = ['-created_at', 'scheduled_at', '-posted_at', 'title'] as const;

const anyStatus = `(${POST_STATUSES.join('|')})`;

const INCLUDED = ['cover', 'readiness'] as const;

const include = Type.Optional(
  Type.String({
    pattern: '^(cover(,readiness)?|readiness(,cover)?)$',
    'x-rule': `must be one or more of ${INCLUDED.join(', ')}, separated by commas`,
    description:
      'One or more of `cover` and `readiness`, separated by commas. `cover` adds `cover_url` and `cover_video_url` to each post, `readiness` adds `readiness`.',
    examples: ['cover', 'cover,readiness'],
  }),
);

/** Whether a request asks for this. */
export const includes = (given: string | undefined, what: (typeof INCLUDED)[number]): boolean =>
  given?.split(',').includes(what) ?? false;

export const IncludeInPost = Type.Object({ include }, { additionalProperties: false });
export type IncludeInPost = Static<typeof IncludeInPost>;

const postType = Type.Optional(choice(POST_TYPES));
const ofAccount = Type.Optional(uuid('Filter by account, including accounts that are now disconnected'));

export const CountPosts = Type.Object(
  { post_type: postType, social_account_id: ofAccount },
  { additionalProperties: false },
);
export type CountPosts = Static<typeof CountPosts>;

export const PostCounts = Type.Object(
  {
    draft: Type.Integer(),
    scheduled: Type.Integer(),
    publishing: Type.Integer(),
    posted: Type.Integer(),
    archived: Type.Integer(),
  },
  {
    $id: 'PostCounts',
    examples: [{ draft: 31, scheduled: 9, publishing: 1, posted: 74, archived: 5 }],
  },
);
export type PostCounts = Static<typeof PostCounts>;
export const PostCountsRef = ref<PostCounts>('PostCounts');

export const ListPosts = Type.Object(
  {
    status: Type.Optional(
      Type.String({
        pattern: `^${anyStatus}(,${anyStatus}){0,9}$`,
        'x-rule': `must be one or more of ${POST_STATUSES.join(', ')}, separated by commas`,
        description: `One or more of ${POST_STATUSES.join(', ')}, separated by commas. Defaults to all posts, including archived ones.`,
        examples: ['draft', 'draft,scheduled'],
      }),
    ),
    post_type: postType,
    social_account_id: ofAccount,
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_QUERY,
        description: `Case-insensitive search in title, caption and hashtags. Every word must occur, in any order; a word also matches inside a longer one. At most ${MOST_WORDS} words. If no word has three letters or digits in a row, only the newest 2,000 posts of the given status, type and account may be searched.`,
        examples: ['packing night'],
      }),
    ),
    scheduled_from: Type.Optional(timestamp('Only posts with `scheduled_at` at or after this time')),
    scheduled_to: Type.Optional(timestamp('Only posts with `scheduled_at` at or before this time')),
    last_slot_from: Type.Optional(timestamp('Only posts with `last_slot` at or after this time')),
    last_slot_to: Type.Optional(timestamp('Only posts with `last_slot` at or before this time')),
    posted_from: Type.Optional(timestamp('Only posts with `posted_at` at or after this time')),
    posted_to: Type.Optional(timestamp('Only posts with `posted_at` at or before this time')),
    sort: Type.Optional(
      choice(SORTS, {
        default: '-created_at',
        description:
          '`-created_at`: newest first; `scheduled_at`: next slot first; `-posted_at`: published last first; `title`: by title, without regard to case and accents, of which the first 100 characters count. Posts without the value come last.',
      }),
    ),
    needs_attention: Type.Optional(
      Type.Boolean({
        description:
          'If true, only posts whose last publish failed, whose outcome is unknown, that wait for an account which must be reconnected, or that are scheduled without media',
      }),
    ),
    include,
    ...paginationParameters,
  },
  { additionalProperties: false },
);
export type ListPosts = Static<typeof ListPosts>;
