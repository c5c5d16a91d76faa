// The first person to sign up owns the first organization. After that sign-up is closed, and it was never open where an
// operator manages the installation: with ADMIN_TOKEN, or with an organization made through the operator API. SIGNUP=open
// opens it in any case.

import type { App, TxApp } from '../../app/app.js';
import { byPerson, recordAudit } from '../../audit/record.js';
import { AppError } from '../../core/problems.js';
import { assertStrongPassword } from '../../core/weak-passwords.js';
import type { Reader } from '../../db/database.js';
import { createOrganization } from '../organizations/organizations.js';
import type { Admission } from './factors/tickets.js';
import { addPerson } from './people.js';
import type { AuthState, SignUp } from './schema.js';
import { beginSession, type ClientInfo } from './sessions.js';

/** Created at the first start without anyone asking for it, so it does not count as the operator's. */
export const DEMO_ORGANIZATION = 'Demo organization';

export async function signUpState(app: Pick<TxApp, 'config'>, read: Reader): Promise<AuthState['sign_up']> {
  const { adminToken, signUpOpen } = app.config;
  if (adminToken === null && !(await isInUse(read))) return 'first';
  return signUpOpen ? 'open' : 'closed';
}

async function isInUse(read: Reader): Promise<boolean> {
  if (await read.selectFrom('people').select('id').limit(1).executeTakeFirst()) return true;
  const organization = await read
    .selectFrom('organizations')
    .select('id')
    .where('name', '<>', DEMO_ORGANIZATION)
    .limit(1)
    .executeTakeFirst();
  return organization !== undefined;
}

/** Begins the new owner's session. */
export async function signUp(app: App, input: SignUp, client: ClientInfo): Promise<Admission> {
  if ((await signUpState(app, app.db.read)) === 'closed') throw signUpClosedError();
  assertStrongPassword(input.password, '/password');
  const passwordHash = await app.passwords.hash(input.password);
  return app.db.transact(async (tx) => {
    // Only one of several concurrent first sign-ups succeeds: they are serialized on the one row that every database has.
    await tx.selectFrom('key_check').select('id').forUpdate().execute();
    if ((await signUpState(app, tx)) === 'closed') throw signUpClosedError();
    const organization = await createOrganization(app, tx, {
      name: input.organization_name,
      plan: 'starter',
    });
    const person = await addPerson(app, tx, {
      org_id: organization.id,
      name: input.name,
      email: input.email,
      role: 'owner',
      password_hash: passwordHash,
    });
    await recordAudit(app, tx, byPerson(person, client.ip), { action: 'person.signed_up', target: person });
    return { token: await beginSession(app, tx, person, client, 'password') };
  });
}

const signUpClosedError = () =>
  new AppError('forbidden', 'Sign-up is closed. Ask a member for an invitation.');
