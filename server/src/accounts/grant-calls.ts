// Keeps revocations and exchanges apart. The platform has one grant per person and app: revoking it also ends the grant that
// another organization is receiving at that moment. Whose grant that is, only the answer of the exchange tells, so a
// revocation keeps apart from every exchange on its platform.
//
// Each side first commits a row that says what it is about to do, and then looks for rows of the other side: whichever
// commits second sees the first, in any process and on both engines. A revocation that sees an exchange is left for later;
// an exchange that sees a revocation waits until it is over. An exchange removes its row after its account is saved, so a
// revocation that sees no row sees the account.
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../app/app.js';
import { toLogFields } from '../core/log.js';
import { CLOCK_SLACK_MS } from '../db/clock-checks.js';
import type { GrantCallTable } from '../db/tables.js';

const POLL_MS = 50;

/** For what comes before and after the call itself. A process that was paused for longer does not begin the call. */
const AROUND_CALL_MS = 15_000;

const lifeMs = ({ config }: Pick<App, 'config'>) => config.publishing.platformTimeoutMs + AROUND_CALL_MS;

/** Runs the exchange of a code and the saving of its grant. */
export async function whileExchanging<T>(app: App, platform: string, work: () => Promise<T>): Promise<T> {
  // A revocation that begins from now on sees this exchange; those that began before are over by then.
  const giveUpAt = app.clock.now() + lifeMs(app);
  const id = await begin(app, { platform, kind: 'exchange', valid_until: giveUpAt + lifeMs(app) });
  try {
    while (app.clock.now() < giveUpAt && (await isUnderWay(app, platform, 'revocation')))
      await delay(POLL_MS);
    return await work();
  } finally {
    await end(app, id);
  }
}

/** Runs a check and a revocation, or neither: null if an exchange is under way. `isInTime` says if the call may still begin. */
export async function whileRevoking<T>(
  app: App,
  platform: string,
  work: (isInTime: () => boolean) => Promise<T>,
): Promise<T | null> {
  const beginBy = app.clock.now() + AROUND_CALL_MS;
  const valid_until = app.clock.now() + lifeMs(app);
  const id = await begin(app, { platform, kind: 'revocation', valid_until });
  try {
    if (await isUnderWay(app, platform, 'exchange')) return null;
    return await work(() => app.clock.now() < beginBy);
  } finally {
    await end(app, id);
  }
}

async function begin(app: App, call: Omit<GrantCallTable, 'id'>): Promise<string> {
  const id = app.newId();
  await app.db.transact((tx) =>
    tx
      .insertInto('grant_calls')
      .values({ id, ...call })
      .execute(),
  );
  return id;
}

async function isUnderWay(app: App, platform: string, kind: GrantCallTable['kind']): Promise<boolean> {
  const now = app.clock.now();
  const call = await app.db.read
    .selectFrom('grant_calls')
    .select('id')
    .where('platform', '=', platform)
    .where('kind', '=', kind)
    .where('valid_until', '>', now)
    // A row from before the clock was set back would stand for as long.
    .where('valid_until', '<=', now + 2 * lifeMs(app) + CLOCK_SLACK_MS)
    .limit(1)
    .executeTakeFirst();
  return call !== undefined;
}

async function end(app: App, id: string): Promise<void> {
  try {
    await app.db.transact((tx) => tx.deleteFrom('grant_calls').where('id', '=', id).execute());
  } catch (err) {
    app.log.warn(
      toLogFields(err),
      'a call about a grant could not be marked as over; others wait until it expires',
    );
  }
}
