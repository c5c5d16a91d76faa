// API keys on the wire.
import { type Static, Type } from 'typebox';
import { ROLES, SCOPES } from '../../app/scopes.js';
import { choice, nullable, ref, timestamp, uuid } from '../../request/schema.js';

const fields = {
  id: uuid(),
  name: Type.String(),
  prefix: Type.String({ description: 'The first characters of the key, to tell keys apart' }),
  scopes: Type.Array(choice(SCOPES), {
    description: 'What the key can do now; never more than the member who created it',
  }),
  expires_at: nullable(timestamp()),
  last_used_at: nullable(timestamp('Accurate to the minute')),
  last_used_network: nullable(
    Type.String({ description: 'The address of its last use; of an IPv6 address, the network' }),
  ),
  networks: nullable(
    Type.Array(Type.String(), {
      description: 'The only networks from which the key may be used; null: from everywhere',
    }),
  ),
  created_at: timestamp(),
  created_by: nullable(
    Type.Object(
      { id: uuid(), name: Type.String() },
      {
        description:
          'The member who created the key, directly or through another key. The key stops working when they leave. Null if the operator created it.',
      },
    ),
  ),
  descendant_keys: Type.Integer({
    minimum: 0,
    description:
      'How many keys were created with this key, directly or through other keys. Revoking it revokes them too.',
  }),
};

const example = {
  id: '019a8b1e-7777-7000-8000-0c0ffee0beef',
  name: 'Nightly import',
  prefix: 'ad_4fZk2q',
  scopes: ['posts:read', 'posts:write'],
  expires_at: '2027-11-15T00:00:00Z',
  last_used_at: null,
  last_used_network: null,
  networks: ['203.0.113.0/24'],
  created_at: '2030-11-15T09:00:00Z',
  created_by: { id: '019a8b1e-8888-7000-8000-2b3c4d5e6f70', name: 'Ada Byron' },
  descendant_keys: 0,
};

/** How many keys and invitations the details of a key list at most, so that no response grows long. */
export const MAX_LISTED_KEYS = 100;

export const ApiKey = Type.Object(fields, { $id: 'ApiKey', examples: [example] });
export type ApiKey = Static<typeof ApiKey>;
export const ApiKeyRef = ref<ApiKey>('ApiKey');

/** What ends with the key: the newest of each kind. */
const ending = {
  keys: Type.Array(Type.Object({ id: uuid(), name: Type.String(), prefix: Type.String() }), {
    description: `The keys of \`descendant_keys\`, newest first; at most ${MAX_LISTED_KEYS}`,
  }),
  invitations: Type.Array(
    Type.Object({
      id: uuid(),
      email: nullable(Type.String()),
      role: choice(ROLES),
      expires_at: timestamp(),
    }),
    {
      description: `Open invitations that were created with this key or one of those keys, newest first; at most ${MAX_LISTED_KEYS}. Revoking the key withdraws them.`,
    },
  ),
  invitations_ending_with_it: Type.Integer({ minimum: 0, description: 'How many such invitations are open' }),
  webhooks: Type.Array(
    Type.Object({ id: uuid(), url: Type.String(), description: nullable(Type.String()) }),
    {
      description:
        'Enabled webhooks that were created, pointed at their URL, or enabled with this key or one of those keys, newest first. Revoking the key disables them.',
    },
  ),
};

export const ApiKeyDetails = Type.Object(
  { ...fields, ...ending },
  {
    $id: 'ApiKeyDetails',
    examples: [
      {
        ...example,
        keys: [],
        invitations: [
          {
            id: '019a8b1e-aaaa-7000-8000-4d5e6f708192',
            email: 'grace@example.com',
            role: 'editor',
            expires_at: '2030-11-22T09:00:00Z',
          },
        ],
        invitations_ending_with_it: 1,
        webhooks: [],
      },
    ],
  },
);
export type ApiKeyDetails = Static<typeof ApiKeyDetails>;
export const ApiKeyDetailsRef = ref<ApiKeyDetails>('ApiKeyDetails');

export const NewApiKey = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself. It is shown only once.' }) },
  { $id: 'NewApiKey', examples: [{ ...example, key: 'ad_4fZk2qExampleExampleExampleEx0a1b2c' }] },
);
export type NewApiKey = Static<typeof NewApiKey>;
export const NewApiKeyRef = ref<NewApiKey>('NewApiKey');

export const CreateKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    scopes: Type.Optional(
      Type.Array(choice(SCOPES), {
        minItems: 1,
        maxItems: SCOPES.length,
        uniqueItems: true,
        description: 'Defaults to all scopes of the caller',
      }),
    ),
    expires_at: Type.Optional(
      nullable(
        timestamp('When the key expires. Null or absent: never, or together with the key that creates it'),
      ),
    ),
    networks: Type.Optional(
      nullable(
        Type.Array(Type.String({ maxLength: 43 }), {
          minItems: 1,
          maxItems: 50,
          description:
            'Addresses and networks in CIDR notation; from elsewhere the key gets 403 `network_not_allowed`. Null or absent: everywhere, or where the key that creates it may be used',
          examples: [['203.0.113.0/24', '2001:db8::/48']],
        }),
      ),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ name: 'Nightly import', scopes: ['posts:read', 'posts:write'] }],
  },
);
export type CreateKey = Static<typeof CreateKey>;

export const UpdateKey = Type.Object(
  { name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) },
  { additionalProperties: false, examples: [{ name: 'Weekly import' }] },
);
export type UpdateKey = Static<typeof UpdateKey>;
