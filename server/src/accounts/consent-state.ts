// A consent that a person is about to give: kept under a hash of its state, for one use and ten minutes. Its verifier is sealed.
import { hash } from 'node:crypto';
import type { Insertable, Selectable } from 'kysely';
import type { App, TxApp } from '../app/app.js';
import { type Actor, byPlatform } from '../audit/record.js';
import type { Tx } from '../db/database.js';
import { sealedTable } from '../db/sealed-table.js';
import type { OauthStateTable } from '../db/tables.js';

const STATE_MS = 10 * 60_000;

/** 256 random bits. */
const STATE = /^[\w-]{43}$/;

export type Begun = NonNullable<Awaited<ReturnType<typeof consumeState>>>;

type ConsentRequest = Omit<Insertable<OauthStateTable>, 'hash' | 'created_at' | 'expires_at'>;

/** `consent.verifier` is given as it is, and kept sealed. */
export async function saveState(app: TxApp, tx: Tx, state: string, consent: ConsentRequest): Promise<void> {
  const now = app.clock.now();
  const key = { org_id: consent.org_id, hash: hashOf(state) };
  await tx
    .insertInto('oauth_states')
    .values({
      ...consent,
      ...key,
      verifier: app.seal.seal(consent.verifier, SEALED_STATES.contextOf(key, 'verifier')),
      created_at: now,
      expires_at: now + STATE_MS,
    })
    .execute();
}

/** Deleted on first use, valid or not, before the platform is called: a state allows one exchange. */
export async function consumeState(app: App, state: string) {
  if (!STATE.test(state)) return null;
  const taken = await app.db.transact(async (tx) => {
    const row = await tx
      .deleteFrom('oauth_states')
      .where('hash', '=', hashOf(state))
      .returningAll()
      .executeTakeFirst();
    if (!row || row.expires_at <= app.clock.now()) return null;
    const actor = actorOf(row);
    if (actor.kind === 'key' && !(await isValid(app, tx, actor))) return null;
    // Opened here, because a process without the key must not use the state up: another one can.
    return { row, actor, verifier: app.seal.unseal(row.verifier, SEALED_STATES.contextOf(row, 'verifier')) };
  });
  if (!taken) return null;
  const { row, actor, verifier } = taken;
  return {
    orgId: row.org_id,
    platform: row.platform,
    sessionId: row.session_id,
    actor,
    accountId: row.account_id,
    redirectUri: row.redirect_uri,
    verifier,
  };
}

const actorOf = (row: Selectable<OauthStateTable>): Actor<string> =>
  row.begun_by === null
    ? byPlatform(row.org_id, row.platform)
    : { ...(JSON.parse(row.begun_by) as Omit<Actor, 'orgId'>), orgId: row.org_id };

/** A consent that was begun with a key ends with it. One that a person began needs their session. */
async function isValid(app: App, tx: Tx, { orgId, id }: Actor<string>): Promise<boolean> {
  const key = await tx
    .selectFrom('api_keys')
    .select('expires_at')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return key !== undefined && (key.expires_at === null || key.expires_at > app.clock.now());
}

const hashOf = (state: string) => hash('sha256', state, 'hex');

export const SEALED_STATES = sealedTable('oauth_states', {
  key: ['org_id', 'hash'],
  columns: ['verifier'],
  order: ['hash'],
});
