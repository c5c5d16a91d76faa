// Organizations on the wire.
import { type Static, Type } from 'typebox';
import { ROLES, SCOPES } from '../../app/scopes.js';
import { PLANS } from '../../quotas/plans.js';
import {
  EXAMPLE_OPERATOR_QUOTAS,
  EXAMPLE_QUOTAS,
  OperatorQuotas,
  Quotas,
  UpdateQuotas,
} from '../../quotas/schema.js';
import { choice, nullable, ref, timestamp, uuid } from '../../request/schema.js';

const SECOND_FACTOR = ['optional', 'required'] as const;

const example = {
  id: '019a8b1e-0000-7000-8000-1b2c3d4e5f60',
  name: 'The Map Folders',
  plan: 'growth',
  trial_ends_at: '2030-11-29T09:00:00Z',
  second_factor: 'optional',
  created_at: '2030-11-15T09:00:00Z',
  updated_at: '2030-11-15T09:00:00Z',
};

export const Organization = Type.Object(
  {
    id: uuid(),
    name: Type.String(),
    plan: choice(PLANS),
    trial_ends_at: nullable(timestamp()),
    second_factor: choice(SECOND_FACTOR, { description: 'Whether every member needs a second factor' }),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { $id: 'Organization', examples: [example] },
);
export type Organization = Static<typeof Organization>;
export const OrganizationRef = ref<Organization>('Organization');

export const ManagedOrganization = Type.Object(
  { ...Organization.properties, quotas: OperatorQuotas },
  { $id: 'ManagedOrganization', examples: [{ ...example, quotas: EXAMPLE_OPERATOR_QUOTAS }] },
);
export type ManagedOrganization = Static<typeof ManagedOrganization>;
export const ManagedOrganizationRef = ref<ManagedOrganization>('ManagedOrganization');

export const organizationName = () => Type.String({ minLength: 1, maxLength: 200 });

export const TIME_FORMATS = ['12h', '24h'] as const;

export const Me = Type.Object(
  {
    organization: OrganizationRef,
    in_trial: Type.Boolean(),
    scopes: Type.Array(choice(SCOPES)),
    via: choice(['key', 'session']),
    key_id: nullable(uuid()),
    user: nullable(
      Type.Object(
        {
          id: uuid(),
          name: Type.String(),
          email: nullable(Type.String()),
          email_verified: Type.Boolean({ description: 'Whether mail is sent to the address' }),
          has_password: Type.Boolean(),
          has_second_factor: Type.Boolean(),
          time_format: nullable(
            choice(TIME_FORMATS, { description: 'How the person wants times shown; null: no preference' }),
          ),
        },
        { description: 'The signed-in person; null for a key' },
      ),
    ),
    role: nullable(choice(ROLES)),
    quotas: Quotas,
    schedule_min_lead_seconds: Type.Integer({
      description: 'A slot must be at least this many seconds in the future',
    }),
    safe_mode: Type.Boolean({
      description:
        'True after a restore from a backup: nothing is published until the operator ends safe mode',
    }),
    safe_mode_reason: nullable(Type.String({ description: 'Why the service is in safe mode, for people' })),
    platform: Type.Object({
      is_sandbox: Type.Boolean({ description: 'True if posts go to the sandbox, not to the real platform' }),
      feed_url: nullable(
        Type.String({ description: 'Where the built-in sandbox shows published posts; null without it' }),
      ),
    }),
  },
  {
    $id: 'Me',
    examples: [
      {
        organization: example,
        in_trial: true,
        scopes: ['posts:read', 'posts:write'],
        via: 'key',
        key_id: '019a8b1e-7777-7000-8000-0c0ffee0beef',
        user: null,
        role: null,
        quotas: EXAMPLE_QUOTAS,
        schedule_min_lead_seconds: 300,
        safe_mode: false,
        safe_mode_reason: null,
        platform: { is_sandbox: true, feed_url: '/sandbox/' },
      },
      {
        organization: example,
        in_trial: true,
        scopes: ['posts:read', 'analytics:read'],
        via: 'session',
        key_id: null,
        user: {
          id: '019a8b1e-8888-7000-8000-2b3c4d5e6f70',
          name: 'Ada Byron',
          email: 'ada@example.com',
          email_verified: true,
          has_password: true,
          has_second_factor: false,
          time_format: '24h',
        },
        role: 'viewer',
        quotas: EXAMPLE_QUOTAS,
        schedule_min_lead_seconds: 300,
        safe_mode: false,
        safe_mode_reason: null,
        platform: { is_sandbox: true, feed_url: '/sandbox/' },
      },
    ],
  },
);
export type Me = Static<typeof Me>;
export const MeRef = ref<Me>('Me');

export const CreateOrganization = Type.Object(
  {
    name: organizationName(),
    plan: choice(PLANS),
    trial_days: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3650,
        default: 14,
        description: 'Length of the trial in days; 0 for no trial',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ name: 'The Map Folders', plan: 'growth' }] },
);
export type CreateOrganization = Static<typeof CreateOrganization>;

export const UpdateOrganization = Type.Object(
  {
    plan: Type.Optional(choice(PLANS)),
    trial_ends_at: Type.Optional(nullable(timestamp('Null ends the trial'))),
    quotas: Type.Optional(UpdateQuotas),
  },
  { additionalProperties: false, examples: [{ plan: 'agency' }] },
);
export type UpdateOrganization = Static<typeof UpdateOrganization>;

export const UpdateOwnOrganization = Type.Object(
  {
    name: Type.Optional(organizationName()),
    second_factor: Type.Optional(
      choice(SECOND_FACTOR, {
        description:
          'For signed-in owners who have a second factor themselves. `required`: members without one can only add one',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ name: 'The Map Folders' }] },
);
export type UpdateOwnOrganization = Static<typeof UpdateOwnOrganization>;
