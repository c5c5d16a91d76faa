// A key, the keys that were made with it over all generations, and what was made with any of them: all of it ends together.
import { sql } from 'kysely';
import type { App, TxApp } from '../../app/app.js';
import { type Act, byCaller, recordAudit } from '../../audit/record.js';
import { toTimestamp } from '../../core/clock.js';
import type { Reader, Tx } from '../../db/database.js';
import type { ApiKeyRow } from '../../db/tables.js';
import { disableWebhooksOf, recordDisabled } from '../../events/webhooks/ended-keys.js';
import type { CallerWithAddress } from '../../request/caller.js';
import type { PersonKey } from '../auth/people.js';
import { aboutInvitation } from '../invitation-act.js';
import { type ApiKeyDetails, MAX_LISTED_KEYS } from './schema.js';

type RevokedWith = Pick<ApiKeyDetails, 'keys' | 'invitations' | 'invitations_ending_with_it' | 'webhooks'>;

/** The rows `(root, id)` of these keys and of the valid keys that were made with them. */
const families = (read: Reader | Tx, orgId: string, roots: readonly string[]) =>
  read.withRecursive('family(root, id)', (db) =>
    db
      .selectFrom('api_keys')
      .select(['id as root', 'id'])
      .where('org_id', '=', orgId)
      .where('id', 'in', roots)
      .unionAll(
        db
          .selectFrom('family')
          .innerJoin('api_keys', 'api_keys.made_with', 'family.id')
          .select(['family.root', 'api_keys.id'])
          .where('api_keys.org_id', '=', orgId)
          .where('api_keys.revoked_at', 'is', null),
      ),
  );

/** How many keys end with each of these. */
export async function countDescendants(
  read: Reader | Tx,
  orgId: string,
  keys: readonly Pick<ApiKeyRow, 'id'>[],
): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map();
  const ids = keys.map(({ id }) => id);
  const rows = await families(read, orgId, ids)
    .selectFrom('family')
    .select(['root', (eb) => eb.fn.countAll<number>().as('n')])
    .groupBy('root')
    .execute();
  return new Map(rows.map(({ root, n }) => [root, n - 1]));
}

/** What ends when this key is revoked, the newest of each kind. */
export async function listEnding({ db, clock }: App, orgId: string, id: string): Promise<RevokedWith> {
  const family = families(db.read, orgId, [id]);
  const keys = await family
    .selectFrom('api_keys')
    .innerJoin('family', 'family.id', 'api_keys.id')
    .select(['api_keys.id', 'api_keys.name', 'api_keys.prefix'])
    .where('api_keys.org_id', '=', orgId)
    .where('api_keys.id', '!=', id)
    .orderBy('api_keys.id', 'desc')
    .limit(MAX_LISTED_KEYS)
    .execute();
  const invitations = await family
    .selectFrom('invitations')
    .innerJoin('family', 'family.id', 'invitations.made_with')
    .select(['invitations.id', 'email', 'role', 'expires_at', sql<number>`count(*) over ()`.as('n')])
    .where('org_id', '=', orgId)
    .where('expires_at', '>', clock.now())
    .orderBy('invitations.id', 'desc')
    .limit(MAX_LISTED_KEYS)
    .execute();
  const webhooks = await family
    .selectFrom('webhook_endpoints')
    .innerJoin('family', 'family.id', 'webhook_endpoints.made_with')
    .select(['webhook_endpoints.id', 'url', 'description'])
    .where('org_id', '=', orgId)
    .where('enabled', '=', 1)
    .orderBy('webhook_endpoints.id', 'desc')
    .execute();
  return {
    keys,
    invitations: invitations.map(({ n: _total, expires_at, ...invitation }) => ({
      ...invitation,
      expires_at: toTimestamp(expires_at),
    })),
    invitations_ending_with_it: Number(invitations[0]?.n ?? 0),
    webhooks,
  };
}

/** Returns the hashes of the revoked keys; undefined if the key does not exist. */
export async function revokeKeyTree(
  app: TxApp,
  tx: Tx,
  caller: CallerWithAddress,
  id: string,
): Promise<string[] | undefined> {
  const actor = byCaller(caller);
  const [key, ...following] = await revokeGenerations(app, tx, caller.orgId, id);
  if (!key) return undefined;
  const ids = [key, ...following].map((revoked) => revoked.id);
  const invitations = await withdrawInvitations(tx, caller.orgId, ids);
  const webhooks = await disableWebhooksOf(app, tx, actor, ids);
  await recordAudit(
    app,
    tx,
    actor,

    ...following.map((target): Act => ({ action: 'key.revoked', target })),
    ...invitations.map((invitation) => aboutInvitation('invitation.withdrawn', invitation)),
    {
      action: 'key.revoked',
      target: key,
      details: {
        keys_ended: following.length,
        invitations_withdrawn: invitations.length,
        webhooks_disabled: webhooks.length,
      },
    },
  );
  await recordDisabled(app, tx, caller.orgId, webhooks);
  return [key, ...following].map(({ hash }) => hash);
}

/**
 * Generation after generation, each in a statement of its own: a key that is being made with one of them has locked it, and
 * is there when the next statement looks.
 */
async function revokeGenerations(app: TxApp, tx: Tx, orgId: string, id: string) {
  const revoke = () =>
    tx
      .updateTable('api_keys')
      .set({ revoked_at: app.clock.now() })
      .where('org_id', '=', orgId)
      .where('revoked_at', 'is', null)
      .returning(['id', 'name', 'hash']);
  let generation = await revoke().where('id', '=', id).execute();
  const all = [...generation];
  while (generation.length > 0) {
    const ids = generation.map((key) => key.id);
    generation = [];
    for (const some of batches(ids))
      generation.push(...(await revoke().where('made_with', 'in', some).execute()));
    all.push(...generation);
  }
  return all;
}

async function withdrawInvitations(tx: Tx, orgId: string, keyIds: readonly string[]) {
  const rows = [];
  for (const some of batches(keyIds))
    rows.push(
      ...(await tx
        .deleteFrom('invitations')
        .where('org_id', '=', orgId)
        .where('made_with', 'in', some)
        .returning(['id', 'email', 'role'])
        .execute()),
    );
  return rows;
}

/** Statements take a limited number of parameters. */
function* batches(ids: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += 500) yield ids.slice(from, from + 500);
}

/** Revokes the keys of a member who leaves, and returns their ids. The caller must clear the key cache afterwards. */
export async function revokeKeysOf(app: TxApp, tx: Tx, { org_id, id }: PersonKey): Promise<string[]> {
  const revoked = await tx
    .updateTable('api_keys')
    .set({ revoked_at: app.clock.now() })
    .where('org_id', '=', org_id)
    .where('created_by', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  return revoked.map((key) => key.id);
}
