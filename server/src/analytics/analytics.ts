// The analytics summary, read from counters: its cost does not depend on the number of posts.

import type { App } from '../app/app.js';
import { AppError } from '../core/problems.js';
import { prepareRead } from '../db/prepared-statements.js';
import { includesAnalytics } from '../quotas/plans.js';
import type { Caller } from '../request/caller.js';
import { findDispatchTotals } from './dispatch-counters.js';
import type { AnalyticsSummary } from './schema.js';

const SUCCESSFUL = new Set(['accepted', 'published', 'in_inbox']);

export const isSuccess = (outcome: string): boolean => SUCCESSFUL.has(outcome);

export function assertIncludesAnalytics(app: App, caller: Caller): void {
  if (!includesAnalytics(caller, app.clock.now()))
    throw new AppError(
      'plan_required',
      'Analytics requires the Growth or Agency plan, or the free trial. Upgrade to use it.',
    );
}

export async function summarize(app: App, caller: Caller): Promise<AnalyticsSummary> {
  assertIncludesAnalytics(app, caller);
  const [posts, dispatches] = await Promise.all([
    findPostTotals(app.db.read, caller.orgId),
    findDispatchTotals(app.db.read, caller.orgId),
  ]);
  const summary = {
    total_posts: 0,
    published: 0,
    scheduled: 0,
    total_dispatches: 0,
    successful_dispatches: 0,
  };
  for (const { status, published, n } of posts) {
    summary.total_posts += n;
    if (published) summary.published += n;
    if (status === 'scheduled') summary.scheduled += n;
  }
  for (const { outcome, n } of dispatches) {
    summary.total_dispatches += n;
    if (isSuccess(outcome)) summary.successful_dispatches += n;
  }
  const { total_dispatches: total, successful_dispatches: successful } = summary;
  return { ...summary, success_rate: total === 0 ? 0 : Math.round((100 * successful) / total) };
}

const findPostTotals = prepareRead((read, orgId: string) =>
  read
    .selectFrom('post_counters')
    .select((eb) => ['status', 'published', eb.fn.sum<number>('n').as('n')])
    .where('org_id', '=', orgId)
    .groupBy(['status', 'published']),
);
