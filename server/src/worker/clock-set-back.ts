// After the clock was set back: work that would stand still until the clock gets to its old time again is due now.
import { accountTimes } from '../accounts/stored-tokens.js';
import type { App } from '../app/app.js';
import { sourceTimes } from '../assets/fetch/fetch.js';
import { invalidateResponses } from '../db/changes.js';
import { type DueTime, findImpossible, type ImpossibleTime, resetImpossible } from '../db/due-times.js';
import { deliveryTimes } from '../events/webhooks/deliver.js';
import { addressTimes, attemptTimes } from '../publishing/attempt/lease.js';
import type { LoopPlan } from './loop.js';

export const clockPlans = (app: App): LoopPlan[] => [
  { name: 'attempts ahead of the clock', everyMs: 5_000, run: createReset(app, attemptTimes(app)) },
  // These searches read more rows, and their work may begin a minute later.
  {
    name: 'work ahead of the clock',
    everyMs: 60_000,
    run: createReset(app, [...accountTimes(app), ...addressTimes, ...sourceTimes, ...deliveryTimes]),
  },
];

/** Returns a run of the loop. */
export function createReset(app: App, dueTimes: readonly DueTime[]): () => Promise<void> {
  let standing = new Map<string, { at: number; since: number }>();
  return async () => {
    const now = app.clock.now();
    const stillStanding: typeof standing = new Map();
    let reset = 0;
    for (const due of dueTimes)
      for (const row of await findImpossible(app.db.read, due, now)) {
        const name = `${due.table} ${due.column} ${row.id}`;
        const before = standing.get(name);
        const isSame = before !== undefined && before.at === row.at && before.since <= now;
        const since = isSame ? before.since : now;
        if (now - since < due.standsMs) stillStanding.set(name, { at: row.at, since });
        else if (await makeDue(app, due, row, now)) reset++;
      }
    standing = stillStanding;
    if (reset > 0)
      app.log.warn(
        { rows: reset },
        'the clock was set back; work that was planned by the old time is due now',
      );
  };
}

const makeDue = (app: App, due: DueTime, row: ImpossibleTime, now: number): Promise<boolean> =>
  app.db.transact((tx) => {
    invalidateResponses(tx, row.org);
    return resetImpossible(tx, due, row, now);
  });
