// Tickets: who has a second factor gets one for the password or the link, instead of a session, and exchanges it with a code.
import type { App, TxApp } from '../../../app/app.js';
import { byPerson, countFailedSignIn, recordAudit } from '../../../audit/record.js';
import { toTimestamp } from '../../../core/clock.js';
import { MINUTE_MS } from '../../../core/durations.js';
import { AppError, unauthorized } from '../../../core/problems.js';
import type { Tx } from '../../../db/database.js';
import type { PersonRow } from '../../../db/tables.js';
import { hasFactor } from '../../has-factor.js';
import { hashSecret } from '../../hash-secret.js';
import { lockPerson } from '../people.js';
import { beginSession, type ClientInfo, type Proof } from '../sessions.js';
import { isToken, makeToken } from '../tokens.js';
import { acceptCode } from './codes.js';
import { countRecoveryCodes } from './recovery-codes.js';
import type { SecondFactor, SignInTicket } from './schema.js';

const TICKET_MS = 5 * MINUTE_MS;
const MAX_TRIES = 5;

/** What a sign-in leads to: the token of a session, or a ticket. */
export type Admission = { token: string } | { ticket: SignInTicket };

/** The person, who is locked, has given a password or a link. */
export async function admitPerson(
  app: TxApp,
  tx: Tx,
  person: PersonRow,
  client: ClientInfo,
  { by, proof }: { by: 'password' | 'link'; proof: Proof },
): Promise<Admission> {
  if (await hasFactor(tx, person)) return { ticket: await createTicket(app, tx, person) };
  await recordAudit(app, tx, byPerson(person, client.ip), {
    action: 'person.signed_in',
    target: person,
    details: { with: by },
  });
  return { token: await beginSession(app, tx, person, client, proof) };
}

async function createTicket(app: TxApp, tx: Tx, person: PersonRow): Promise<SignInTicket> {
  const ticket = makeToken();
  const expires_at = app.clock.now() + TICKET_MS;
  await tx
    .insertInto('sign_in_tickets')
    .values({
      hash: hashSecret(ticket),
      org_id: person.org_id,
      person_id: person.id,
      password_mark: markOf(person),
      tries: 0,
      expires_at,
    })
    .execute();
  const canRecover = (await countRecoveryCodes(tx, person)) > 0;
  const methods: SignInTicket['methods'] = canRecover ? ['totp', 'recovery_code'] : ['totp'];
  return { ticket, methods, expires_at: toTimestamp(expires_at) };
}

/** The person whose ticket it is, for limits by person; undefined if it is over. */
export async function holderOf(
  app: App,
  ticket: string,
): Promise<{ org_id: string; id: string } | undefined> {
  if (!isToken(ticket)) return undefined;
  return app.db.read
    .selectFrom('sign_in_tickets')
    .select(['org_id', 'person_id as id'])
    .where('hash', '=', hashSecret(ticket))
    .executeTakeFirst();
}

export async function signInWithCode(
  app: App,
  { ticket, code }: SecondFactor,
  client: ClientInfo,
): Promise<Admission> {
  const holder = await holderOf(app, ticket);
  if (!holder) throw ticketOver();
  const token = await app.db.transact(async (tx) => {
    const person = await lockPerson(tx, holder);
    if (!person || !(await countTry(app, tx, person, ticket))) throw ticketOver();
    const method = await acceptCode(app, tx, person, code, client.ip);
    if (method === null) {
      await countFailedSignIn(app, tx, person, client.ip);
      return null;
    }
    await tx
      .deleteFrom('sign_in_tickets')
      .where('org_id', '=', person.org_id)
      .where('hash', '=', hashSecret(ticket))
      .execute();
    await recordAudit(app, tx, byPerson(person, client.ip), {
      action: 'person.signed_in',
      target: person,
      details: { with: method },
    });
    return beginSession(app, tx, person, client, 'factor');
  });
  // Only now: the wrong code is counted.
  if (token === null)
    throw unauthorized('The code is wrong, or was used before. Wait for the next one, and try again.');
  return { token };
}

/** Returns false if the ticket is over. Its row may outlive a change of the password that commits at this moment. */
async function countTry({ clock }: App, tx: Tx, person: PersonRow, ticket: string): Promise<boolean> {
  const counted = await tx
    .updateTable('sign_in_tickets')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('org_id', '=', person.org_id)
    .where('person_id', '=', person.id)
    .where('hash', '=', hashSecret(ticket))
    .where('tries', '<', MAX_TRIES)
    .where('expires_at', '>', clock.now())
    .where('password_mark', '=', markOf(person))
    .executeTakeFirst();
  return counted.numUpdatedRows > 0n;
}

/** Tells passwords apart, and nothing else. */
const markOf = ({ password_hash }: PersonRow): string => hashSecret(password_hash ?? '');

const ticketOver = () =>
  new AppError('gone', 'This sign-in took too long, or had too many wrong codes. Begin again.');
