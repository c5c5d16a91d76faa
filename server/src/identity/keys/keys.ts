// Issuing, listing, revoking and recognizing API keys.
import type { App, TxApp } from '../../api/app.js';
import { type Caller, responsiblePersonId } from '../../api/caller.js';
import { type Page, type PageParameters, paginate, window } from '../../api/pagination.js';
import { type Role, SCOPES, scopesNow } from '../../api/scopes.js';
import type { Tx } from '../../db/database.js';
import type { ApiKeyRow, PersonRow } from '../../db/tables.js';
import { parseTimestamp, toTimestamp } from '../../ground/clock.js';
import { asUuid } from '../../ground/ids.js';
import { forbiddenScope, invalid, notFound, unauthorized } from '../../ground/problems.js';
import type { ApiKey, CreateKey, NewApiKey } from './schema.js';
import { hashSecret, makeSecret, visiblePrefix } from './secret.js';

/** Who issues the key: the organization, the scopes they may hand on, and the responsible person. The operator has none. */
type Issuer = Pick<Caller, 'orgId' | 'scopes'> & { maker?: string | null };

/** A key made by another key belongs to the person who made the first: otherwise it would outlive their membership. */
export const issuerOf = (caller: Caller): Issuer => ({
  orgId: caller.orgId,
  scopes: caller.scopes,
  maker: responsiblePersonId(caller),
});

interface Maker {
  maker_name: string | null;
  maker_role: Role | null;
}

export async function createKey(app: TxApp, tx: Tx, issuer: Issuer, input: CreateKey): Promise<NewApiKey> {
  const scopes = SCOPES.filter((scope) => input.scopes?.includes(scope) ?? issuer.scopes.has(scope));
  const tooMuch = scopes.find((scope) => !issuer.scopes.has(scope));
  if (tooMuch) throw forbiddenScope(tooMuch);
  const now = app.clock.now();
  const expiresAt = input.expires_at ? parseTimestamp(input.expires_at) : null;
  if (expiresAt !== null && expiresAt <= now)
    throw invalid([{ pointer: '/expires_at', message: 'must be in the future' }]);
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
  };
  const maker = await lockMaker(tx, issuer);
  await tx.insertInto('api_keys').values(row).execute();
  return { ...presentKey({ ...row, ...maker }), key: secret };
}

/** Locked, so that a concurrent removal of the person either comes first or finds the key. */
async function lockMaker(tx: Tx, { orgId, maker = null }: Issuer): Promise<Maker> {
  if (maker === null) return { maker_name: null, maker_role: null };
  const found = await tx
    .selectFrom('people')
    .select(['name as maker_name', 'role as maker_role'])
    .where('org_id', '=', orgId)
    .where('id', '=', maker)
    .forUpdate()
    .executeTakeFirst();
  if (!found) throw unauthorized('The person behind this request is no longer a member.');
  return found;
}

export async function listKeys(app: App, caller: Caller, input: PageParameters): Promise<Page<ApiKey>> {
  const keys = app.db.read
    .selectFrom('api_keys')
    .where('api_keys.org_id', '=', caller.orgId)
    .where('revoked_at', 'is', null);
  const { n } = await keys.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const { limit, offset } = window(input);
  const rows = await keys
    .leftJoin('people', (join) =>
      join.onRef('people.org_id', '=', 'api_keys.org_id').onRef('people.id', '=', 'api_keys.created_by'),
    )
    .selectAll('api_keys')
    .select(['people.name as maker_name', 'people.role as maker_role'])
    .orderBy('api_keys.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return paginate(rows.map(presentKey), input, n);
}

/** Takes effect at once in this process, and within a second in every other (see key-cache.ts). */
export async function revokeKey(app: App, caller: Caller, id: string): Promise<void> {
  const uuid = asUuid(id);
  const revoked =
    uuid !== null &&
    (await app.db.transact((tx) =>
      tx
        .updateTable('api_keys')
        .set({ revoked_at: app.clock.now() })
        .where('org_id', '=', caller.orgId)
        .where('id', '=', uuid)
        .where('revoked_at', 'is', null)
        .returning('hash')
        .executeTakeFirst(),
    ));
  if (!revoked) throw notFound('key');
  app.keyCache.forget(revoked.hash);
}

/** Revokes the keys of a member who leaves. The caller must clear the key cache afterwards. */
export async function revokeKeysOf(
  app: TxApp,
  tx: Tx,
  { org_id, id }: Pick<PersonRow, 'org_id' | 'id'>,
): Promise<void> {
  await tx
    .updateTable('api_keys')
    .set({ revoked_at: app.clock.now() })
    .where('org_id', '=', org_id)
    .where('created_by', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}

function presentKey(row: ApiKeyRow & Maker): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: scopesNow(row) ?? [],
    expires_at: row.expires_at === null ? null : toTimestamp(row.expires_at),
    last_used_at: row.last_used_at === null ? null : toTimestamp(row.last_used_at),
    created_at: toTimestamp(row.created_at),
    created_by:
      row.created_by === null || row.maker_name === null
        ? null
        : { id: row.created_by, name: row.maker_name },
  };
}
