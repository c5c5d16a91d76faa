// Confirming that the person of a session is still the one who signed in; see request/proof.ts.
import type { App } from '../../app/app.js';
import { invalid, unauthorized } from '../../core/problems.js';
import type { SessionCaller, WithAddress } from '../../request/caller.js';
import { hasFactor } from '../has-factor.js';
import { acceptCode } from './factors/codes.js';
import { lockPerson, type PersonKey, personById } from './people.js';
import type { Confirm } from './schema.js';
import { markProved } from './sessions.js';

type Person = WithAddress<SessionCaller>;

/** Who has a second factor is asked for it, and for nothing else: the password may be what was stolen. */
export async function confirmPerson(app: App, caller: Person, { password, code }: Confirm): Promise<void> {
  const key = { org_id: caller.orgId, id: caller.personId };
  if (await hasFactor(app.db.read, key)) await confirmByCode(app, caller, key, code);
  else if (code !== undefined) throw mismatch('/code', 'must be omitted: you have no second factor');
  else await confirmByPassword(app, caller, key, password);
  app.sessionCache.clear();
}

async function confirmByPassword(
  app: App,
  caller: Person,
  key: PersonKey,
  password: string | undefined,
): Promise<void> {
  const person = await personById(app.db.read, key);
  if (!person) throw sessionOver();
  if (person.password_hash === null)
    throw mismatch('/password', 'cannot be confirmed: you have none yet. Set one first');
  if (password === undefined) throw mismatch('/password', 'is required');
  if (!(await app.passwords.matches(person.password_hash, password))) throw mismatch('/password', 'is wrong');
  await app.db.transact((tx) => markProved(app, tx, caller, 'password'));
}

async function confirmByCode(
  app: App,
  caller: Person,
  key: PersonKey,
  code: string | undefined,
): Promise<void> {
  if (code === undefined) throw mismatch('/code', 'is required: you have a second factor');
  const isRight = await app.db.transact(async (tx) => {
    const person = await lockPerson(tx, key);
    if (!person) throw sessionOver();
    if ((await acceptCode(app, tx, person, code, caller.address)) === null) return false;
    await markProved(app, tx, caller, 'factor');
    return true;
  });
  // Only now: the wrong code is counted.
  if (!isRight) throw mismatch('/code', 'is wrong, or was used before');
}

const sessionOver = () => unauthorized('The session has ended. Sign in again.');
const mismatch = (pointer: string, message: string) => invalid([{ pointer, message }]);
