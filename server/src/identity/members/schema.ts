// Members and invitations on the wire.
import { type Static, Type } from 'typebox';
import { ROLES } from '../../app/scopes.js';
import { choice, nullable, ref, timestamp, uuid } from '../../request/schema.js';
import { EXAMPLE_TOKEN, email, password, personName, token } from '../auth/schema.js';
import { MAX_LISTED_KEYS } from '../keys/schema.js';

const memberFields = {
  id: uuid(),
  name: Type.String(),
  email: Type.String(),
  role: choice(ROLES),
  joined_at: timestamp(),
  last_seen_at: nullable(timestamp('Accurate to the minute')),
  is_you: Type.Boolean(),
};

const exampleMember = {
  id: '019a8b1e-8888-7000-8000-2b3c4d5e6f70',
  name: 'Ada Byron',
  email: 'ada@example.com',
  role: 'editor',
  joined_at: '2030-11-15T09:00:00Z',
  last_seen_at: '2030-11-15T10:30:00Z',
  is_you: false,
};

export const Member = Type.Object(memberFields, { $id: 'Member', examples: [exampleMember] });
export type Member = Static<typeof Member>;
export const MemberRef = ref<Member>('Member');

/** What ends with the member: the newest of each kind. */
const ending = {
  sessions_ending: Type.Integer({ minimum: 0, description: 'How many browsers they are signed in with' }),
  keys_ending: Type.Integer({
    minimum: 0,
    description: 'How many keys they created, directly or with other keys. Removing the member revokes them.',
  }),
  keys: Type.Array(Type.Object({ id: uuid(), name: Type.String(), prefix: Type.String() }), {
    description: `These keys, newest first; at most ${MAX_LISTED_KEYS}`,
  }),
  invitations_ending: Type.Integer({
    minimum: 0,
    description: 'How many open invitations they created. Removing the member withdraws them.',
  }),
  invitations: Type.Array(
    Type.Object({
      id: uuid(),
      email: nullable(Type.String()),
      role: choice(ROLES),
      expires_at: timestamp(),
    }),
    { description: `These invitations, newest first; at most ${MAX_LISTED_KEYS}` },
  ),
  webhooks: Type.Array(
    Type.Object({ id: uuid(), url: Type.String(), description: nullable(Type.String()) }),
    {
      description:
        'Enabled webhooks that were created, pointed at their URL, or enabled with one of these keys, newest first. Removing the member disables them; those that they created in the dashboard stay.',
    },
  ),
};

export const MemberDetails = Type.Object(
  { ...memberFields, ...ending },
  {
    $id: 'MemberDetails',
    examples: [
      {
        ...exampleMember,
        sessions_ending: 1,
        keys_ending: 1,
        keys: [{ id: '019a8b1e-7777-7000-8000-0c0ffee0beef', name: 'Nightly import', prefix: 'ad_4fZk2q' }],
        invitations_ending: 0,
        invitations: [],
        webhooks: [],
      },
    ],
  },
);
export type MemberDetails = Static<typeof MemberDetails>;
export const MemberDetailsRef = ref<MemberDetails>('MemberDetails');

export const UpdateMember = Type.Object(
  { role: choice(ROLES) },
  { additionalProperties: false, examples: [{ role: 'editor' }] },
);
export type UpdateMember = Static<typeof UpdateMember>;

export const ResetLink = Type.Object(
  {
    url: Type.String({
      description: 'The link to hand to the member. It is shown only once and works once.',
    }),
    expires_at: timestamp('When the link expires: after 24 hours'),
  },
  {
    $id: 'ResetLink',
    examples: [
      { url: `https://airdate.example.com/reset#${EXAMPLE_TOKEN}`, expires_at: '2030-11-16T10:30:00Z' },
    ],
  },
);
export type ResetLink = Static<typeof ResetLink>;
export const ResetLinkRef = ref<ResetLink>('ResetLink');

const fields = {
  id: uuid(),
  email: nullable(Type.String()),
  role: choice(ROLES),
  created_at: timestamp(),
  expires_at: timestamp(),
  invited_by: nullable(
    Type.String({
      description:
        'Name of the member who created the invitation, directly or with a key. Null if the operator created the key.',
    }),
  ),
};

const example = {
  id: '019a8b1e-aaaa-7000-8000-4d5e6f708192',
  email: 'grace@example.com',
  role: 'editor',
  created_at: '2030-11-15T09:00:00Z',
  expires_at: '2030-11-22T09:00:00Z',
  invited_by: 'Ada Byron',
};

export const Invitation = Type.Object(fields, { $id: 'Invitation', examples: [example] });
export type Invitation = Static<typeof Invitation>;
export const InvitationRef = ref<Invitation>('Invitation');

export const NewInvitation = Type.Object(
  {
    ...fields,
    url: Type.String({
      description: 'The link to send to the invited person. It is shown only once and works once.',
    }),
  },
  {
    $id: 'NewInvitation',
    examples: [{ ...example, url: `https://airdate.example.com/invitation#${EXAMPLE_TOKEN}` }],
  },
);
export type NewInvitation = Static<typeof NewInvitation>;
export const NewInvitationRef = ref<NewInvitation>('NewInvitation');

export const CreateInvitation = Type.Object(
  { role: choice(ROLES), email: Type.Optional(email()) },
  { additionalProperties: false, examples: [{ role: 'editor', email: 'grace@example.com' }] },
);
export type CreateInvitation = Static<typeof CreateInvitation>;

export const ReadInvitation = Type.Object(
  { token: token() },
  { additionalProperties: false, examples: [{ token: EXAMPLE_TOKEN }] },
);

/** What an invitation shows to the holder of its link. */
export const InvitationPreview = Type.Object(
  {
    organization_name: Type.String(),
    role: choice(ROLES),
    email: nullable(
      Type.String({ description: 'The invited email address; if null, anyone with the link can accept' }),
    ),
  },
  {
    $id: 'InvitationPreview',
    examples: [{ organization_name: 'The Map Folders', role: 'editor', email: 'grace@example.com' }],
  },
);
export type InvitationPreview = Static<typeof InvitationPreview>;
export const InvitationPreviewRef = ref<InvitationPreview>('InvitationPreview');

export const AcceptInvitation = Type.Object(
  { token: token(), name: personName(), email: email(), password: password() },
  {
    additionalProperties: false,
    examples: [
      {
        token: EXAMPLE_TOKEN,
        name: 'Grace Hopper',
        email: 'grace@example.com',
        password: 'correct horse battery staple',
      },
    ],
  },
);
export type AcceptInvitation = Static<typeof AcceptInvitation>;

export const MEMBER_SCHEMAS = [
  Member,
  MemberDetails,
  ResetLink,
  Invitation,
  NewInvitation,
  InvitationPreview,
];
