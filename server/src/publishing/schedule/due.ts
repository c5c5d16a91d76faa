// Due work of all organizations, read from the database. Everything comes oldest first. How it is searched: search.ts.
import { type RawBuilder, sql } from 'kysely';
import type { App } from '../../app/app.js';
import type { Database } from '../../db/database.js';
import { hasKeysOf } from '../../db/sealed-table.js';
import type { AttemptRow, PostRow } from '../../db/tables.js';
import type { Work } from '../../work/pool.js';
import type { LeasedAttempt } from '../attempt/lease.js';
import { dueAt } from '../attempt/waiting.js';

/** If fewer are due, one page is all there is. More than run at the same time: work that was begun is still there. */
const PAGE = 192;

/** A long backlog is not counted to its end. */
const MAX_COUNTED = 1_000;

/** Work whose target is its account. */
export type Due = Work & { due_at: number };

export type DuePost = Pick<PostRow, 'org_id' | 'id'> & Due;
export type DueAttempt = LeasedAttempt & Pick<AttemptRow, 'phase'> & Due;

/** A position in the index of due times: the time, and the columns that follow it there. */
export type Cursor = readonly [at: number, then: string | number, orgId: string];

/** Work that became due lately. */
export type Arrival = Pick<Due, 'org_id' | 'due_at'>;

export interface OrganizationsFound {
  orgIds: string[];
  /** Where the next statement continues; null at the end. */
  next: Cursor | null;
}

/** Statements that find due work of one kind. */
export interface DueQueries<Row extends Due> {
  /** One page across all organizations; `isAll` if nothing more is due. */
  oldestPage(now: number): Promise<{ rows: Row[]; isAll: boolean }>;
  /** What became due last, the last first. */
  newest(now: number, limit: number): Promise<Arrival[]>;
  /**
   * The organizations of the next due work after a position, in the order of its time. Costs an entry of an index each. One may be
   * named several times, also for work that needs another process's key.
   */
  organizationsAfter(now: number, after: Cursor | null, limit: number): Promise<OrganizationsFound>;
  /** Of one organization, but not of its busy accounts. */
  dueOf(orgId: string, now: number, limit: number, busyAccounts: string[]): Promise<Row[]>;
  oldestOfEach(orgIds: readonly string[], now: number): Promise<Row[]>;
}

/**
 * Work that needs secrets whose key this process does not have is left to those that have it. A scalar, not `exists`: Postgres
 * would join the whole backlog before it takes a page of it.
 */
const tokensOpen = ({ seal }: Pick<App, 'seal'>, work: string) => sql<boolean>`coalesce((
  select ${hasKeysOf(seal, 'social_accounts.access_token', 'social_accounts.refresh_token')} from social_accounts
  where social_accounts.org_id = ${sql.ref(`${work}.org_id`)}
    and social_accounts.id = ${sql.ref(`${work}.social_account_id`)}), true)`;

const postOpens = (app: Pick<App, 'seal' | 'config'>, now: number) =>
  // To miss a slot takes no token.
  sql<boolean>`(${tokensOpen(app, 'posts')} or scheduled_at < ${now - app.config.publishing.maxLatenessMs})`;

const attemptOpens = (app: Pick<App, 'seal'>) =>
  sql<boolean>`(${tokensOpen(app, 'dispatches')} and ${hasKeysOf(app.seal, 'upload', 'submission_ref')})`;

/** How much of the oldest due work this process leaves to others because it does not have a key. */
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
  const rows = [
    ...(await posts.limit(MAX_COUNTED).execute()),
    ...(await attempts.limit(MAX_COUNTED).execute()),
  ];
  return rows.filter(({ is_left }) => Boolean(is_left)).length;
}

/** Scheduled posts whose time has come. */
export function duePosts(app: App): DueQueries<DuePost> {
  const { db } = app;
  const scheduled = sql<boolean>`status = 'scheduled'`;
  const posts = db.read
    .selectFrom('posts')
    .select(['org_id', 'id', 'social_account_id as target', dueAt.as('due_at')])
    .where(scheduled);
  const due = (now: number) => posts.where(dueAt, '<=', now).where(postOpens(app, now)).orderBy(dueAt);
  return {
    async oldestPage(now) {
      const rows = await due(now).orderBy('scheduled_at').limit(PAGE).execute();
      return { rows, isAll: rows.length < PAGE };
    },
    newest: (now, limit) =>
      db.read
        .selectFrom('posts')
        .select(['org_id', dueAt.as('due_at')])
        .where(scheduled)
        .where(dueAt, '<=', now)
        .orderBy(dueAt, 'desc')
        .orderBy('scheduled_at', 'desc')
        .limit(limit)
        .execute(),
    organizationsAfter(now, after, limit) {
      const entries = db.read
        .selectFrom('posts')
        .select([dueAt.as('at'), 'scheduled_at as then', 'org_id'])
        .where(scheduled)
        .$narrowType<{ then: number }>();
      const inOrder = <T extends typeof entries>(query: T) => query.orderBy('scheduled_at').orderBy('org_id');
      const from = (at: number) =>
        inOrder(entries.where(dueAt, '>', at).where(dueAt, '<=', now).orderBy(dueAt));
      const tied = ([at, then, orgId]: Cursor) =>
        inOrder(
          entries.where(dueAt, '=', at).where(sql<boolean>`(scheduled_at, org_id) > (${then}, ${orgId})`),
        );
      return readEntries(after, limit, from, tied);
    },
    dueOf(orgId, now, limit, busyAccounts) {
      let own = due(now).where('org_id', '=', orgId);
      if (busyAccounts.length > 0) own = own.where('social_account_id', 'not in', busyAccounts);
      return own.limit(limit).execute();
    },
    async oldestOfEach(orgIds, now) {
      const oldest = sql<string>`(select posts.id from posts where posts.org_id = organizations.id and ${scheduled}
        and ${dueAt} <= ${now} and ${postOpens(app, now)}
        order by ${dueAt} limit 1)`;
      const ids = await idsOfEach(db, orgIds, oldest);
      return ids.length === 0 ? [] : posts.where(isOneOf(ids)).execute();
    },
  };
}

