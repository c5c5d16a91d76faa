// The audit log on the wire.
import { type Static, Type } from 'typebox';
import { ROLES, SCOPES } from '../app/scopes.js';
import { paginationParameters } from '../request/pagination.js';
import { platformField } from '../request/platforms.js';
import { choice, nullable, ref, timestamp, uuid } from '../request/schema.js';
import { ACTION_NAMES, ACTIONS, type AuditAction, TARGET_KINDS } from './actions.js';

export const ACTOR_KINDS = ['person', 'key', 'operator', 'platform', 'system'] as const;

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

/** One object for all actions; each has only the fields that apply to it. None holds a secret. */
export const AuditDetails = Type.Object({
  from: Type.Optional(nullable(Type.String({ description: 'Value before the change' }))),
  to: Type.Optional(nullable(Type.String({ description: 'Value after the change' }))),
  count: count('How many sign-ins or operator tokens were refused'),
  with: Type.Optional(
    choice(['password', 'link', 'code', 'recovery_code'], { description: 'How the person signed in' }),
  ),
  recovery_codes_left: count('How many recovery codes the person has left'),
  is_replaced: Type.Optional(
    Type.Boolean({ description: 'The session ended because its browser signed in again' }),
  ),
  role: Type.Optional(choice(ROLES, { description: 'Role of the member or the invitation' })),
  scopes: Type.Optional(Type.Array(choice(SCOPES), { description: 'Scopes of the new key' })),
  expires_at: Type.Optional(nullable(timestamp('When the new key expires'))),
  networks: Type.Optional(
    Type.Array(Type.String(), { description: 'The only networks from which the new key may be used' }),
  ),
  keys_ended: count('How many keys stopped working as a result'),
  sessions_ended: count('How many sessions ended as a result'),
  invitations_withdrawn: count('How many open invitations were withdrawn as a result'),
  webhooks_disabled: count('How many webhooks were disabled as a result'),
  plan: Type.Optional(Type.String({ description: 'Plan of the new organization' })),
  platform: Type.Optional(platformField()),
  is_reconnected: Type.Optional(
    Type.Boolean({ description: 'True if the organization had this account before' }),
  ),
  default_mode: Type.Optional(
    nullable(Type.String({ description: 'The new mode that the dashboard fills in; null: none' })),
  ),
  default_hashtags: Type.Optional(
    nullable(Type.String({ description: 'The new hashtags that the dashboard fills in; null: none' })),
  ),
  fields: Type.Optional(Type.Array(Type.String(), { description: 'Names of the fields that were changed' })),
  enabled: Type.Optional(Type.Boolean({ description: 'Whether the webhook is enabled now' })),
  types: Type.Optional(
    nullable(Type.Array(Type.String(), { description: 'The event types that are sent now; null: all' })),
  ),
  format: Type.Optional(choice(['csv', 'ndjson'], { description: 'Format of the exported file' })),
  delivered: Type.Optional(Type.Boolean({ description: 'Whether the endpoint accepted the test message' })),
  delivery_id: Type.Optional(uuid('The delivery that was sent again')),
  since: Type.Optional(timestamp('Events from this time on were sent again')),
  events: count('How many events there were since then'),
  reason: Type.Optional(nullable(Type.String({ description: 'Reason, for people' }))),
  social_account_id: Type.Optional(uuid('The account that the post goes to')),
  scheduled_at: Type.Optional(timestamp('The slot of the post')),
  dispatch_id: Type.Optional(uuid('The attempt that began')),
  trigger: Type.Optional(choice(['api', 'dashboard', 'schedule', 'retry'])),
  outcome: Type.Optional(choice(['posted', 'not_posted'], { description: 'What the caller reported' })),
  status: Type.Optional(Type.String({ description: 'Status of the post before the change' })),
  files: count('How many files were deleted with the post, or are fetched for imported ones'),
  posts: count('How many posts were imported'),
  scheduled: count('How many of them were scheduled'),
  post_id: Type.Optional(uuid('The post of the file')),
  post_title: Type.Optional(Type.String()),
});
export type AuditDetails = Static<typeof AuditDetails>;

/** The names of all actions, each with its meaning. */
export const AuditActions = choice(ACTION_NAMES, {
  $id: 'AuditAction',
  description: ACTION_NAMES.map((name) => `\`${name}\`: ${ACTIONS[name][1]}`).join('\n\n'),
});

export const AuditEntry = Type.Object(
  {
    id: uuid('Ids sort in the order of the log'),
    at: timestamp(),
    actor: Type.Object(
      {
        kind: choice(ACTOR_KINDS),
        id: nullable(uuid('Id of the person or key; otherwise null')),
        name: Type.String({ description: 'Name at the time of the action' }),
      },
      {
        description:
          '`system`: the service itself, such as a worker that publishes a scheduled post; `platform`: the platform of an account',
      },
    ),
    address: nullable(
      Type.String({
        description:
          'IP address of the client; null if no request caused the action, or if the operator acted',
      }),
    ),
    action: ref<AuditAction>('AuditAction'),
    target: Type.Object({
      kind: choice(TARGET_KINDS),
      id: nullable(uuid('Id of the target; null for the installation')),
      name: nullable(
        Type.String({
          description: 'Name at the time of the action; null if it had none, or for the installation',
        }),
      ),
    }),
    details: AuditDetails,
  },
  {
    $id: 'AuditEntry',
    examples: [
      {
        id: '019a8b1e-bbbb-7000-8000-5e6f708192a3',
        at: '2030-11-15T09:00:00Z',
        actor: { kind: 'person', id: '019a8b1e-8888-7000-8000-2b3c4d5e6f70', name: 'Ada Byron' },
        address: '203.0.113.7',
        action: 'key.revoked',
        target: { kind: 'key', id: '019a8b1e-7777-7000-8000-0c0ffee0beef', name: 'Nightly import' },
        details: { keys_ended: 3 },
      },
    ],
  },
);
export type AuditEntry = Static<typeof AuditEntry>;
export const AuditEntryRef = ref<AuditEntry>('AuditEntry');

export const ListAudit = Type.Object(
  {
    actor_kind: Type.Optional(choice(ACTOR_KINDS, { description: 'Only actions of this kind of actor' })),
    actor_id: Type.Optional(uuid('Only actions of this person or key')),
    action: Type.Optional(
      Type.String({
        pattern: '^[a-z_]+\\.[a-z_]+(,[a-z_]+\\.[a-z_]+){0,49}$',
        maxLength: 2000,
        'x-rule': 'must be actions separated by commas',
        'x-list': {
          type: 'array',
          items: { $ref: '#/components/schemas/AuditAction' },
          minItems: 1,
          uniqueItems: true,
        },
        description: 'One or more actions, separated by commas',
        examples: ['key.created,key.revoked'],
      }),
    ),
    target_kind: Type.Optional(choice(TARGET_KINDS, { description: 'Only actions on this kind of target' })),
    target_id: Type.Optional(uuid('Only actions on this target')),
    from: Type.Optional(timestamp('Only actions at or after this time')),
    to: Type.Optional(timestamp('Only actions at or before this time')),
    ...paginationParameters,
  },
  { additionalProperties: false },
);
export type ListAudit = Static<typeof ListAudit>;
