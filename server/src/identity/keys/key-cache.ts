// Recognizes API keys.

import type { KeyCache, KnownKey } from '../../app/known-callers.js';
import { effectiveScopes } from '../../app/scopes.js';
import type { Clock } from '../../core/clock.js';
import { type Log, toLogFields } from '../../core/log.js';
import { createNetworkList, networkOf } from '../../core/networks.js';
import type { Database } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import { prepareRead } from '../../db/prepared-statements.js';
import { createCallerCache } from '../caller-cache.js';
import { isWellFormed } from './secret.js';

const LAST_USE_GRAIN_MS = 60_000;

const findByHash = prepareRead(
  (read, hash: string) =>
    read
      .selectFrom('api_keys')
      .innerJoin('organizations', 'organizations.id', 'api_keys.org_id')
      .leftJoin('people', (join) =>
        join.onRef('people.org_id', '=', 'api_keys.org_id').onRef('people.id', '=', 'api_keys.created_by'),
      )
      .select([
        'api_keys.id as keyId',
        'api_keys.name',
        'api_keys.org_id as orgId',
        'api_keys.scopes',
        'api_keys.created_by',
        'people.role as maker_role',
        'api_keys.expires_at as expiresAt',
        'api_keys.last_used_at as lastUsedAt',
        'organizations.plan',
        'organizations.trial_ends_at as trialEndsAt',
        'organizations.quotas',
        'api_keys.networks',
        'api_keys.last_used_network as lastUsedNetwork',
      ])
      .where('api_keys.hash', '=', hash)
      .where('api_keys.revoked_at', 'is', null),
  'key_by_hash',
);

export function createKeyCache(db: Database, clock: Clock, log: Log): KeyCache {
  async function lookUp(hash: string): Promise<KnownKey | null> {
    const [row] = await findByHash(db.read, hash);
    if (!row) return null;
    const { scopes: _given, created_by: madeBy, maker_role: _role, networks, ...key } = row;
    const scopes = effectiveScopes(row);
    const allows = networks === null ? null : createNetworkList(JSON.parse(networks) as string[]);
    return scopes && { via: 'key', ...key, madeBy, allows, scopes: new Set(scopes) };
  }

  /** Recorded to the minute: exact times would cost a write per request. */
  function recordUse(key: KnownKey, address: string): void {
    const now = clock.now();
    if (key.lastUsedAt !== null && now - key.lastUsedAt < LAST_USE_GRAIN_MS) return;
    key.lastUsedAt = now;
    key.lastUsedNetwork = networkOf(address);
    db.transact((tx) =>
      tx
        .updateTable('api_keys')
        .set({ last_used_at: now, last_used_network: networkOf(address) })
        .where(isRow({ org_id: key.orgId, id: key.keyId }))
        .execute(),
    ).catch((err) =>
      log.warn({ ...toLogFields(err), key_id: key.keyId }, 'the last use of a key was not recorded'),
    );
  }

  const hasEnded = ({ expiresAt }: KnownKey) => expiresAt !== null && expiresAt <= clock.now();
  return { ...createCallerCache({ isWellFormed, lookUp, hasEnded }), recordUse };
}
