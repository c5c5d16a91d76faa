// Finds due work of all organizations: the backlog of one organization, however long, does not hide the work of others.
//
// A search reads one page of the index by time. If that is all there is, it has seen everything. Otherwise it jumps from
// organization to organization along an index that begins with them, and reads only as many rows of each as there are
// places. So a search costs a page, a few probes for each organization with planned work, and nothing for each post of a
// backlog.
import { sql } from 'kysely';
import type { App } from '../../api/app.js';
import { organizationsWith } from '../../db/organizations-with.js';
import { hasKeysOf } from '../../db/sealed-table.js';
import type { DispatchRow, PostRow } from '../../db/tables.js';
import type { LeasedAttempt } from '../attempt/lease.js';
import { dueAt } from '../attempt/waiting.js';
import type { Pool } from './pool.js';

/** If this many are due at once, each organization is searched separately. */
const PAGE = 96;

/** Searched one after the other; the rest come with the next search, which follows at once if there is room. */
const ORGANIZATIONS_A_LOOK = 64;

/** A long backlog is not counted to its end. */
const COUNTED = 1_000;

interface Due {
  org_id: string;
  id: string;
  social_account_id: string | null;
  due_at: number;
}

export type DuePost = Pick<PostRow, 'org_id' | 'id' | 'social_account_id'> & Due;
export type DueDispatch = LeasedAttempt & Pick<DispatchRow, 'social_account_id'> & Due;

/** Where due work is kept. Everything comes oldest first. */
export interface Source<Row extends Due> {
  /** One page across all organizations; `isAll` if nothing more is due. */
  page(now: number): Promise<{ rows: Row[]; isAll: boolean }>;
  /** The organizations that have due work. */
  organizations(now: number): Promise<string[]>;
  of(orgId: string, now: number, limit: number, busyAccounts: string[]): Promise<Row[]>;
}

export interface Found<Row> {
  /** Oldest first. Includes work that was begun and is not claimed yet. */
  rows: Row[];
  /** Organizations that may have more due work than was read. */
  more: string[];
}

/** One search. `roomOf`: how many more places an organization may have now. */
export async function findDue<Row extends Due>(
  app: App,
  source: Source<Row>,
  pool: Pool,
  roomOf: (orgId: string) => number,
): Promise<Found<Row>> {
  const now = app.clock.now();
  const { rows, isAll } = await source.page(now);
  if (isAll) return { rows, more: [] };
  const organizations = await source.organizations(now);
  const asked = organizations
    .filter((orgId) => roomOf(orgId) > 0)
    .sort((a, b) => pool.heldBy(a) - pool.heldBy(b))
    .slice(0, ORGANIZATIONS_A_LOOK);
  const more = new Set(organizations);
  const found: Row[] = [];
  for (const orgId of asked) {
    // Work that was begun and is not claimed yet is found again, and must not hide the rest.
    const limit = Math.min(roomOf(orgId), Math.ceil(pool.free / asked.length)) + pool.heldBy(orgId);
    const own = await source.of(orgId, now, limit, pool.busyAccounts(orgId));
    if (own.length < limit) more.delete(orgId);
    found.push(...own);
  }
  return { rows: found.sort((a, b) => a.due_at - b.due_at), more: [...more] };
}

/**
 * Work that needs secrets whose key this process does not have is left to those that have it. A scalar, not `exists`: Postgres
 * would join the whole backlog before it takes a page of it.
 */
const tokensOpen = ({ seal }: Pick<App, 'seal'>, work: string) => sql<boolean>`coalesce((
  select ${hasKeysOf(seal, 'social_accounts.access_token', 'social_accounts.refresh_token')} from social_accounts
  where social_accounts.org_id = ${sql.ref(`${work}.org_id`)}
    and social_accounts.id = ${sql.ref(`${work}.social_account_id`)}), true)`;

const postOpens = (app: Pick<App, 'seal' | 'config'>, now: number, posts = 'posts') =>
  // To miss a slot takes no token.
  sql<boolean>`(${tokensOpen(app, posts)} or scheduled_at < ${now - app.config.publishing.maxLatenessMs})`;

