// Plans and the trial: what an organization may use.
import type { Config } from '../config/config.js';
import type { QuotaName } from '../config/quotas.js';
import type { OrganizationRow } from '../db/tables.js';

export const PLANS = ['starter', 'growth', 'agency', 'api_only'] as const;
export type Plan = OrganizationRow['plan'];

export const TRIAL_DAYS = 14;

interface Subscription {
  plan: Plan;
  trialEndsAt: number | null;
}

export const inTrial = ({ trialEndsAt }: Subscription, nowMs: number): boolean =>
  trialEndsAt !== null && nowMs < trialEndsAt;

/** Growth and Agency have analytics; the others while their trial runs. */
export const includesAnalytics = (subscription: Subscription, nowMs: number): boolean =>
  subscription.plan === 'growth' || subscription.plan === 'agency' || inTrial(subscription, nowMs);

/** An organization's plan, and the quotas that the operator set for it, as its row has them. */
export type Allowance = Pick<OrganizationRow, 'plan' | 'quotas'>;

/** 0: no limit. */
type OwnQuotas = Partial<Record<QuotaName, number>>;

export const ownQuotas = ({ quotas }: Pick<Allowance, 'quotas'>): OwnQuotas =>
  quotas === null ? {} : (JSON.parse(quotas) as OwnQuotas);

/** Null: no limit. The operator's quota for the organization comes before the plan's. */
export function limitOf(config: Pick<Config, 'quotas'>, of: Allowance, name: QuotaName): number | null {
  return (ownQuotas(of)[name] ?? config.quotas[of.plan][name]) || null;
}