/** Attempts that need work. Reads only what acquiring the lease takes; the lease returns the rest. */
export function dueAttempts(app: App, phases: AttemptRow['phase'][]): DueQueries<DueAttempt> {
  const { db } = app;
  const attempts = db.read
    .selectFrom('dispatches')
    .select(['org_id', 'id', 'post_id', 'social_account_id as target', 'fence', 'phase', 'next_at as due_at'])
    .where('next_at', 'is not', null)
    .$narrowType<{ due_at: number }>();
  const due = (now: number) =>
    attempts.where('next_at', '<=', now).where(attemptOpens(app)).orderBy('next_at');
  return {
    // Reads attempts of all phases: searching for a rare phase would otherwise read past all the others.
    async oldestPage(now) {
      const rows = await due(now).limit(PAGE).execute();
      return { rows: rows.filter(({ phase }) => phases.includes(phase)), isAll: rows.length < PAGE };
    },
    async newest(now, limit) {
      const rows = await db.read
        .selectFrom('dispatches')
        .select(['org_id', 'phase', 'next_at as due_at'])
        .where('next_at', '<=', now)
        .orderBy('next_at', 'desc')
        .limit(limit)
        .$narrowType<{ due_at: number }>()
        .execute();
      return rows.filter(({ phase }) => phases.includes(phase));
    },
    organizationsAfter(now, after, limit) {
      const entries = db.read
        .selectFrom('dispatches')
        .select(['next_at as at', 'phase as then', 'org_id'])
        .$narrowType<{ at: number }>();
      const inOrder = <T extends typeof entries>(query: T) => query.orderBy('phase').orderBy('org_id');
      const from = (at: number) =>
        inOrder(entries.where('next_at', '>', at).where('next_at', '<=', now).orderBy('next_at'));
      const tied = ([at, then, orgId]: Cursor) =>
        inOrder(entries.where('next_at', '=', at).where(sql<boolean>`(phase, org_id) > (${then}, ${orgId})`));
      return readEntries(after, limit, from, tied, ({ then }) => phases.includes(then));
    },
    async dueOf(orgId, now, limit, busyAccounts) {
      const found: DueAttempt[] = [];
      for (const phase of phases) {
        let own = due(now).where('phase', '=', phase).where('org_id', '=', orgId);
        if (busyAccounts.length > 0) own = own.where('social_account_id', 'not in', busyAccounts);
        found.push(...(await own.limit(limit).execute()));
      }
      return found.sort((a, b) => a.due_at - b.due_at).slice(0, limit);
    },
    async oldestOfEach(orgIds, now) {
      const found: DueAttempt[] = [];
      for (const phase of phases) {
        const oldest = sql<string>`(select dispatches.id from dispatches where dispatches.org_id = organizations.id
          and phase = ${sql.lit(phase)} and next_at <= ${now} and ${attemptOpens(app)} order by next_at limit 1)`;
        const ids = await idsOfEach(db, orgIds, oldest);
        if (ids.length > 0) found.push(...(await attempts.where(isOneOf(ids)).execute()));
      }
      return found;
    },
  };
}

type Ref = readonly [orgId: string, id: string];

/** One step into an index for each organization. */
async function idsOfEach(
  db: Pick<Database, 'read'>,
  orgIds: readonly string[],
  oldest: RawBuilder<string | null>,
): Promise<Ref[]> {
  const rows = await db.read
    .selectFrom('organizations')
    .select(['id as org_id', oldest.as('oldest')])
    .where('id', 'in', orgIds)
    .execute();
  return rows.flatMap(({ org_id, oldest }): Ref[] => (oldest === null ? [] : [[org_id, oldest]]));
}

const isOneOf = (refs: readonly Ref[]) =>
  sql<boolean>`(${sql.join(
    refs.map(([orgId, id]) => sql`(org_id = ${orgId} and id = ${id})`),
    sql` or `,
  )})`;

/** An entry of the index of due times. */
interface Entry {
  at: number;
  then: string | number;
  org_id: string;
}

interface EntryQuery<Row extends Entry> {
  limit(n: number): { execute(): Promise<Row[]> };
}

/** What has the same time as the position comes first, by a statement of its own: SQLite compares no expression within a row. */
async function readEntries<Row extends Entry>(
  after: Cursor | null,
  limit: number,
  from: (at: number) => EntryQuery<Row>,
  tied: (after: Cursor) => EntryQuery<Row>,
  isWanted: (row: Row) => boolean = () => true,
): Promise<OrganizationsFound> {
  const rows = after ? await tied(after).limit(limit).execute() : [];
  if (rows.length < limit) {
    const rest = await from(after?.[0] ?? 0)
      .limit(limit - rows.length)
      .execute();
    rows.push(...rest);
  }
  const last = rows.at(-1);
  return {
    orgIds: rows.filter(isWanted).map(({ org_id }) => org_id),
    next: last && rows.length === limit ? [last.at, last.then, last.org_id] : null,
  };
}
