// Recognizes sessions by their cookie.

import type { KnownSession, SessionCache } from '../../app/known-callers.js';
import { ROLE_SCOPES, type Scope } from '../../app/scopes.js';
import type { Clock } from '../../core/clock.js';
import { type Log, toLogFields } from '../../core/log.js';
import type { Database } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import { prepareRead } from '../../db/prepared-statements.js';
import type { PersonRow } from '../../db/tables.js';
import { createCallerCache } from '../caller-cache.js';
import { sessionExpiry } from './sessions.js';
import { isToken } from './tokens.js';

const SEEN_GRAIN_MS = 60_000;

const SCOPES_OF: Record<PersonRow['role'], ReadonlySet<Scope>> = {
  owner: new Set(ROLE_SCOPES.owner),
  admin: new Set(ROLE_SCOPES.admin),
  editor: new Set(ROLE_SCOPES.editor),
  viewer: new Set(ROLE_SCOPES.viewer),
};

const findByHash = prepareRead(
  (read, hash: string) =>
    read
      .selectFrom('sessions')
      .innerJoin('people', (join) =>
        join.onRef('people.org_id', '=', 'sessions.org_id').onRef('people.id', '=', 'sessions.person_id'),
      )
      .innerJoin('organizations', 'organizations.id', 'sessions.org_id')
      .select([
        'sessions.id as sessionId',
        'sessions.person_id as personId',
        'people.name',
        'people.role',
        'sessions.org_id as orgId',
        'organizations.plan',
        'organizations.trial_ends_at as trialEndsAt',
        'organizations.quotas',
        'sessions.created_at as createdAt',
        'sessions.seen_at as seenAt',
        'sessions.ends_at as endsAt',
        'sessions.proof',
        'sessions.proved_at as provedAt',
        'organizations.second_factor',
      ])
      .select((eb) =>
        eb
          .exists(
            eb
              .selectFrom('person_factors')
              .select('person_factors.id')
              .whereRef('person_factors.org_id', '=', 'sessions.org_id')
              .whereRef('person_factors.person_id', '=', 'sessions.person_id')
              .where('person_factors.confirmed_at', 'is not', null),
          )
          .as('has_factor'),
      )
      .where('sessions.hash', '=', hash),
  'session_by_hash',
);

export function createSessionCache(db: Database, clock: Clock, log: Log): SessionCache {
  async function lookUp(hash: string): Promise<KnownSession | null> {
    const [row] = await findByHash(db.read, hash);
    if (!row) return null;
    const { second_factor, has_factor, proof, ...session } = row;
    const lacksFactor = second_factor === 'required' && !has_factor;
    // With a second factor nothing else is a proof, not even a password that was given before it was added.
    const provedAt = has_factor && proof !== 'factor' ? null : session.provedAt;
    return { via: 'session', ...session, provedAt, lacksFactor, scopes: SCOPES_OF[row.role] };
  }

  /** Recorded to the minute, like the last use of a key. It also keeps an active session from timing out. */
  function recordUse(session: KnownSession): void {
    const now = clock.now();
    if (now - session.seenAt < SEEN_GRAIN_MS) return;
    session.seenAt = now;
    session.endsAt = sessionExpiry(session.createdAt, now);
    const { orgId, sessionId, personId, endsAt } = session;
    db.transact(async (tx) => {
      // People before their sessions, as everywhere: otherwise two transactions could deadlock.
      await tx
        .updateTable('people')
        .set({ last_seen_at: now })
        .where(isRow({ org_id: orgId, id: personId }))
        .execute();
      await tx
        .updateTable('sessions')
        .set({ seen_at: now, ends_at: endsAt })
        .where(isRow({ org_id: orgId, id: sessionId }))
        .execute();
    }).catch((err) =>
      log.warn({ ...toLogFields(err), user_id: personId }, 'the use of a session was not recorded'),
    );
  }

  const hasEnded = ({ endsAt }: KnownSession) => endsAt <= clock.now();
  return createCallerCache({ isWellFormed: isToken, lookUp, hasEnded, recordUse });
}
