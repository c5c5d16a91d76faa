// What an organization of each plan may use: QUOTA_<WHAT>_<PLAN>.
import type { EnvReader } from './env-reader.js';

export const QUOTAS = ['bytes', 'posts_per_day', 'keys', 'members', 'accounts', 'invitations'] as const;
export type QuotaName = (typeof QUOTAS)[number];

/** 0: no limit. */
type Quotas = Readonly<Record<QuotaName, number>>;
export type PlanQuotas = Readonly<Record<keyof typeof BYTES, Quotas>>;

/** 10^9 bytes, as providers of storage count. */
const GB = 1e9;
const BYTES = { starter: 20 * GB, growth: 200 * GB, api_only: 200 * GB, agency: 1000 * GB };

/** Far above any use, and exact in a JavaScript number. */
export const MAX_QUOTA = 1e15;

export const quotaVariable = (name: QuotaName, plan: string): string => `QUOTA_${name}_${plan}`.toUpperCase();

export function readPlanQuotas(read: EnvReader): PlanQuotas {
  const of = (plan: keyof typeof BYTES) =>
    Object.fromEntries(
      QUOTAS.map((name) => [
        name,
        read.integer(quotaVariable(name, plan), name === 'bytes' ? BYTES[plan] : 0, 0, MAX_QUOTA),
      ]),
    ) as Quotas;
  return { starter: of('starter'), growth: of('growth'), api_only: of('api_only'), agency: of('agency') };
}
