// How fast one account may publish: the platform limits inits per minute and posts per day.

import type { TxApp } from '../../app/app.js';
import { DAY_MS, MINUTE_MS } from '../../core/durations.js';
import { WRITTEN_AHEAD_MS } from '../../db/clock-checks.js';
import type { Tx } from '../../db/database.js';
import type { AttemptRow, SocialAccountRow } from '../../db/tables.js';

/** What counts as a post of the day: every attempt that published something, or may have. */
const MAY_HAVE_PUBLISHED: AttemptRow['outcome'][] = [
  'started',
  'accepted',
  'published',
  'in_inbox',
  'unknown',
];

/** When the account may take another post: now, or later. Its row must be locked. */
export async function findNextAllowedTime(
  app: TxApp,
  tx: Tx,
  { org_id, id }: Pick<SocialAccountRow, 'org_id' | 'id'>,
  now: number,
): Promise<number> {
  const { initsPerMinute, postsPerDay } = app.config.publishing;
  const begun = tx
    .selectFrom('dispatches')
    .select('started_at')
    .where('org_id', '=', org_id)
    .where('social_account_id', '=', id)
    // After the clock was set back: attempts of the old time would count for as long as it was set back.
    .where('started_at', '<=', now + WRITTEN_AHEAD_MS)
    .orderBy('started_at', 'desc');
  const limits = [
    { limit: initsPerMinute, windowMs: MINUTE_MS, attempts: begun },
    { limit: postsPerDay, windowMs: DAY_MS, attempts: begun.where('outcome', 'in', MAY_HAVE_PUBLISHED) },
  ];
  let free = now;
  for (const { limit, windowMs, attempts } of limits) {
    if (limit === 0) continue;
    // Once the n-th last attempt is out of the window, there is room for one more.
    const nth = await attempts
      .where('started_at', '>', now - windowMs)
      .limit(1)
      .offset(limit - 1)
      .executeTakeFirst();
    if (nth) free = Math.max(free, nth.started_at + windowMs);
  }
  return free;
}
