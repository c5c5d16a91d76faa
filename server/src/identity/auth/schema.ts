// People and sign-in on the wire.
import { type Static, Type } from 'typebox';
import { choice, nullable, ref, timestamp, uuid } from '../../request/schema.js';
import { organizationName, TIME_FORMATS } from '../organizations/schema.js';
import { code } from './factors/schema.js';

export const personName = () => Type.String({ minLength: 1, maxLength: 100 });

/** Compared in lower case. Ownership of the address is not verified. */
export const email = () =>
  Type.String({
    maxLength: 254,
    pattern: '^[^\\s@]{1,64}@[^\\s@]{1,189}$',
    'x-rule': 'must be an email address',
  });

export const password = () =>
  Type.String({ minLength: 12, maxLength: 128, description: '12 to 128 characters of any kind' });

/** Only compared with the stored one. */
const anyPassword = () => Type.String({ minLength: 1, maxLength: 128 });

/** The token of a sign-in or invitation link. Any text is accepted: what is not a token is simply unknown. */
export const token = () => Type.String({ maxLength: 200, description: 'The part of the link after the #' });

export const EXAMPLE_TOKEN = 'kS3vX9m2bQe7TnYw1LrZ5cHgUd8oJpFa0xVtRi4sMBE';

export const AuthState = Type.Object(
  {
    signed_in: Type.Boolean(),
    sign_up: choice(['first', 'open', 'closed'], {
      description: '`first`: no one has signed up yet; the first person to do so owns the first organization',
    }),
    mail: Type.Boolean({
      description:
        'Whether the installation sends mail. Without it, a member who forgot their password asks an owner or the operator for a link',
    }),
  },
  { $id: 'AuthState', examples: [{ signed_in: false, sign_up: 'closed', mail: false }] },
);
export type AuthState = Static<typeof AuthState>;
export const AuthStateRef = ref<AuthState>('AuthState');

export const SignUp = Type.Object(
  { name: personName(), email: email(), password: password(), organization_name: organizationName() },
  {
    additionalProperties: false,
    examples: [
      {
        name: 'Ada Byron',
        email: 'ada@example.com',
        password: 'correct horse battery staple',
        organization_name: 'The Map Folders',
      },
    ],
  },
);
export type SignUp = Static<typeof SignUp>;

export const SignIn = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 254 }), password: anyPassword() },
  {
    additionalProperties: false,
    examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }],
  },
);
export type SignIn = Static<typeof SignIn>;

export const Enter = Type.Object(
  { token: token() },
  { additionalProperties: false, examples: [{ token: EXAMPLE_TOKEN }] },
);
export type Enter = Static<typeof Enter>;

export const Forgot = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 254 }) },
  { additionalProperties: false, examples: [{ email: 'ada@example.com' }] },
);
export type Forgot = Static<typeof Forgot>;

/** The same for every address. */
export const Forgotten = Type.Object(
  {
    data: Type.Object({
      accepted: Type.Boolean({
        description: 'Always true: the response does not tell whether the address is known or verified',
      }),
    }),
  },
  { description: 'Accepted', examples: [{ data: { accepted: true } }] },
);

export const ResetPassword = Type.Object(
  { token: token(), new_password: password() },
  {
    additionalProperties: false,
    examples: [{ token: EXAMPLE_TOKEN, new_password: 'correct horse battery staple' }],
  },
);
export type ResetPassword = Static<typeof ResetPassword>;

export const ChangePassword = Type.Object(
  {
    current_password: Type.Optional(anyPassword()),
    new_password: password(),
  },
  { additionalProperties: false, examples: [{ new_password: 'correct horse battery staple' }] },
);
export type ChangePassword = Static<typeof ChangePassword>;

export const Confirm = Type.Object(
  { password: Type.Optional(anyPassword()), code: Type.Optional(code()) },
  { additionalProperties: false, examples: [{ password: 'correct horse battery staple' }] },
);
export type Confirm = Static<typeof Confirm>;

export const UpdateProfile = Type.Object(
  {
    name: Type.Optional(personName()),
    time_format: Type.Optional(
      nullable(
        choice(TIME_FORMATS, { description: 'How the dashboard shows times; null: as your browser does' }),
      ),
    ),
  },
  { additionalProperties: false, examples: [{ name: 'Ada Byron', time_format: '24h' }] },
);
export type UpdateProfile = Static<typeof UpdateProfile>;

export const Session = Type.Object(
  {
    id: uuid(),
    created_at: timestamp(),
    last_seen_at: timestamp('Accurate to the minute'),
    user_agent: nullable(Type.String()),
    ip: nullable(Type.String()),
    current: Type.Boolean({ description: 'True for the session of this request' }),
  },
  {
    $id: 'Session',
    examples: [
      {
        id: '019a8b1e-9999-7000-8000-3c4d5e6f7081',
        created_at: '2030-11-15T09:00:00Z',
        last_seen_at: '2030-11-15T10:30:00Z',
        user_agent: 'Mozilla/5.0',
        ip: '192.0.2.7',
        current: true,
      },
    ],
  },
);
export type Session = Static<typeof Session>;
export const SessionRef = ref<Session>('Session');
