// Second factors on the wire.
import { type Static, Type } from 'typebox';
import { type Pagination, pageOf } from '../../../request/pagination.js';
import { choice, nullable, ref, timestamp, uuid } from '../../../request/schema.js';

const EXAMPLE_CODES = ['k3vx-6m2b-qe7t-nyw2', 'lrz5-chgu-3d4o-jpfa'];

const EXAMPLE_FACTOR = {
  id: '019a8b1e-9999-7000-8000-5e6f70819203',
  kind: 'totp',
  name: 'My phone',
  created_at: '2030-11-15T09:00:00Z',
  confirmed_at: '2030-11-15T09:01:00Z',
  last_used_at: '2030-11-15T10:30:00Z',
};

/** Spaces are allowed, as apps and lists show codes in groups. */
export const code = () => Type.String({ minLength: 1, maxLength: 64 });

const factorName = () => Type.String({ minLength: 1, maxLength: 100 });

export const Factor = Type.Object(
  {
    id: uuid(),
    kind: choice(['totp'], { description: '`totp`: an authenticator app' }),
    name: Type.String(),
    created_at: timestamp(),
    confirmed_at: nullable(timestamp('Since when sign-in asks for its codes; null: it does not yet')),
    last_used_at: nullable(timestamp('When a code of it was last accepted')),
  },
  {
    $id: 'Factor',
    examples: [EXAMPLE_FACTOR],
  },
);
export type Factor = Static<typeof Factor>;
export const FactorRef = ref<Factor>('Factor');

export const FactorPage = Type.Object(
  {
    ...pageOf(FactorRef).properties,
    recovery_codes_left: Type.Integer({ description: 'How many recovery codes are not used yet' }),
  },
  {
    description: 'All of them, on one page',
    examples: [
      {
        data: [EXAMPLE_FACTOR],
        pagination: { page: 1, per_page: 1, total: 1, total_pages: 1 },
        recovery_codes_left: 9,
      },
    ],
  },
);
export interface Factors {
  data: Factor[];
  pagination: Pagination;
  recovery_codes_left: number;
}

export const CreateFactor = Type.Object(
  { name: Type.Optional(factorName()) },
  { additionalProperties: false, examples: [{ name: 'My phone' }] },
);
export type CreateFactor = Static<typeof CreateFactor>;

export const NewFactor = Type.Object(
  {
    id: uuid(),
    name: Type.String(),
    secret: Type.String({ description: 'For apps that cannot read the QR code, in base32. Shown once' }),
    otpauth_url: Type.String({ description: 'What the QR code says. Shown once' }),
  },
  {
    $id: 'NewFactor',
    examples: [
      {
        id: '019a8b1e-9999-7000-8000-5e6f70819203',
        name: 'My phone',
        secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
        otpauth_url:
          'otpauth://totp/Airdate%3Aada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Airdate&algorithm=SHA1&digits=6&period=30',
      },
    ],
  },
);
export type NewFactor = Static<typeof NewFactor>;
export const NewFactorRef = ref<NewFactor>('NewFactor');

export const ConfirmFactor = Type.Object(
  { code: code() },
  { additionalProperties: false, examples: [{ code: '287082' }] },
);
export type ConfirmFactor = Static<typeof ConfirmFactor>;

export const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      description:
        'Each works once, instead of a code of the app. Shown once; empty: the earlier ones still count',
    }),
  },
  { $id: 'RecoveryCodes', examples: [{ recovery_codes: EXAMPLE_CODES }] },
);
export type RecoveryCodes = Static<typeof RecoveryCodes>;
export const RecoveryCodesRef = ref<RecoveryCodes>('RecoveryCodes');

export const SignInTicket = Type.Object(
  {
    ticket: Type.String({ description: 'Send it to `POST /api/v1/auth/second-factor`, with a code' }),
    methods: Type.Array(choice(['totp', 'recovery_code']), { description: 'Which codes the person has' }),
    expires_at: timestamp('After it, or five wrong codes, sign-in begins again'),
  },
  {
    $id: 'SignInTicket',
    examples: [
      {
        ticket: 'kS3vX9m2bQe7TnYw1LrZ5cHgUd8oJpFa0xVtRi4sMBE',
        methods: ['totp', 'recovery_code'],
        expires_at: '2030-11-15T10:35:00Z',
      },
    ],
  },
);
export type SignInTicket = Static<typeof SignInTicket>;
export const SignInTicketRef = ref<SignInTicket>('SignInTicket');

export const SecondFactor = Type.Object(
  { ticket: Type.String({ maxLength: 200, description: 'What sign-in answered' }), code: code() },
  {
    additionalProperties: false,
    examples: [{ ticket: 'kS3vX9m2bQe7TnYw1LrZ5cHgUd8oJpFa0xVtRi4sMBE', code: '287082' }],
  },
);
export type SecondFactor = Static<typeof SecondFactor>;
