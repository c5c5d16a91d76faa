// For the operator, when no one else can help: the only owner forgot the password, or lost the authenticator app.
import type { App } from '../app/app.js';
import { type Act, byOperator, recordAudit } from '../audit/record.js';
import { toTimestamp } from '../core/clock.js';
import type { Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import type { PersonRow } from '../db/tables.js';
import { deleteFactors } from '../identity/auth/factors/factors.js';
import { lockPerson, personByEmail } from '../identity/auth/people.js';
import { createResetLink } from '../identity/auth/reset.js';
import { endSessions } from '../identity/auth/sessions.js';
import { OperatorError } from './backup/operator-error.js';

export interface RecoverOptions {
  /** Also removes the second factors: the person signs in with the password alone, until they add another. */
  factors: boolean;
  /** Also marks the email as verified. */
  verify: boolean;
}

/** Returns what the operator reads: a link that sets a new password. The running service follows within a second. */
export async function recover(app: App, email: string, options: RecoverOptions): Promise<string> {
  const { name, link } = await app.db.transact(async (tx) => {
    const found = await personByEmail(tx, email);
    const person = found && (await lockPerson(tx, found));
    if (!person) throw new OperatorError(`No one has the email ${email} here.`);
    const acts: Act[] = [];
    if (options.factors) acts.push(await removeFactors(tx, person));
    if (options.verify && person.email_verified_at === null) acts.push(await verifyEmail(app, tx, person));
    // After the sessions: they end with all links.
    const link = await createResetLink(app, tx, person, null);
    acts.push({ action: 'member.reset_link_created', target: person });
    await recordAudit(app, tx, byOperator(person.org_id), ...acts);
    return { name: person.name, link };
  });
  return `With this link ${name} sets a new password, once, until ${toTimestamp(link.expiresAt)}:\n${link.url}`;
}

async function removeFactors(tx: Tx, person: PersonRow): Promise<Act> {
  await deleteFactors(tx, person);
  const sessions_ended = await endSessions(tx, person);
  return { action: 'person.factors_removed', target: person, details: { sessions_ended } };
}

async function verifyEmail({ clock }: App, tx: Tx, person: PersonRow): Promise<Act> {
  await tx.updateTable('people').set({ email_verified_at: clock.now() }).where(isRow(person)).execute();
  return { action: 'person.email_verified', target: person };
}
