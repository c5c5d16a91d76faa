// One member, with what ends when they are removed; see `removeMember`.
import { sql } from 'kysely';
import type { App } from '../../app/app.js';
import { toTimestamp } from '../../core/clock.js';
import { isRow } from '../../db/is-row.js';
import type { Caller } from '../../request/caller.js';
import { requireFound } from '../../request/require-found.js';
import { MAX_LISTED_KEYS } from '../keys/schema.js';
import { presentMember } from './members.js';
import type { MemberDetails } from './schema.js';

type Ending = Pick<
  MemberDetails,
  'sessions_ending' | 'keys_ending' | 'keys' | 'invitations_ending' | 'invitations' | 'webhooks'
>;

export async function getMember(app: App, caller: Caller, id: string): Promise<MemberDetails> {
  const person = await requireFound('member', caller, id, (row) =>
    app.db.read.selectFrom('people').selectAll().where(isRow(row)).executeTakeFirst(),
  );
  return { ...presentMember(person, caller), ...(await listEnding(app, caller.orgId, person.id)) };
}

/** The newest of each kind. */
async function listEnding({ db: { read }, clock }: App, orgId: string, personId: string): Promise<Ending> {
  const now = clock.now();
  const sessions = await read
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('org_id', '=', orgId)
    .where('person_id', '=', personId)
    .where('ends_at', '>', now)
    .executeTakeFirstOrThrow();
  const keys = await read
    .selectFrom('api_keys')
    .select(['id', 'name', 'prefix', TOTAL])
    .where('org_id', '=', orgId)
    .where('created_by', '=', personId)
    .where('revoked_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(MAX_LISTED_KEYS)
    .execute();
  const invitations = await read
    .selectFrom('invitations')
    .select(['id', 'email', 'role', 'expires_at', TOTAL])
    .where('org_id', '=', orgId)
    .where('invited_by', '=', personId)
    .where('expires_at', '>', now)
    .orderBy('id', 'desc')
    .limit(MAX_LISTED_KEYS)
    .execute();
  const webhooks = await read
    .selectFrom('webhook_endpoints')
    .innerJoin('api_keys', (join) =>
      join
        .onRef('api_keys.org_id', '=', 'webhook_endpoints.org_id')
        .onRef('api_keys.id', '=', 'webhook_endpoints.made_with'),
    )
    .select(['webhook_endpoints.id', 'webhook_endpoints.url', 'webhook_endpoints.description'])
    .where('webhook_endpoints.org_id', '=', orgId)
    .where('webhook_endpoints.enabled', '=', 1)
    .where('api_keys.created_by', '=', personId)
    .where('api_keys.revoked_at', 'is', null)
    .orderBy('webhook_endpoints.id', 'desc')
    .execute();
  return {
    sessions_ending: sessions.n,
    keys_ending: Number(keys[0]?.n ?? 0),
    keys: keys.map(({ n: _total, ...key }) => key),
    invitations_ending: Number(invitations[0]?.n ?? 0),
    invitations: invitations.map(({ n: _total, expires_at, ...invitation }) => ({
      ...invitation,
      expires_at: toTimestamp(expires_at),
    })),
    webhooks,
  };
}

/** In each row: how many there are beyond the limit too. */
const TOTAL = sql<number>`count(*) over ()`.as('n');
