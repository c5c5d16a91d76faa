// Organizations on the wire.
import { type Static, Type } from 'typebox';
import { choice, nullable, ref, timestamp, uuid } from '../http/schema.js';
import { SCOPES } from '../keys/scopes.js';
import { PLANS } from './plans.js';

const example = {
  id: '019a8b1e-0000-7000-8000-1b2c3d4e5f60',
  name: 'The Map Folders',
  plan: 'growth',
  trial_ends_at: '2026-11-29T09:00:00Z',
  created_at: '2026-11-15T09:00:00Z',
  updated_at: '2026-11-15T09:00:00Z',
};

export const Organization = Type.Object(
  {
    id: uuid(),
    name: Type.String(),
    plan: choice(PLANS),
    trial_ends_at: nullable(timestamp()),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  { $id: 'Organization', examples: [example] },
);
export type Organization = Static<typeof Organization>;
export const OrganizationRef = ref<Organization>('Organization');

export const Me = Type.Object(
  {
    organization: OrganizationRef,
    in_trial: Type.Boolean(),
    key_id: uuid(),
    scopes: Type.Array(choice(SCOPES)),
  },
  {
    $id: 'Me',
    examples: [
      {
        organization: example,
        in_trial: true,
        key_id: '019a8b1e-7777-7000-8000-0c0ffee0beef',
        scopes: ['posts:read', 'posts:write'],
      },
    ],
  },
);
export type Me = Static<typeof Me>;
export const MeRef = ref<Me>('Me');

export const CreateOrganization = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    plan: choice(PLANS),
    trial_days: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 3650, default: 14, description: 'Length of the trial; 0: none' }),
    ),
  },
  { additionalProperties: false, examples: [{ name: 'The Map Folders', plan: 'growth' }] },
);
export type CreateOrganization = Static<typeof CreateOrganization>;

export const UpdateOrganization = Type.Object(
  {
    plan: Type.Optional(choice(PLANS)),
    trial_ends_at: Type.Optional(nullable(timestamp('null ends the trial'))),
  },
  { additionalProperties: false, examples: [{ plan: 'agency' }] },
);
export type UpdateOrganization = Static<typeof UpdateOrganization>;
