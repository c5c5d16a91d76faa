// Second factors of people, written directly to the database or enrolled over HTTP.
import assert from 'node:assert/strict';
import type { App } from '../../../src/app/app.js';
import { openSecret, sealSecret } from '../../../src/identity/auth/factors/factor-secrets.js';
import { replaceRecoveryCodes } from '../../../src/identity/auth/factors/recovery-codes.js';
import { codeAt, stepAt } from '../../../src/identity/auth/factors/totp.js';
import { PASSWORD, type TestPerson } from './people.js';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Of every factor that is written directly to the database. */
export const SECRET = Buffer.from('12345678901234567890');

/** The code of the secret, some steps from now. */
export const codeNow = ({ clock }: Pick<App, 'clock'>, secret: Buffer = SECRET, off = 0): string =>
  codeAt(secret, stepAt(clock.now()) + off);

interface Place {
  app: App;
}

/** An authenticator app with the known secret, that is asked for unless it is to be confirmed yet. */
export async function addFactor(
  { app }: Place,
  { id, orgId }: Pick<TestPerson, 'id' | 'orgId'>,
  { isConfirmed = true } = {},
): Promise<string> {
  const row = { org_id: orgId, id: app.newId() };
  const now = app.clock.now();
  await app.db.transact(async (tx) => {
    await tx
      .insertInto('person_factors')
      .values({
        ...row,
        person_id: id,
        kind: 'totp',
        name: 'A phone',
        secret: sealSecret(app, SECRET, row),
        last_step: 0,
        created_at: now,
        confirmed_at: isConfirmed ? now : null,
        last_used_at: null,
      })
      .execute();
  });
  app.sessionCache.clear();
  return row.id;
}

/** As a process opens it that has the key of the installation. */
export async function secretOfFactor(app: App): Promise<Buffer> {
  const rows = app.db.read.selectFrom('person_factors').select(['org_id', 'id', 'secret']);
  return openSecret(app, await rows.executeTakeFirstOrThrow());
}

export const addRecoveryCodes = ({ app }: Place, { id, orgId }: Pick<TestPerson, 'id' | 'orgId'>) =>
  app.db.transact((tx) => replaceRecoveryCodes(tx, { org_id: orgId, id }));

export async function removeFactors({ app }: Place, { id }: Pick<TestPerson, 'id'>): Promise<void> {
  await app.db.transact((tx) => tx.deleteFrom('person_factors').where('person_id', '=', id).execute());
  app.sessionCache.clear();
}

/** The ticket that the password gives. */
export async function ticketOf({ browser, email }: Pick<TestPerson, 'browser' | 'email'>): Promise<string> {
  const { status, json, text } = await browser.call('POST', '/api/v1/auth/sign-in', {
    email,
    password: PASSWORD,
  });
  assert.equal(status, 202, text);
  return json.data.ticket;
}
