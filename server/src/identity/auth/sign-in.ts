// Signing in with a password, and changing it. Hashing is slow and happens outside transactions, so its result is checked
// again inside.
import { hash } from 'node:crypto';
import type { Updateable } from 'kysely';
import type { App, TxApp } from '../../app/app.js';
import { byCaller, countFailedSignIn, recordAudit } from '../../audit/record.js';
import { toLogFields } from '../../core/log.js';
import { networkOf } from '../../core/networks.js';
import { invalid, unauthorized } from '../../core/problems.js';
import { assertStrongPassword } from '../../core/weak-passwords.js';
import type { Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { PersonRow, PersonTable } from '../../db/tables.js';
import type { SessionCaller, WithAddress } from '../../request/caller.js';
import { assertProved } from '../../request/proof.js';
import { hasFactor } from '../has-factor.js';
import { type Admission, admitPerson } from './factors/tickets.js';
import { lockPerson, type PersonKey, personByEmail, personById, sameEmail } from './people.js';
import type { ChangePassword, SignIn, UpdateProfile } from './schema.js';
import { type ClientInfo, endSessions, replaceToken } from './sessions.js';

/** An unknown email takes the same steps and the same time. */
export async function signIn(app: App, input: SignIn, client: ClientInfo): Promise<Admission> {
  const person = await personByEmail(app.db.read, input.email);
  const isRight = await checkPassword(app, person, input, client);
  if (person && !isRight) recordFailure(app, person, client);
  if (!person || !isRight) throw wrong();
  return app.db.transact(async (tx) => {
    // The password may have changed, or the person been removed, during the check.
    const now = await lockPerson(tx, person);
    if (now?.password_hash !== person.password_hash) throw wrong();
    return admitPerson(app, tx, now, client, { by: 'password', proof: 'password' });
  });
}

/** Without waiting for it: the time of the response must not tell whether the email is known. */
function recordFailure(app: App, person: PersonRow, { ip }: ClientInfo): void {
  void app.background.start(() =>
    app.db
      .transact((tx) => countFailedSignIn(app, tx, person, ip))
      .catch((err) =>
        app.log.warn({ ...toLogFields(err), user_id: person.id }, 'a failed sign-in was not recorded'),
      ),
  );
}

/** Nothing here depends on whether the email is known, but for the hash that is compared. */
async function checkPassword(
  { config, state: { signIns }, passwords }: App,
  person: PersonRow | undefined,
  input: SignIn,
  { ip, gone }: ClientInfo,
): Promise<boolean> {
  const [account, network] = [hash('sha256', sameEmail(input.email), 'hex'), networkOf(ip)];
  // A limit by time, like those per minute.
  if (config.rateLimit.enabled) await signIns.waitFor(account, network, gone);
  const passwordHash = person?.password_hash ?? null;
  const isRight = await signIns.check(network, (trust) =>
    passwords.matches(passwordHash, input.password, trust),
  );
  if (isRight) signIns.succeeded(account, network);
  else signIns.failed(account, network);
  return isRight;
}

/** Ends every other session of the person. Returns the token that this one has from now on. */
export async function changePassword(
  app: App,
  caller: WithAddress<SessionCaller>,
  input: ChangePassword,
): Promise<string> {
  const person = await personById(app.db.read, keyOf(caller));
  if (!person) throw sessionOver();
  // The first password needs no proof: who has nothing else could give none.
  if (person.password_hash !== null || (await hasFactor(app.db.read, person))) assertProved(app, caller);
  await assertPassword(app, person, input.current_password);
  assertStrongPassword(input.new_password, '/new_password');
  const passwordHash = await app.passwords.hash(input.new_password);
  const token = await app.db.transact(async (tx) => {
    const now = await lockPerson(tx, person);
    if (!now) throw sessionOver();
    if (now.password_hash !== person.password_hash) throw mismatch('was changed a moment ago');
    await tx
      .updateTable('people')
      .set({ password_hash: passwordHash, updated_at: app.clock.now() })
      .where(isRow(person))
      .execute();
    const sessions_ended = await endSessions(tx, person, caller.sessionId);
    await recordAudit(app, tx, byCaller(caller), {
      action: 'person.password_changed',
      target: now,
      details: { sessions_ended },
    });
    return replaceToken(tx, caller);
  });
  app.sessionCache.clear();
  return token;
}

async function assertPassword(app: App, person: PersonRow, given: string | undefined): Promise<void> {
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
  caller: WithAddress<SessionCaller>,
  { name, time_format }: UpdateProfile,
): Promise<void> {
  const before = await lockPerson(tx, keyOf(caller));
  if (!before) throw sessionOver();
  const changes: Updateable<PersonTable> = {};
  if (time_format !== undefined && time_format !== before.time_format) changes.time_format = time_format;
  if (name !== undefined && name !== before.name) {
    changes.name = name;
    await recordAudit(app, tx, byCaller(caller), {
      action: 'person.renamed',
      target: { id: before.id, name },
      details: { from: before.name, to: name },
    });
  }
  if (Object.keys(changes).length === 0) return;
  await tx
    .updateTable('people')
    .set({ ...changes, updated_at: app.clock.now() })
    .where(isRow(before))
    .execute();
}

const keyOf = ({ orgId, personId }: SessionCaller): PersonKey => ({ org_id: orgId, id: personId });

const wrong = () => unauthorized('The email or the password is wrong.');
const sessionOver = () => unauthorized('The session has ended. Sign in again.');
const mismatch = (message: string) => invalid([{ pointer: '/current_password', message }]);
