// Recognizes sessions by their cookie, with at most one lookup every half second each (see core/ttl-cache.ts).

import type { Clock } from '../../core/clock.js';
import { type Log, toLogFields } from '../../core/log.js';
import { createTtlCache } from '../../core/ttl-cache.js';
import type { Database } from '../../db/database.js';
import { isRow } from '../../db/is-row.js';
import type { PersonRow } from '../../db/tables.js';
import type { KnownSession, SessionCache } from '../../request/known-callers.js';
import { ROLE_SCOPES, type Scope } from '../../request/scopes.js';
import { sessionExpiry } from './sessions.js';
import { hashToken, isToken } from './tokens.js';

const SEEN_GRAIN_MS = 60_000;

const SCOPES_OF: Record<PersonRow['role'], ReadonlySet<Scope>> = {
  owner: new Set(ROLE_SCOPES.owner),
  admin: new Set(ROLE_SCOPES.admin),
  editor: new Set(ROLE_SCOPES.editor),
  viewer: new Set(ROLE_SCOPES.viewer),
};

export function createSessionCache(db: Database, clock: Clock, log: Log): SessionCache {
  const lookUp = db.prepareRead(
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
        ])
        .where('sessions.hash', '=', hash),
    'session_by_hash',
  );
  const memory = createTtlCache<KnownSession>(async (hash) => {
    const [row] = await lookUp(hash);
    return row ? { via: 'session', ...row, scopes: SCOPES_OF[row.role] } : null;
  });

  /** Recorded to the minute, like the last use of a key. It also keeps an active session from timing out. */
  function noteUse(session: KnownSession): void {
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

  const alive = (session: KnownSession | null) =>
    session === null || session.endsAt <= clock.now() ? null : session;

  function lookUpToken(token: string, seen: (session: KnownSession) => void) {
    if (!isToken(token)) return null;
    const take = (remembered: KnownSession | null) => {
      const session = alive(remembered);
      if (session) seen(session);
      return session;
    };
    const found = memory.find(hashToken(token));
    return found instanceof Promise ? found.then(take) : take(found);
  }

  return {
    find: (token) => lookUpToken(token, noteUse),
    peek: (token) => lookUpToken(token, () => {}),
    recentOrg: (token) => memory.recent(hashToken(token))?.orgId,
    clear: memory.clear,
  };
}
