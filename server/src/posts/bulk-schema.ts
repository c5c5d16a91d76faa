// POST /api/v1/posts/bulk on the wire.
import { type Static, Type } from 'typebox';
import { choice, problemSchema, timestamp, uuid } from '../request/schema.js';
import { PostRef, PRIVACY_LEVELS, PUBLISH_MODES, platformOptions, TOGGLE_SCHEMAS } from './schema.js';

const BULK_ACTIONS = ['schedule', 'shift', 'unschedule', 'delete'] as const;
const MAX_POSTS = 100;
const MAX_DAYS = 365;

export const BulkPosts = Type.Object(
  {
    action: choice(BULK_ACTIONS, {
      description:
        '`schedule` books or moves the slot of drafts and scheduled posts, `shift` moves scheduled posts by days, `unschedule` makes scheduled posts drafts, `delete` deletes drafts and archived posts permanently',
    }),
    ids: Type.Array(uuid(), {
      minItems: 1,
      maxItems: MAX_POSTS,
      uniqueItems: true,
      description: '1 to 100 post ids, each once',
    }),
    scheduled_at: Type.Optional(
      Type.Array(timestamp(), {
        minItems: 1,
        maxItems: MAX_POSTS,
        description:
          'Required for `schedule`: the slot of each post, in the order of `ids`, with a UTC offset. The other fields apply to all posts; a field can be left out if the posts already have it.',
      }),
    ),
    social_account_id: Type.Optional(uuid('For `schedule`: account to publish to')),
    privacy_level: Type.Optional(
      choice(PRIVACY_LEVELS, { description: 'For `schedule`: who can see the posts' }),
    ),
    publish_mode: Type.Optional(
      choice(PUBLISH_MODES, { description: 'For `schedule`: publish directly, or send to the inbox' }),
    ),
    ...Type.Partial(Type.Object(TOGGLE_SCHEMAS)).properties,
    options: platformOptions,
    days: Type.Optional(
      Type.Integer({
        minimum: -MAX_DAYS,
        maximum: MAX_DAYS,
        description: 'Required for `shift`: number of days by which slots move, -365 to 365 and not 0',
      }),
    ),
    time_zone: Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'For `shift`: IANA time zone in which slots keep their local time of day when clocks change; UTC if left out. A local time that does not exist on the new day moves forward with the clocks, so 2:30 becomes 3:30; of one that occurs twice, the first is taken.',
        examples: ['Europe/Berlin'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      {
        action: 'schedule',
        ids: ['019a8b1e-6c00-7000-8000-3f2a9c1d7e55'],
        scheduled_at: ['2030-12-01T18:00:00Z'],
        social_account_id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
        privacy_level: 'PUBLIC_TO_EVERYONE',
      },
    ],
  },
);
export type BulkPosts = Static<typeof BulkPosts>;

export const BulkResults = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        id: uuid('Id of the post, as in the request'),
        status: Type.Integer({
          description: 'The HTTP status that a request for this post alone would have returned',
        }),
        post: Type.Optional(PostRef),
        problem: Type.Optional(
          problemSchema(
            'not_found',
            'validation_failed',
            'wrong_state',
            'publish_in_progress',
            'insufficient_scope',
          ),
        ),
      }),
      {
        description:
          'One entry for each of `ids`, in their order: `post` after the change (not for `delete`), or `problem` if the post was refused and is unchanged',
      },
    ),
  },
  {
    description: 'The result for each post; some may have been refused',
    examples: [
      {
        data: [
          { id: '019a8b1e-6c00-7000-8000-3f2a9c1d7e55', status: 204 },
          {
            id: '019a8b1e-6c00-7000-8000-3f2a9c1d7e56',
            status: 404,
            problem: {
              type: '/problems/not_found',
              title: 'Not found',
              status: 404,
              detail: 'There is no such post. Check the id, and that it belongs to your organization.',
              code: 'not_found',
              request_id: 'req_k3v9x2m1a7',
            },
          },
        ],
      },
    ],
  },
);
