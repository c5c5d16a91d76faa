// Plans and the trial: what an organization may use.
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
