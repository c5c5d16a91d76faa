// Signing in with a password, and changing it. Hashing is slow and happens outside transactions, so its result is checked
// again inside.
import type { App, TxApp } from '../../api/app.js';
import type { SessionCaller } from '../../api/caller.js';
import type { Tx } from '../../db/database.js';
import type { PersonRow } from '../../db/tables.js';
import { invalid, unauthorized } from '../../ground/problems.js';
import { mustBeStrong } from './password-rule.js';
import { lockPerson, personByEmail, personById } from './people.js';
import type { ChangePassword, SignIn, UpdateProfile } from './schema.js';
import { beginSession, endSessions, type Visit } from './sessions.js';

/** Returns the token of a new session. An unknown email takes the same steps and the same time. */
export async function signIn(app: App, input: SignIn, visit: Visit): Promise<string> {
  const person = await personByEmail(app.db.read, input.email);
  const isRight = await app.passwords.matches(person?.password_hash ?? null, input.password);
  if (!person || !isRight) throw wrong();
  return app.db.transact(async (tx) => {
    // The password may have changed, or the person been removed, during the check.
    const now = await lockPerson(tx, person);
    if (now?.password_hash !== person.password_hash) throw wrong();
    return beginSession(app, tx, person, visit);
  });
}

/** Ends every other session of the person. */
export async function changePassword(app: App, caller: SessionCaller, input: ChangePassword): Promise<void> {
  const person = await personById(app.db.read, caller.orgId, caller.personId);
  if (!person) throw sessionOver();
  await mustKnowPassword(app, person, input.current_password);
  mustBeStrong(input.new_password, '/new_password');
  const passwordHash = await app.passwords.hash(input.new_password);
  await app.db.transact(async (tx) => {
    const now = await lockPerson(tx, person);
    if (!now) throw sessionOver();
    if (now.password_hash !== person.password_hash) throw mismatch('was changed a moment ago');
    await tx
      .updateTable('people')
      .set({ password_hash: passwordHash, updated_at: app.clock.now() })
      .where('org_id', '=', person.org_id)
      .where('id', '=', person.id)
      .execute();
    await endSessions(tx, person, caller.sessionId);
  });
  app.sessionCache.clear();
}

async function mustKnowPassword(app: App, person: PersonRow, given: string | undefined): Promise<void> {
  if (person.password_hash === null) {
    if (given !== undefined) throw mismatch('must be omitted: no password is set yet');
    return;
  }
  if (given === undefined) throw mismatch('is required');
  if (!(await app.passwords.matches(person.password_hash, given))) throw mismatch('is wrong');
}

export async function updateProfile(
  app: TxApp,
  tx: Tx,
  caller: SessionCaller,
  { name }: UpdateProfile,
): Promise<void> {
  if (name === undefined) return;
  await tx
    .updateTable('people')
    .set({ name, updated_at: app.clock.now() })
    .where('org_id', '=', caller.orgId)
    .where('id', '=', caller.personId)
    .execute();
}

const wrong = () => unauthorized('The email or the password is wrong.');
const sessionOver = () => unauthorized('The session has ended. Sign in again.');
const mismatch = (message: string) => invalid([{ pointer: '/current_password', message }]);
