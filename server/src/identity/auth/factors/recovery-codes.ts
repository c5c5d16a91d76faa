// Recovery codes, for who has lost their authenticator app: ten, each of 80 random bits, each for one use.
import { randomBytes } from 'node:crypto';
import type { Reader, Tx } from '../../../db/database.js';
import { hashSecret } from '../../hash-secret.js';
import type { PersonKey } from '../people.js';
import { toBase32 } from './totp.js';

const CODES = 10;
const CODE_BYTES = 10;

/** Written as people type it, or copy it: in groups, and in either case. */
const SHAPE = /^[A-Z2-7]{16}$/;
const plain = (code: string): string => code.replaceAll(/[\s-]/g, '').toUpperCase();

export const isRecoveryCode = (code: string): boolean => SHAPE.test(plain(code));

/** Replaces all earlier ones. The codes are returned here, and only here: the table has their hashes. */
export async function replaceRecoveryCodes(tx: Tx, { org_id, id }: PersonKey): Promise<string[]> {
  await deleteRecoveryCodes(tx, { org_id, id });
  const codes = Array.from({ length: CODES }, () => toBase32(randomBytes(CODE_BYTES)).toLowerCase());
  await tx
    .insertInto('recovery_codes')
    .values(codes.map((code) => ({ hash: hashSecret(plain(code)), org_id, person_id: id, used_at: null })))
    .execute();
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-'));
}

/** One guarded statement: of several uses at the same time, one succeeds. */
export async function spendRecoveryCode(
  tx: Tx,
  { org_id, id }: PersonKey,
  code: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('hash', '=', hashSecret(plain(code)))
    .where('org_id', '=', org_id)
    .where('person_id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function countRecoveryCodes(read: Reader, { org_id, id }: PersonKey): Promise<number> {
  const { n } = await read
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', org_id)
    .where('person_id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(n);
}

export const deleteRecoveryCodes = (tx: Tx, { org_id, id }: PersonKey) =>
  tx.deleteFrom('recovery_codes').where('org_id', '=', org_id).where('person_id', '=', id).execute();
