// The first person to sign up owns the first organization. After that sign-up is closed, unless the operator opens it.
import type { App, TxApp } from '../../api/app.js';
import type { Reader } from '../../db/database.js';
import { AppError } from '../../ground/problems.js';
import { createOrganization } from '../organizations/organizations.js';
import { addPerson } from './people.js';
import type { Entrance, SignUp } from './schema.js';
import { beginSession, type Visit } from './sessions.js';

export async function signUpState(app: Pick<TxApp, 'config'>, read: Reader): Promise<Entrance['sign_up']> {
  const anyPerson = await read.selectFrom('people').select('id').limit(1).executeTakeFirst();
  if (!anyPerson) return 'first';
  return app.config.signUpOpen ? 'open' : 'closed';
}

/** Returns the token of the new owner's session. */
export async function signUp(app: App, input: SignUp, visit: Visit): Promise<string> {
  if ((await signUpState(app, app.db.read)) === 'closed') throw closed();
  const passwordHash = await app.passwords.hash(input.password);
  return app.db.transact(async (tx) => {
    // Of several first sign-ups only one succeeds: they are serialized on the one row that every database has.
    await tx.selectFrom('key_check').select('id').forUpdate().execute();
    if ((await signUpState(app, tx)) === 'closed') throw closed();
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
    return beginSession(app, tx, person, visit);
  });
}

const closed = () => new AppError('forbidden', 'Sign-up is closed. Ask a member for an invitation.');
