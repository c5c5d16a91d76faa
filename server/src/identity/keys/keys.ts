// Issuing, listing, renaming and revoking API keys.

import type { App, TxApp } from '../../app/app.js';
import { effectiveScopes, type Role, SCOPES } from '../../app/scopes.js';
import { type Actor, byCaller, recordAudit } from '../../audit/record.js';
import { isNetwork } from '../../config/is-network.js';
import { parseTimestamp, toTimestamp } from '../../core/clock.js';
import { isWithin } from '../../core/networks.js';
import { forbiddenScope, invalid, unauthorized } from '../../core/problems.js';
import type { Reader, Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { ApiKeyRow } from '../../db/tables.js';
import { reserveQuota } from '../../quotas/quotas.js';
import { type Caller, type CallerWithAddress, responsiblePersonId } from '../../request/caller.js';
import { lockKey, type MadeWith } from '../../request/made-with.js';
import { type Page, type PageParameters, pageWindow, paginate } from '../../request/pagination.js';
import { requireFound } from '../../request/require-found.js';
import { hashSecret } from '../hash-secret.js';
import { countDescendants, listEnding, revokeKeyTree } from './family.js';
import type { ApiKey, ApiKeyDetails, CreateKey, NewApiKey, UpdateKey } from './schema.js';
import { makeSecret, visiblePrefix } from './secret.js';

/** Who issues the key: the organization, the scopes they may hand on, the responsible person (the operator has none), and the key. */
type Issuer = Pick<Caller, 'orgId' | 'scopes'> & {
  actor: Actor;
  maker?: string | null;
  keyId?: string;
};

/** A key made by another key belongs to the person who made the first: otherwise it would outlive their membership. */
export const issuerOf = (caller: CallerWithAddress): Issuer => ({
  actor: byCaller(caller),
  orgId: caller.orgId,
  scopes: caller.scopes,
  maker: responsiblePersonId(caller),
  ...(caller.via === 'key' ? { keyId: caller.keyId } : {}),
});

interface KeyCreator {
  maker_name: string | null;
  maker_role: Role | null;
}

/**
 * Creates a key on behalf of a caller of the organization: with no scope that the issuer lacks, and within the quota. Keys that the
 * operator creates are bound by neither.
 */
export async function createOwnKey(app: TxApp, tx: Tx, issuer: Issuer, input: CreateKey): Promise<NewApiKey> {
  const tooMuch = input.scopes?.find((scope) => !issuer.scopes.has(scope));
  if (tooMuch) throw forbiddenScope(tooMuch);
  await reserveQuota(app, tx, issuer.orgId, 'keys');
  return createKey(app, tx, issuer, input);
}

export async function createKey(app: TxApp, tx: Tx, issuer: Issuer, input: CreateKey): Promise<NewApiKey> {
  const scopes = SCOPES.filter((scope) => input.scopes?.includes(scope) ?? issuer.scopes.has(scope));
  const now = app.clock.now();
  const wanted = input.expires_at ? parseTimestamp(input.expires_at) : null;
  if (wanted !== null && wanted <= now)
    throw invalid([{ pointer: '/expires_at', message: 'must be in the future' }]);
  const maker = await lockMaker(tx, issuer);
  const within = issuer.keyId === undefined ? null : await lockKey(tx, issuer.orgId, issuer.keyId);
  const expiresAt = expiryWithin(within, wanted);
  const secret = makeSecret();
  const row: ApiKeyRow = {
    org_id: issuer.orgId,
    id: app.newId(),
    name: input.name,
    hash: hashSecret(secret),
    prefix: visiblePrefix(secret),
    scopes: scopes.join(' '),
    expires_at: expiresAt,
    revoked_at: null,
    last_used_at: null,
    created_at: now,
    created_by: issuer.maker ?? null,
    made_with: issuer.keyId ?? null,
    networks: networksWithin(within, input.networks ?? null),
    last_used_network: null,
  };
  await tx.insertInto('api_keys').values(row).execute();
  await recordAudit(app, tx, issuer.actor, {
    action: 'key.created',
    target: row,
    details: {
      scopes,
      expires_at: expiresAt === null ? null : toTimestamp(expiresAt),
      ...(row.networks === null ? {} : { networks: JSON.parse(row.networks) as string[] }),
    },
  });
  return { ...presentKey({ ...row, ...maker }, 0), key: secret };
}

/** Locked, so that a concurrent removal of the person either comes first or finds the key. */
async function lockMaker(tx: Tx, { orgId, maker = null }: Issuer): Promise<KeyCreator> {
  if (maker === null) return { maker_name: null, maker_role: null };
  const found = await tx
    .selectFrom('people')
    .select(['name as maker_name', 'role as maker_role'])
    .where(isRow({ org_id: orgId, id: maker }))
    .forUpdate()
    .executeTakeFirst();
  if (!found) throw unauthorized('The person behind this request is no longer a member.');
  return found;
}

/** A key ends no later than the key that makes it. */
function expiryWithin(maker: MadeWith | null, wanted: number | null): number | null {
  if (maker === null) return wanted;
  const { expiresAt } = maker;
  if (expiresAt !== null && wanted !== null && wanted > expiresAt)
    throw invalid([
      {
        pointer: '/expires_at',
        message: `must not be after ${toTimestamp(expiresAt)}, when the key that makes it expires`,
      },
    ]);
  return wanted ?? expiresAt;
}

/** A key may be used from nowhere that the key that makes it may not. */
function networksWithin(maker: MadeWith | null, wanted: string[] | null): string | null {
  const mistake = wanted?.findIndex((network) => !isNetwork(network)) ?? -1;
  if (mistake >= 0)
    throw invalid([
      {
        pointer: `/networks/${mistake}`,
        message: 'must be an address or a network in CIDR notation, such as 203.0.113.0/24',
      },
    ]);
  const allowed = maker?.networks ?? null;
  if (allowed === null) return wanted === null ? null : JSON.stringify(wanted);
  if (wanted === null) return allowed;
  const outside = wanted.findIndex((network) => !isWithin(network, JSON.parse(allowed) as string[]));
  if (outside >= 0)
    throw invalid([
      {
        pointer: `/networks/${outside}`,
        message: 'must be within the networks of the key that makes it',
      },
    ]);
  return JSON.stringify(wanted);
}

export async function listKeys(app: App, caller: Caller, input: PageParameters): Promise<Page<ApiKey>> {
  const keys = keysOf(app.db.read, caller.orgId);
  const { n } = await keys.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const { limit, offset } = pageWindow(input);
  const rows = await withMakers(keys).orderBy('api_keys.id', 'desc').limit(limit).offset(offset).execute();
  return paginate(await presentKeys(app.db.read, caller.orgId, rows), input, n);
}

/** A key, with what ends when it is revoked. */
export async function getKey(app: App, caller: Pick<Caller, 'orgId'>, id: string): Promise<ApiKeyDetails> {
  const found = await requireFound('key', caller, id, (row) => readKey(app.db.read, row));
  return { ...found, ...(await listEnding(app, caller.orgId, found.id)) };
}

/** Returns its hash too: the caller must clear the key cache afterwards, because acts of the key are logged under its name. */
export async function renameKey(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
  { name }: UpdateKey,
): Promise<{ key: ApiKey; hash: string }> {
  const before = await requireFound('key', caller, id, (row) =>
    keysOf(tx, row.org_id).selectAll().where('id', '=', row.id).forUpdate().executeTakeFirst(),
  );
  if (name !== undefined && name !== before.name) {
    await tx.updateTable('api_keys').set({ name }).where(isRow(before)).execute();
    await recordAudit(app, tx, byCaller(caller), {
      action: 'key.renamed',
      target: { id: before.id, name },
      details: { from: before.name, to: name },
    });
  }
  return { key: (await readKey(tx, before)) as ApiKey, hash: before.hash };
}

const keysOf = (read: Reader | Tx, orgId: string) =>
  read.selectFrom('api_keys').where('api_keys.org_id', '=', orgId).where('revoked_at', 'is', null);

const withMakers = (keys: ReturnType<typeof keysOf>) =>
  keys
    .leftJoin('people', (join) =>
      join.onRef('people.org_id', '=', 'api_keys.org_id').onRef('people.id', '=', 'api_keys.created_by'),
    )
    .selectAll('api_keys')
    .select(['people.name as maker_name', 'people.role as maker_role']);

async function readKey(
  read: Reader | Tx,
  { org_id, id }: Pick<ApiKeyRow, 'org_id' | 'id'>,
): Promise<ApiKey | undefined> {
  const rows = await withMakers(keysOf(read, org_id).where('api_keys.id', '=', id)).execute();
  return (await presentKeys(read, org_id, rows))[0];
}

async function presentKeys(
  read: Reader | Tx,
  orgId: string,
  rows: (ApiKeyRow & KeyCreator)[],
): Promise<ApiKey[]> {
  const following = await countDescendants(read, orgId, rows);
  return rows.map((row) => presentKey(row, following.get(row.id) ?? 0));
}

/**
 * With everything that was made with it. Takes effect immediately in this process, and within a second in every other (see
 * key-cache.ts).
 */
export async function revokeKey(app: App, caller: CallerWithAddress, id: string): Promise<void> {
  const revoked = await requireFound('key', caller, id, (row) =>
    app.db.transact((tx) => revokeKeyTree(app, tx, caller, row.id)),
  );
  for (const hash of revoked) app.keyCache.forget(hash);
}

function presentKey(row: ApiKeyRow & KeyCreator, following: number): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: effectiveScopes(row) ?? [],
    expires_at: row.expires_at === null ? null : toTimestamp(row.expires_at),
    last_used_at: row.last_used_at === null ? null : toTimestamp(row.last_used_at),
    last_used_network: row.last_used_network,
    networks: row.networks === null ? null : (JSON.parse(row.networks) as string[]),
    created_at: toTimestamp(row.created_at),
    created_by:
      row.created_by === null || row.maker_name === null
        ? null
        : { id: row.created_by, name: row.maker_name },
    descendant_keys: following,
  };
}
