// The key behind what a request makes, which ends with that key.

import { unauthorized } from '../core/problems.js';
import type { Tx } from '../db/database.js';
import { isRow } from '../db/is-row.js';
import type { Caller } from './caller.js';

export interface MadeWith {
  id: string;
  expiresAt: number | null;
  /** As JSON; null: it may be used from everywhere. */
  networks: string | null;
}

/** Null for a person. The key is locked: its concurrent revocation comes first, or finds what is made. */
export const lockKeyOf = async (tx: Tx, caller: Caller): Promise<MadeWith | null> =>
  caller.via === 'key' ? lockKey(tx, caller.orgId, caller.keyId) : null;

export async function lockKey(tx: Tx, orgId: string, id: string): Promise<MadeWith> {
  const key = await tx
    .selectFrom('api_keys')
    .select(['expires_at', 'networks'])
    .where(isRow({ org_id: orgId, id }))
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!key) throw unauthorized('The API key was revoked a moment ago.');
  return { id, expiresAt: key.expires_at, networks: key.networks };
}
