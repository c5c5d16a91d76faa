// After the clock was set back: work that would stand still until the clock gets to its old time again is due now.
import { accountClockChecks } from '../accounts/stored-tokens.js';
import type { App } from '../app/app.js';
import { sourceClockChecks } from '../assets/fetch/fetch.js';
import { invalidateResponses } from '../db/changes.js';
import {
  type ClockCheck,
  findImpossibleTimes,
  type ImpossibleTime,
  resetImpossibleTime,
} from '../db/clock-checks.js';
import { deliveryClockChecks } from '../events/webhooks/deliver.js';
import { addressClockChecks, attemptClockChecks } from '../publishing/attempt/lease.js';
import type { LoopPlan } from './loop.js';

export const clockPlans = (app: App): LoopPlan[] => [
  { name: 'attempts ahead of the clock', everyMs: 5_000, run: createReset(app, attemptClockChecks(app)) },
  // These searches read more rows, and their work may begin a minute later.
  {
    name: 'work ahead of the clock',
    everyMs: 60_000,
    run: createReset(app, [
      ...accountClockChecks(app),
      ...addressClockChecks,
      ...sourceClockChecks,
      ...deliveryClockChecks,
    ]),
  },
];

/** Returns a run of the loop. */
export function createReset(app: App, checks: readonly ClockCheck[]): () => Promise<void> {
  let standing = new Map<string, { at: number; since: number }>();
  return async () => {
    const now = app.clock.now();
    const stillStanding: typeof standing = new Map();
    let reset = 0;
    for (const check of checks)
      for (const row of await findImpossibleTimes(app.db.read, check, now)) {
        const name = `${check.table} ${check.column} ${row.id}`;
        const before = standing.get(name);
        const isSame = before !== undefined && before.at === row.at && before.since <= now;
        const since = isSame ? before.since : now;
        if (now - since < check.standsMs) stillStanding.set(name, { at: row.at, since });
        else if (await makeDue(app, check, row, now)) reset++;
      }
    standing = stillStanding;
    if (reset > 0)
      app.log.warn(
        { rows: reset },
        'the clock was set back; work that was planned by the old time is due now',
      );
  };
}

const makeDue = (app: App, check: ClockCheck, row: ImpossibleTime, now: number): Promise<boolean> =>
  app.db.transact((tx) => {
    invalidateResponses(tx, row.org);
    return resetImpossibleTime(tx, check, row, now);
  });
