// Inspections count as requests of the organization, several each.
import type { App } from '../api/app.js';
import type { AssetKind } from './limits.js';

/**
 * In requests. Measured on one core: a request takes 0.3 to 0.5 ms of CPU time, a slide of a phone about 50 ms, and a video 300 ms, most
 * of it the start of its process. A tenth of that is charged, so that the default limit admits 600 slides or 120 videos a
 * minute: more than one organization's place in the line can inspect.
 */
const COSTS: Record<AssetKind, number> = { slide: 10, video: 50 };

/** Throws 429 if the organization has used up this minute. */
export async function chargeInspection(
  { config, db, rates }: App,
  { org_id, kind }: { org_id: string; kind: AssetKind },
): Promise<void> {
  if (!config.rateLimit.enabled) return;
  const organization = await db.read
    .selectFrom('organizations')
    .select('plan')
    .where('id', '=', org_id)
    .executeTakeFirst();
  await rates.charge(org_id, organization?.plan ?? 'starter', COSTS[kind]);
}
