// Attempts on the wire.
import { type Static, Type } from 'typebox';
import { exportFormat } from '../../request/exports.js';
import { paginationParameters } from '../../request/pagination.js';
import { DEFAULT_PLATFORM, platformField } from '../../request/platforms.js';
import { choice, choices, nullable, ref, timestamp, uuid } from '../../request/schema.js';

export const OUTCOMES = ['started', 'accepted', 'published', 'in_inbox', 'failed', 'unknown'] as const;

const TRIGGERS = ['api', 'dashboard', 'schedule', 'retry'] as const;

export const Dispatch = Type.Object(
  {
    id: uuid(),
    post_id: uuid(),
    social_account_id: uuid(),
    platform: platformField(),
    trigger: choice(TRIGGERS),
    attempt: Type.Integer({ description: 'Number of this attempt, starting at 1' }),
    mode: choice(['direct', 'inbox']),
    outcome: choice(OUTCOMES, {
      description:
        '`accepted`: the platform is processing the post; `in_inbox`: the post is in the inbox of the account; `unknown`: the post may be on the platform',
    }),
    publish_id: nullable(
      Type.String({
        description: "The platform's id of the publish operation, once it has accepted the post",
      }),
    ),
    post_url: nullable(
      Type.String({
        description:
          'The public URL of the post. Null until the platform has made the post public, which may take hours, and if it is not public',
      }),
    ),
    platform_post_id: nullable(
      Type.String({ description: "The platform's id of the public post, as text: it exceeds 2^53" }),
    ),
    social_status: nullable(Type.String({ description: "The platform's own status" })),
    error_code: nullable(Type.String()),
    error_message: nullable(
      Type.String({ description: 'What went wrong, for people; ends with the code in parentheses' }),
    ),
    scheduled_for: nullable(timestamp('The slot that this attempt was made for; null for publish now')),
    started_at: timestamp(),
    accepted_at: nullable(timestamp()),
    finished_at: nullable(timestamp()),
    post_changed: Type.Optional(
      Type.Boolean({
        description:
          'With `include=post_changed`: whether text, files, account or options of the post have changed since this attempt sent them',
      }),
    ),
  },
  {
    $id: 'Dispatch',
    examples: [
      {
        id: '019a8b1e-7777-7000-8000-0a1b2c3d4e5f',
        post_id: '019a8b1e-6c00-7000-8000-3f2a9c1d7e55',
        social_account_id: '019a8b1e-5555-7000-8000-9a8b7c6d5e4f',
        platform: DEFAULT_PLATFORM,
        trigger: 'schedule',
        attempt: 1,
        mode: 'direct',
        outcome: 'published',
        publish_id: 'p_pub_url~v2.7602997070760331285',
        post_url: 'https://social.example/@mapfolders/photo/7602997517160123666',
        platform_post_id: '7602997517160123666',
        social_status: 'PUBLISH_COMPLETE',
        error_code: null,
        error_message: null,
        scheduled_for: '2030-12-01T18:00:00Z',
        started_at: '2030-12-01T18:00:00Z',
        accepted_at: '2030-12-01T18:00:01Z',
        finished_at: '2030-12-01T18:00:05Z',
      },
    ],
  },
);
export type Dispatch = Static<typeof Dispatch>;
export const DispatchRef = ref<Dispatch>('Dispatch');

/** The parameters that say which attempts are wanted. */
const filters = {
  outcome: Type.Optional(
    choices(OUTCOMES, {
      description: `One or more of ${OUTCOMES.join(', ')}, separated by commas. Defaults to all.`,
      examples: ['failed', 'failed,unknown'],
    }),
  ),
  error_code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only attempts that ended with this error code',
    }),
  ),
  social_account_id: Type.Optional(uuid('Only attempts of this account, even if it is now disconnected')),
  trigger: Type.Optional(choice(TRIGGERS, { description: 'Only attempts that were started this way' })),
  from: Type.Optional(timestamp('Only attempts with `started_at` at or after this time')),
  to: Type.Optional(timestamp('Only attempts with `started_at` at or before this time')),
};

export const ListPostDispatches = Type.Object(
  {
    include: Type.Optional(choice(['post_changed'])),
    ...paginationParameters,
  },
  { additionalProperties: false },
);
export type ListPostDispatches = Static<typeof ListPostDispatches>;

export const ListDispatches = Type.Object(
  { ...filters, ...paginationParameters },
  { additionalProperties: false },
);
export type ListDispatches = Static<typeof ListDispatches>;

export const ExportDispatches = Type.Object({ ...exportFormat, ...filters }, { additionalProperties: false });
export type ExportDispatches = Static<typeof ExportDispatches>;
