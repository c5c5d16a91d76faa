// The secrets that our side shares with authenticator apps. Codes are computed from them, so a hash would not do: they are sealed.
import type { TxApp } from '../../../app/app.js';
import { sealedTable } from '../../../db/sealed-table.js';

export const SEALED_FACTORS = sealedTable('person_factors', { key: ['org_id', 'id'], columns: ['secret'] });

interface FactorKey {
  org_id: string;
  id: string;
}

export const sealSecret = ({ seal }: Pick<TxApp, 'seal'>, secret: Buffer, row: FactorKey): string =>
  seal.seal(secret.toString('base64url'), SEALED_FACTORS.contextOf(row, 'secret'));

export const openSecret = (
  { seal }: Pick<TxApp, 'seal'>,
  { secret, ...row }: FactorKey & { secret: string },
): Buffer => Buffer.from(seal.unseal(secret, SEALED_FACTORS.contextOf(row, 'secret')), 'base64url');
