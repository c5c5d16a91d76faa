// What lists of posts take, and how many posts there are.
import { type Static, Type } from 'typebox';
import { pageOf, paginationParameters } from '../../request/pagination.js';
import { choice, choices, nullable, ref, timestamp, uuid } from '../../request/schema.js';
import { POST_TYPES, PostRef } from '../schema.js';
import { POST_STATUSES } from '../state.js';
import { MAX_QUERY, MAX_WORDS } from '../text.js';

export const SORTS = [
  '-created_at',
  'created_at',
  '-updated_at',
  'updated_at',
  '-scheduled_at',
  'scheduled_at',
  '-posted_at',
  'posted_at',
  '-title',
  'title',
] as const;

const INCLUDED = ['cover', 'readiness'] as const;

const include = Type.Optional(
  choices(INCLUDED, {
    pattern: '^(cover(,readiness)?|readiness(,cover)?)$',
    description:
      'One or more of `cover` and `readiness`, separated by commas. `cover` adds `cover_url` and `cover_video_url` to each post, `readiness` adds `readiness` and `failed_at`.',
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
    posted: Type.Integer({ description: 'Includes those in the inbox' }),
    archived: Type.Integer(),
    in_inbox: Type.Integer({
      description:
        'Of the posts with status `posted`: drafts in the inbox of their account, which their creator has not posted yet',
    }),
  },
  {
    $id: 'PostCounts',
    examples: [{ draft: 31, scheduled: 9, publishing: 1, posted: 74, archived: 5, in_inbox: 2 }],
  },
);
export type PostCounts = Static<typeof PostCounts>;
export const PostCountsRef = ref<PostCounts>('PostCounts');

export const ListPosts = Type.Object(
  {
    status: Type.Optional(
      choices(POST_STATUSES, {
        description: `One or more of ${POST_STATUSES.join(', ')}, separated by commas. Defaults to all posts, including archived ones.`,
        examples: ['draft', 'draft,scheduled'],
      }),
    ),
    post_type: postType,
    social_account_id: ofAccount,
    label: Type.Optional(uuid('Filter by label')),
    q: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_QUERY,
        description: `Case-insensitive search in title, caption and hashtags. Every word must occur, in any order; a word also matches inside a longer one. At most ${MAX_WORDS} words. If no word has three letters or digits in a row, only the newest 2,000 posts of the given status, type and account may be searched.`,
        examples: ['packing night'],
      }),
    ),
    created_from: Type.Optional(timestamp('Only posts with `created_at` at or after this time')),
    created_to: Type.Optional(timestamp('Only posts with `created_at` at or before this time')),
    updated_from: Type.Optional(timestamp('Only posts with `updated_at` at or after this time')),
    updated_to: Type.Optional(timestamp('Only posts with `updated_at` at or before this time')),
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
          'The field to sort by: descending with `-`, ascending without. `title` is compared without regard to case and accents, and its first 100 characters count. Posts without the value come last in both directions; ties are ordered by id.',
      }),
    ),
    outcome: Type.Optional(
      choice(['published', 'in_inbox', 'failed', 'unknown'], {
        description: 'Only posts whose last publish attempt ended this way, whatever their `status`',
      }),
    ),
    outcome_not: Type.Optional(
      choice(['in_inbox'], {
        description:
          'Leaves out posts whose last publish attempt ended this way: `status=posted&outcome_not=in_inbox` lists the posts that were actually posted',
      }),
    ),
    needs_attention: Type.Optional(
      Type.Boolean({
        description:
          'If true, only posts whose last publish failed, whose outcome is unknown, that wait for an account which must be reconnected, that are scheduled without media, that are among the next 200 scheduled posts and have another problem in their `readiness`, or that are drafts whose `scheduled_at` has passed',
      }),
    ),
    include,
    cursor: Type.Optional(
      Type.String({
        maxLength: 1024,
        description:
          'Use it instead of `page` to read a list of any length: send it empty for the first page, then send the `next_cursor` of the previous page, with the same filters and order, until `next_cursor` is null. A cursor never expires.',
        examples: [''],
      }),
    ),
    ...paginationParameters,
  },
  { additionalProperties: false },
);
export type ListPosts = Static<typeof ListPosts>;

export const PostPage = Type.Object(
  {
    ...pageOf(PostRef).properties,
    next_cursor: Type.Optional(
      nullable(
        Type.String({
          description:
            'Only if `cursor` was sent: the `cursor` of the next page, or null if this is the last',
          examples: ['wHfB6q0Wl2m1c5S0WzE3NjMy'],
        }),
      ),
    ),
  },
  { description: 'One page of the list' },
);
