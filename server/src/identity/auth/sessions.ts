// Sessions: begun at every sign-in with a new id, listed for their person, ended one by one or all together.

import type { App, TxApp } from '../../app/app.js';
import { type Act, byCaller, recordAudit } from '../../audit/record.js';
import { toTimestamp } from '../../core/clock.js';
import { DAY_MS, HOUR_MS } from '../../core/durations.js';
import { asUuid } from '../../core/ids.js';
import type { Tx } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { SessionCaller, WithAddress } from '../../request/caller.js';
import { onePage, type Page } from '../../request/pagination.js';
import { hashSecret } from '../hash-secret.js';
import { lockPerson, type PersonKey } from './people.js';
import type { Session } from './schema.js';
import { makeToken } from './tokens.js';

const IDLE_MS = 12 * HOUR_MS;
export const ABSOLUTE_MS = 14 * DAY_MS;

/** A session lasts for 12 hours without activity, and never more than 14 days. */
export const sessionExpiry = (createdAt: number, seenAt: number): number =>
  Math.min(createdAt + ABSOLUTE_MS, seenAt + IDLE_MS);

/**
 * What a person proved to be themselves with. A link proves it only for who has nothing else to prove it with: anyone who saw the link
 * could have used it.
 */
export type Proof = 'password' | 'factor' | 'link' | null;

/** Where a request comes from. */
export interface ClientInfo {
  ip: string;
  userAgent: string | null;
  /** Aborts when the client closes the connection. */
  gone: AbortSignal;
}

const MAX_AGENT = 300;

/** Returns the token for the cookie. Only its hash is stored. */
export async function beginSession(
  app: TxApp,
  tx: Tx,
  person: PersonKey,
  { ip, userAgent }: ClientInfo,
  proof: Proof,
): Promise<string> {
  const token = makeToken();
  const now = app.clock.now();
  await tx
    .insertInto('sessions')
    .values({
      org_id: person.org_id,
      id: app.newId(),
      person_id: person.id,
      hash: hashSecret(token),
      user_agent: userAgent?.slice(0, MAX_AGENT).toWellFormed() ?? null,
      ip,
      created_at: now,
      seen_at: now,
      ends_at: sessionExpiry(now, now),
      proof,
      proved_at: proof === null ? null : now,
    })
    .execute();
  await tx.updateTable('people').set({ last_seen_at: now }).where(isRow(person)).execute();
  return token;
}

export async function listSessions(app: App, caller: SessionCaller): Promise<Page<Session>> {
  const rows = await app.db.read
    .selectFrom('sessions')
    .selectAll()
    .where('org_id', '=', caller.orgId)
    .where('person_id', '=', caller.personId)
    .where('ends_at', '>', app.clock.now())
    .orderBy('seen_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const sessions = rows.map((row) => ({
    id: row.id,
    created_at: toTimestamp(row.created_at),
    last_seen_at: toTimestamp(row.seen_at),
    user_agent: row.user_agent,
    ip: row.ip,
    current: row.id === caller.sessionId,
  }));
  return onePage(sessions);
}

/** Takes effect immediately in this process, and within a second in every other. Returns false unless it is the caller's own. */
export async function endSession(
  app: App,
  caller: WithAddress<SessionCaller>,
  id: string,
  how: SessionEnd,
): Promise<boolean> {
  const uuid = asUuid(id);
  if (uuid === null) return false;
  const ended = await app.db.transact(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('sessions')
      .where('org_id', '=', caller.orgId)
      .where('person_id', '=', caller.personId)
      .where('id', '=', uuid)
      .executeTakeFirst();
    if (numDeletedRows > 0n) await recordAudit(app, tx, byCaller(caller), ending(caller, uuid, how));
    return numDeletedRows > 0n;
  });
  app.sessionCache.clear();
  return ended;
}

/** Ends all of the caller's sessions but this one; returns how many. Links stay: a thief of this session must not void them. */
export async function endOtherSessions(app: App, caller: WithAddress<SessionCaller>): Promise<number> {
  const { orgId, personId, sessionId, name } = caller;
  const ended = await app.db.transact(async (tx) => {
    // People are locked before their sessions.
    if (!(await lockPerson(tx, { org_id: orgId, id: personId }))) return 0;
    const { numDeletedRows } = await tx
      .deleteFrom('sessions')
      .where('org_id', '=', orgId)
      .where('person_id', '=', personId)
      .where('id', '<>', sessionId)
      .executeTakeFirst();
    const n = Number(numDeletedRows);
    if (n > 0)
      await recordAudit(app, tx, byCaller(caller), {
        action: 'person.sessions_ended',
        target: { id: personId, name },
        details: { sessions_ended: n },
      });
    return n;
  });
  app.sessionCache.clear();
  return ended;
}

/** The person of this session has just proved to be themselves. Afterwards the caller clears the cache of sessions. */
export async function markProved(
  app: Pick<App, 'clock'>,
  tx: Tx,
  { orgId, sessionId }: SessionCaller,
  proof: Exclude<Proof, null>,
): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ proof, proved_at: app.clock.now() })
    .where(isRow({ org_id: orgId, id: sessionId }))
    .execute();
}

/** Gives the session another token, which it returns: who has seen the old cookie has nothing any more. */
export async function replaceToken(tx: Tx, { orgId, sessionId }: SessionCaller): Promise<string> {
  const token = makeToken();
  await tx
    .updateTable('sessions')
    .set({ hash: hashSecret(token) })
    .where(isRow({ org_id: orgId, id: sessionId }))
    .execute();
  return token;
}

/** `replaced`: by another one of the same browser. */
type SessionEnd = 'signed out' | 'ended' | 'replaced';

const ending = ({ personId, name }: SessionCaller, id: string, how: SessionEnd): Act =>
  how === 'signed out'
    ? { action: 'person.signed_out', target: { id: personId, name } }
    : {
        action: 'session.ended',
        target: { id, name: null },
        ...(how === 'replaced' ? { details: { is_replaced: true } } : {}),
      };

/** Ends all sessions of a person except the named one, and deletes links and tickets that would begin another. Returns how many sessions. */
export async function endSessions(
  tx: Tx,
  { org_id, id }: PersonKey,
  butFor: string | null = null,
): Promise<number> {
  const sessions = tx.deleteFrom('sessions').where('org_id', '=', org_id).where('person_id', '=', id);
  const ended = await (butFor === null ? sessions : sessions.where('id', '<>', butFor)).executeTakeFirst();
  for (const table of ['person_links', 'sign_in_tickets'] as const)
    await tx.deleteFrom(table).where('org_id', '=', org_id).where('person_id', '=', id).execute();
  return Number(ended.numDeletedRows);
}
