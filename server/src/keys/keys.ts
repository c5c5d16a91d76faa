// Issuing, listing, revoking and recognizing API keys.
import type { App, Inside } from '../app.js';
import { parseTimestamp, toTimestamp } from '../clock.js';
import type { Tx } from '../db/database.js';
import type { ApiKeyRow } from '../db/tables.js';
import type { Caller } from '../http/caller.js';
import { type Page, type PageParameters, paginate, window } from '../http/pagination.js';
import { asUuid } from '../ids.js';
import { forbiddenScope, invalid, notFound } from '../problems.js';
import type { ApiKey, CreateKey, NewApiKey } from './schema.js';
import { SCOPES, type Scope } from './scopes.js';
import { hashSecret, makeSecret, visiblePrefix } from './secret.js';

/** Who asks for the key: its organization and what it may hand on. The operator may hand on everything. */
type Issuer = Pick<Caller, 'orgId' | 'scopes'>;

export async function createKey(app: Inside, tx: Tx, issuer: Issuer, input: CreateKey): Promise<NewApiKey> {
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
  };
  await tx.insertInto('api_keys').values(row).execute();
  return { ...presentKey(row), key: secret };
}

export async function listKeys(app: App, caller: Caller, input: PageParameters): Promise<Page<ApiKey>> {
  const keys = app.db.read
    .selectFrom('api_keys')
    .where('org_id', '=', caller.orgId)
    .where('revoked_at', 'is', null);
  const { n } = await keys.select((eb) => eb.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
  const { limit, offset } = window(input);
  const rows = await keys.selectAll().orderBy('id', 'desc').limit(limit).offset(offset).execute();
  return paginate(rows.map(presentKey), input, n);
}

/** Works no more from this moment in this process, and within a second in every other (see key-cache.ts). */
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

function presentKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes.split(' ') as Scope[],
    expires_at: row.expires_at === null ? null : toTimestamp(row.expires_at),
    last_used_at: row.last_used_at === null ? null : toTimestamp(row.last_used_at),
    created_at: toTimestamp(row.created_at),
  };
}