const attemptOpens = (app: Pick<App, 'seal'>, attempts = 'dispatches') =>
  sql<boolean>`(${tokensOpen(app, attempts)} and ${hasKeysOf(app.seal, 'upload', 'memo')})`;

/** Of the oldest due work, how much this process leaves to others because it does not have a key. */
export async function countWithoutKey(app: App): Promise<number> {
  const now = app.clock.now();
  const posts = app.db.read
    .selectFrom('posts')
    .select(sql<boolean>`not ${postOpens(app, now)}`.as('is_left'))
    .where(sql<boolean>`status = 'scheduled'`)
    .where(dueAt, '<=', now)
    .orderBy(dueAt);
  const attempts = app.db.read
    .selectFrom('dispatches')
    .select(sql<boolean>`not ${attemptOpens(app)}`.as('is_left'))
    .where('next_at', '<=', now)
    .orderBy('next_at');
  const rows = [...(await posts.limit(COUNTED).execute()), ...(await attempts.limit(COUNTED).execute())];
  return rows.filter(({ is_left }) => Boolean(is_left)).length;
}

/** Scheduled posts whose time has come. */
export function duePosts(app: App): Source<DuePost> {
  const { db } = app;
  const scheduled = sql<boolean>`status = 'scheduled'`;
  const due = (now: number) =>
    db.read
      .selectFrom('posts')
      .select(['org_id', 'id', 'social_account_id', dueAt.as('due_at')])
      .where(scheduled)
      .where(dueAt, '<=', now)
      .where(postOpens(app, now))
      .orderBy(dueAt);
  return {
    async page(now) {
      const rows = await due(now).orderBy('scheduled_at').limit(PAGE).execute();
      return { rows, isAll: rows.length < PAGE };
    },
    organizations: (now) =>
      organizationsWith(
        db.read,
        'posts',
        scheduled,
        sql`coalesce(wait_until, scheduled_at) <= ${now} and ${postOpens(app, now, 'work')}`,
      ),
    of(orgId, now, limit, busyAccounts) {
      let own = due(now).where('org_id', '=', orgId);
      if (busyAccounts.length > 0) own = own.where('social_account_id', 'not in', busyAccounts);
      return own.limit(limit).execute();
    },
  };
}

/** Attempts that need work. Reads only what acquiring the lease takes; the lease returns the rest. */
export function dueDispatches(app: App, phases: DispatchRow['phase'][]): Source<DueDispatch> {
  const { db } = app;
  const due = (now: number) =>
    db.read
      .selectFrom('dispatches')
      .select(['org_id', 'id', 'post_id', 'social_account_id', 'turn', 'phase', 'next_at as due_at'])
      .where('next_at', '<=', now)
      .where(attemptOpens(app))
      .orderBy('next_at')
      .$narrowType<{ due_at: number }>();
  return {
    // Of all phases: searching for a rare phase would otherwise read past all the others.
    async page(now) {
      const rows = await due(now).limit(PAGE).execute();
      return { rows: rows.filter(({ phase }) => phases.includes(phase)), isAll: rows.length < PAGE };
    },
    async organizations(now) {
      const found = new Set<string>();
      for (const phase of phases) {
        const inPhase = sql<boolean>`phase = ${sql.lit(phase)} and next_at is not null`;
        const isDue = sql`next_at <= ${now} and ${attemptOpens(app, 'work')}`;
        for (const orgId of await organizationsWith(db.read, 'dispatches', inPhase, isDue)) found.add(orgId);
      }
      return [...found];
    },
    async of(orgId, now, limit, busyAccounts) {
      const found: DueDispatch[] = [];
      for (const phase of phases) {
        let own = due(now).where('phase', '=', phase).where('org_id', '=', orgId);
        if (busyAccounts.length > 0) own = own.where('social_account_id', 'not in', busyAccounts);
        found.push(...(await own.limit(limit).execute()));
      }
      return found.sort((a, b) => a.due_at - b.due_at).slice(0, limit);
    },
  };
}
