// Whether a code is one of the person's: of an authenticator app, or for recovery.
import type { TxApp } from '../../../app/app.js';
import { byPerson, recordAudit } from '../../../audit/record.js';
import { networkOf } from '../../../core/networks.js';
import type { Tx } from '../../../db/database.js';
import { isRow } from '../../../db/is-row.js';
import type { PersonRow } from '../../../db/tables.js';
import type { PersonKey } from '../people.js';
import { openSecret } from './factor-secrets.js';
import { countRecoveryCodes, isRecoveryCode, spendRecoveryCode } from './recovery-codes.js';
import { isTotpCode, stepOfCode } from './totp.js';
import { assertTriesLeft, countWrongCode, recordNetwork } from './wrong-codes.js';

/**
 * Spends the code. Null: it is wrong, or was used before, and this is counted; the caller commits that, and refuses only then. The
 * person is locked. Fails with 429 if too many were wrong.
 */
export async function acceptCode(
  app: TxApp,
  tx: Tx,
  person: PersonRow,
  code: string,
  ip: string,
): Promise<'code' | 'recovery_code' | null> {
  const digits = code.replaceAll(/\s/g, '');
  const kind = isTotpCode(digits) ? 'totp' : isRecoveryCode(code) ? 'recovery' : null;
  // No code looks like this, so it is no guess.
  if (kind === null) return null;
  const network = networkOf(ip);
  // Recovery codes are too long to be guessed, and guesses must leave their owner a way in from a new network.
  if (kind === 'totp') await assertTriesLeft(app, tx, person, kind, network);
  const isRight =
    kind === 'totp'
      ? await spendTotp(app, tx, person, digits)
      : await spendRecoveryCode(tx, person, code, app.clock.now());
  if (!isRight) {
    await countWrongCode(app, tx, person, kind);
    return null;
  }
  await recordNetwork(app, tx, person, network);
  if (kind === 'totp') return 'code';
  await recordAudit(app, tx, byPerson(person, ip), {
    action: 'person.recovery_code_used',
    target: person,
    details: { recovery_codes_left: await countRecoveryCodes(tx, person) },
  });
  return 'recovery_code';
}

async function spendTotp(app: TxApp, tx: Tx, person: PersonKey, code: string): Promise<boolean> {
  const factors = await tx
    .selectFrom('person_factors')
    .select(['org_id', 'id', 'secret'])
    .where('org_id', '=', person.org_id)
    .where('person_id', '=', person.id)
    .where('confirmed_at', 'is not', null)
    .execute();
  for (const factor of factors) {
    const step = stepOfCode(openSecret(app, factor), code, app.clock.now());
    if (step !== null && (await advanceStep(app, tx, factor, step))) return true;
  }
  return false;
}

/** One guarded statement: a code works once, and of several uses at the same time one succeeds. */
async function advanceStep({ clock }: TxApp, tx: Tx, factor: PersonKey, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('person_factors')
    .set({ last_step: step, last_used_at: clock.now() })
    .where(isRow({ org_id: factor.org_id, id: factor.id }))
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
