// The second factors of a person: authenticator apps, enrolled in two steps, and recovery codes.
import type { App, TxApp } from '../../../app/app.js';
import { byCaller, recordAudit } from '../../../audit/record.js';
import { toTimestamp } from '../../../core/clock.js';
import { networkOf } from '../../../core/networks.js';
import { AppError, invalid, unauthorized } from '../../../core/problems.js';
import type { Tx } from '../../../db/database.js';
import { isRow } from '../../../db/is-row.js';
import type { PersonFactorRow } from '../../../db/people-tables.js';
import type { PersonRow } from '../../../db/tables.js';
import type { SessionCaller, WithAddress } from '../../../request/caller.js';
import { onePage } from '../../../request/pagination.js';
import { requireFound } from '../../../request/require-found.js';
import { hasFactor } from '../../has-factor.js';
import { lockPerson, type PersonKey } from '../people.js';
import { endSessions, markProved } from '../sessions.js';
import { openSecret, sealSecret } from './factor-secrets.js';
import { countRecoveryCodes, deleteRecoveryCodes, replaceRecoveryCodes } from './recovery-codes.js';
import type { ConfirmFactor, CreateFactor, Factor, Factors, NewFactor, RecoveryCodes } from './schema.js';
import { makeTotpSecret, otpauthUrl, stepOfCode, toBase32 } from './totp.js';
import { deleteCodeCounts, recordNetwork } from './wrong-codes.js';

type Person = WithAddress<SessionCaller>;

const MAX_FACTORS = 5;

export async function listFactors(app: App, caller: SessionCaller): Promise<Factors> {
  const rows = await app.db.read
    .selectFrom('person_factors')
    .selectAll()
    .where('org_id', '=', caller.orgId)
    .where('person_id', '=', caller.personId)
    .where('confirmed_at', 'is not', null)
    .orderBy('id')
    .execute();
  return {
    ...onePage(rows.map(presentFactor)),
    recovery_codes_left: await countRecoveryCodes(app.db.read, keyOf(caller)),
  };
}

/** Also one that is not confirmed yet. */
export async function getFactor(app: App, caller: SessionCaller, id: string): Promise<Factor> {
  const factor = await requireFound('second factor', caller, id, (row) =>
    app.db.read
      .selectFrom('person_factors')
      .selectAll()
      .where(isRow(row))
      .where('person_id', '=', caller.personId)
      .executeTakeFirst(),
  );
  return presentFactor(factor);
}

/** Begins to enrol an authenticator app. Nothing asks for its codes until the first one is confirmed. */
export async function createFactor(
  app: TxApp,
  tx: Tx,
  caller: Person,
  { name = 'Authenticator app' }: CreateFactor,
): Promise<NewFactor> {
  const person = await lockSelf(tx, caller);
  await deletePending(tx, person);
  const { n } = await tx
    .selectFrom('person_factors')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', person.org_id)
    .where('person_id', '=', person.id)
    .executeTakeFirstOrThrow();
  if (Number(n) >= MAX_FACTORS)
    throw new AppError(
      'limit_reached',
      `You have ${MAX_FACTORS} authenticator apps already. Remove one first.`,
    );
  const row = { org_id: person.org_id, id: app.newId() };
  const secret = makeTotpSecret();
  await tx
    .insertInto('person_factors')
    .values({
      ...row,
      person_id: person.id,
      kind: 'totp',
      name,
      secret: sealSecret(app, secret, row),
      last_step: 0,
      created_at: app.clock.now(),
      confirmed_at: null,
      last_used_at: null,
    })
    .execute();
  return { id: row.id, name, secret: toBase32(secret), otpauth_url: otpauthUrl(secret, person.email) };
}

