// People: one row each, found by email or id.

import type { TxApp } from '../../app/app.js';
import { AppError } from '../../core/problems.js';
import type { Reader, Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { PersonRow } from '../../db/tables.js';

/** Emails are compared case-insensitively. */
export const sameEmail = (email: string): string => email.normalize('NFC').toLowerCase();

export async function addPerson(
  app: TxApp,
  tx: Tx,
  input: Pick<PersonRow, 'org_id' | 'name' | 'email' | 'role' | 'password_hash'>,
): Promise<PersonRow> {
  const now = app.clock.now();
  const person = await tx
    .insertInto('people')
    .values({
      ...input,
      email: sameEmail(input.email),
      id: app.newId(),
      last_seen_at: null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!person) throw new AppError('email_taken', 'This email is already in use. Sign in, or use another.');
  return person;
}

export type PersonKey = Pick<PersonRow, 'org_id' | 'id'>;

export const personById = (read: Reader, person: PersonKey): Promise<PersonRow | undefined> =>
  read.selectFrom('people').selectAll().where(isRow(person)).executeTakeFirst();

/** The same, locked until the transaction ends. People are locked before their sessions. */
export const lockPerson = (tx: Tx, person: PersonKey): Promise<PersonRow | undefined> =>
  tx.selectFrom('people').selectAll().where(isRow(person)).forUpdate().executeTakeFirst();

/** The person with this email, in whatever organization: signing in asks only for the email. */
export const personByEmail = (read: Reader, email: string): Promise<PersonRow | undefined> =>
  read.selectFrom('people').selectAll().where('email', '=', sameEmail(email)).executeTakeFirst();
