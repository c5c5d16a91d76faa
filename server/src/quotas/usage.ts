// What an organization uses, in one statement whose cost does not grow with the organization.
import { type RawBuilder, sql } from 'kysely';
import type { TxApp } from '../app/app.js';
import { QUOTAS, type QuotaName } from '../config/quotas.js';
import { DAY_MS } from '../core/durations.js';
import type { Reader } from '../db/database.js';
import { type Allowance, limitOf, ownQuotas } from './plans.js';
import type { OperatorQuotas } from './schema.js';

/** The quotas whose rows are counted when they are needed, unlike bytes and posts, which have counters. */
export type CountedQuota = 'keys' | 'members' | 'accounts' | 'invitations';

/** Counting stops here, or at the limit if that is higher: an organization without one may have very many. */
const MAX_COUNTED = 1_000;

export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);
export const startOf = (day: number): number => day * DAY_MS;

/** The rows that count. In literals: SQLite uses a partial index only if it sees its condition. */
const COUNTED: Record<CountedQuota, (now: number) => RawBuilder<unknown>> = {
  keys: (now) => sql`api_keys where revoked_at is null and (expires_at is null or expires_at > ${now})`,
  members: () => sql`people where 1 = 1`,
  accounts: () => sql`social_accounts where status <> 'disconnected'`,
  invitations: (now) => sql`invitations where expires_at > ${now}`,
};

export const countQuotaRows = (
  read: Reader,
  quota: CountedQuota,
  orgId: string,
  now: number,
  limit: number,
) =>
  read
    .selectFrom(
      sql`(select id from ${COUNTED[quota](now)} and org_id = ${orgId} limit ${limit})`.as('counted'),
    )
    .select((eb) => eb.fn.countAll<number>().as('n'));

export const countPostsSince = (read: Reader, orgId: string, since: number, limit: number) =>
  read
    .selectFrom(
      read
        .selectFrom('posts')
        .select('id')
        .where('org_id', '=', orgId)
        .where('created_at', '>=', since)
        .limit(limit)
        .as('posts_since'),
    )
    .select((eb) => eb.fn.countAll<number>().as('n'));

/** The counter, which knows of deleted posts too. It is kept only under a limit. */
export const countedPostsOfDay = (read: Reader, orgId: string, day: number) =>
  read.selectFrom('daily_post_counts').select('n').where('org_id', '=', orgId).where('day', '=', day);

export const countBytes = (read: Reader, orgId: string) =>
  read
    .selectFrom('stored_bytes')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('n'), sql.lit(0)).as('n'))
    .where('org_id', '=', orgId);

type QuotaDeps = Pick<TxApp, 'config' | 'clock'>;

async function usedBy(
  { clock }: QuotaDeps,
  read: Reader,
  orgId: string,
  limits: Record<QuotaName, number | null>,
): Promise<Record<QuotaName, number>> {
  const now = clock.now();
  const day = dayOf(now);
  const countLimit = (name: QuotaName) => Math.max(limits[name] ?? 0, MAX_COUNTED);
  const countRows = (quota: CountedQuota) =>
    countQuotaRows(read, quota, orgId, now, countLimit(quota)).as(quota);
  const posts = countPostsSince(read, orgId, startOf(day), countLimit('posts_per_day'));
  const counted = countedPostsOfDay(read, orgId, day);
  const row = await read
    .selectFrom('organizations')
    .where('id', '=', orgId)
    .select((eb) => [
      countBytes(read, orgId).as('bytes'),
      (limits.posts_per_day === null ? posts : eb.fn.coalesce(counted, posts)).as('posts_per_day'),
      countRows('keys'),
      countRows('members'),
      countRows('accounts'),
      countRows('invitations'),
    ])
    .executeTakeFirstOrThrow();
  return Object.fromEntries(QUOTAS.map((name) => [name, Number(row[name])])) as Record<QuotaName, number>;
}

/** Every quota of the organization: what is used, the limit, and for the operator whether it was set for this organization. */
export async function readQuotaUsage(
  app: QuotaDeps,
  read: Reader,
  orgId: string,
  of: Allowance,
): Promise<OperatorQuotas> {
  const pairs = QUOTAS.map((name) => [name, limitOf(app.config, of, name)] as const);
  const used = await usedBy(app, read, orgId, Object.fromEntries(pairs) as Record<QuotaName, number | null>);
  const own = ownQuotas(of);
  return Object.fromEntries(
    pairs.map(([name, limit]) => [name, { used: used[name], limit, overridden: own[name] !== undefined }]),
  ) as OperatorQuotas;
}