/** The app's first code shows that it has the secret. With the first app, recovery codes are made. */
export async function confirmFactor(
  app: TxApp,
  tx: Tx,
  caller: Person,
  id: string,
  { code }: ConfirmFactor,
): Promise<RecoveryCodes> {
  const person = await lockSelf(tx, caller);
  const factor = await requireFound('second factor', caller, id, (row) =>
    tx
      .selectFrom('person_factors')
      .select(['org_id', 'id', 'name', 'secret'])
      .where(isRow(row))
      .where('person_id', '=', person.id)
      .where('confirmed_at', 'is', null)
      .executeTakeFirst(),
  );
  const now = app.clock.now();
  const { name, ...sealed } = factor;
  const step = stepOfCode(openSecret(app, sealed), code.replaceAll(/\s/g, ''), now);
  if (step === null)
    throw invalid([
      {
        pointer: '/code',
        message: 'is wrong: check that the clock of the phone is right, and send the next one',
      },
    ]);
  const isFirst = !(await hasFactor(tx, person));
  await tx
    .updateTable('person_factors')
    .set({ confirmed_at: now, last_used_at: now, last_step: step })
    .where(isRow({ org_id: factor.org_id, id: factor.id }))
    .execute();
  const recovery_codes = isFirst ? await replaceRecoveryCodes(tx, person) : [];
  await recordNetwork(app, tx, person, networkOf(caller.address));
  await markProved(app, tx, caller, 'factor');
  // Those began with the password alone.
  const sessions_ended = isFirst ? await endSessions(tx, person, caller.sessionId) : 0;
  await recordAudit(app, tx, byCaller(caller), {
    action: 'person.factor_added',
    target: person,
    details: { to: name, sessions_ended },
  });
  return { recovery_codes };
}

/** Ends the person's other sessions. Also takes back an enrolment. */
export async function removeFactor(app: TxApp, tx: Tx, caller: Person, id: string): Promise<void> {
  const person = await lockSelf(tx, caller);
  const { name, confirmed_at } = await requireFound('second factor', caller, id, (row) =>
    tx
      .deleteFrom('person_factors')
      .where(isRow(row))
      .where('person_id', '=', person.id)
      .returning(['name', 'confirmed_at'])
      .executeTakeFirst(),
  );
  if (confirmed_at === null) return;
  if (!(await hasFactor(tx, person))) {
    await deleteRecoveryCodes(tx, person);
    await deleteCodeCounts(tx, person);
  }
  const sessions_ended = await endSessions(tx, person, caller.sessionId);
  await recordAudit(app, tx, byCaller(caller), {
    action: 'person.factor_removed',
    target: person,
    details: { from: name, sessions_ended },
  });
}

export async function createRecoveryCodes(app: TxApp, tx: Tx, caller: Person): Promise<RecoveryCodes> {
  const person = await lockSelf(tx, caller);
  if (!(await hasFactor(tx, person)))
    throw new AppError(
      'no_second_factor',
      'Add an authenticator app first: recovery codes stand in for its codes.',
    );
  const recovery_codes = await replaceRecoveryCodes(tx, person);
  await recordAudit(app, tx, byCaller(caller), {
    action: 'person.recovery_codes_created',
    target: person,
  });
  return { recovery_codes };
}

/** Of a person who is removed. */
export async function deleteFactors(tx: Tx, person: PersonKey): Promise<void> {
  await tx
    .deleteFrom('person_factors')
    .where('org_id', '=', person.org_id)
    .where('person_id', '=', person.id)
    .execute();
  await deleteRecoveryCodes(tx, person);
  await deleteCodeCounts(tx, person);
}

const presentFactor = (row: PersonFactorRow): Factor => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  created_at: toTimestamp(row.created_at),
  confirmed_at: row.confirmed_at === null ? null : toTimestamp(row.confirmed_at),
  last_used_at: row.last_used_at === null ? null : toTimestamp(row.last_used_at),
});

const deletePending = (tx: Tx, { org_id, id }: PersonKey) =>
  tx
    .deleteFrom('person_factors')
    .where('org_id', '=', org_id)
    .where('person_id', '=', id)
    .where('confirmed_at', 'is', null)
    .execute();

async function lockSelf(tx: Tx, caller: SessionCaller): Promise<PersonRow> {
  const person = await lockPerson(tx, keyOf(caller));
  if (!person) throw unauthorized('The session has ended. Sign in again.');
  return person;
}

const keyOf = ({ orgId, personId }: SessionCaller): PersonKey => ({ org_id: orgId, id: personId });
