// A new password with a link. It ends whatever a thief of the old one may have begun, and signs no one in: a second factor is still
// asked for at the sign-in that follows.
import type { App, TxApp } from '../../app/app.js';
import { ROLE_SCOPES, type Scope } from '../../app/scopes.js';
import { byPerson, recordAudit } from '../../audit/record.js';
import { MINUTE_MS } from '../../core/durations.js';
import { AppError } from '../../core/problems.js';
import { assertStrongPassword } from '../../core/weak-passwords.js';
import type { Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { PersonRow } from '../../db/tables.js';
import { type PersonKey, personById } from './people.js';
import { createPersonLink, findPersonLink, type PersonLink, usePersonLink } from './person-links.js';
import type { ResetPassword } from './schema.js';
import { type ClientInfo, endSessions } from './sessions.js';

/** `madeBy`: the member who asks for it, who may be the person; null: the operator. */
export const createResetLink = (
  app: TxApp,
  tx: Tx,
  person: PersonKey,
  madeBy: string | null,
  lastsMs = 30 * MINUTE_MS,
): Promise<PersonLink> => createPersonLink(app, tx, person, { purpose: 'reset', madeBy, lastsMs });

export async function resetPassword(
  app: App,
  { token, new_password }: ResetPassword,
  { ip }: Pick<ClientInfo, 'ip'>,
): Promise<void> {
  // Checked before hashing: a request without a link must not cost a hash.
  if (!(await findPersonLink(app, app.db.read, token, 'reset'))) throw spent();
  assertStrongPassword(new_password, '/new_password');
  const password_hash = await app.passwords.hash(new_password);
  await app.db.transact(async (tx) => {
    const link = await usePersonLink(app, tx, token, 'reset');
    if (!link || !(await mayStillReset(tx, link.person, link.madeBy))) throw spent();
    const { person } = link;
    await tx
      .updateTable('people')
      .set({ password_hash, updated_at: app.clock.now() })
      .where(isRow(person))
      .execute();
    const sessions_ended = await endSessions(tx, person);
    await recordAudit(app, tx, byPerson(person, ip), {
      action: 'person.password_reset',
      target: person,
      details: { sessions_ended },
    });
  });
  app.sessionCache.clear();
}

/**
 * A colleague's link is worth what the colleague may do now. Else an admin could keep links for later: after they are removed, or
 * after one of the others becomes an owner.
 */
async function mayStillReset(tx: Tx, person: PersonRow, madeBy: string | null): Promise<boolean> {
  if (madeBy === null || madeBy === person.id) return true;
  const maker = await personById(tx, { org_id: person.org_id, id: madeBy });
  if (!maker || person.role === 'owner') return maker?.role === 'owner';
  const scopes: readonly Scope[] = ROLE_SCOPES[maker.role];
  return scopes.includes('org:manage');
}

const spent = () =>
  new AppError('gone', 'This link was already used, has expired, or never existed. Ask for a new one.');
