// What the tests of publishing and of accounts share: a service beside a platform, and what a test does and sees there. Each part
// has a file of its own.
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { recount } from '../../../src/db/recount.js';
import type { Engine as DatabaseEngine } from '../databases/fresh-databases.js';
import { ServiceBesidePlatform, type WorldOptions } from './beside-platform.js';
import { faultsIn } from './faults.js';
import { ledgerOf } from './ledger.js';
import { postsIn } from './posts.js';
import { processesBeside } from './processes.js';
import { storedIn } from './stored.js';
import { turnsOf } from './turns.js';

export { HOUR_MS, MINUTE_MS, STEP_MS } from './beside-platform.js';
export type { WebhookOptions } from './ledger.js';
export type { Creator } from './posts.js';

export type World = ReturnType<typeof createWorld>;

function createWorld(engine: DatabaseEngine, options: WorldOptions) {
  const world = new ServiceBesidePlatform(engine, options);
  const stored = storedIn(world);
  const ledger = ledgerOf(world, stored);
  const { othersIdle, ...processes } = processesBeside(world);

  /** After a test: lets go of what it has stopped, clears its faults, and checks that all counters are exact. */
  async function tidy(): Promise<void> {
    world.scripted.reset();
    world.watched.reset();
    await world.idle();
    await othersIdle();
    await world.platform.control('clear');
    assert.deepEqual(await recount(world.app.db, ['posts', 'inbox', 'dispatches', 'slots']), []);
  }

  return Object.assign(world, {
    ...postsIn(world),
    ...stored,
    ...ledger,
    ...turnsOf(world, ledger),
    ...faultsIn(world),
    ...processes,
    tidy,
  });
}

/** Nothing waits longer than a second, except for a call that hangs: what is to be cut off is cut off by `expireDeadlines`. */
const SHORT_PAUSES = {
  SCHEDULE_MIN_LEAD_SECONDS: '0',
  PUBLISH_BACKOFF_MS: '1000',
  RECONCILE_INTERVAL_MS: '1000',
  PLATFORM_TIMEOUT_MS: '60000',
};

/** For all tests of a describe block, with short pauses. Use it inside the tests only. */
export function useWorld(engine: DatabaseEngine, options: WorldOptions = {}): World {
  const env = () => ({
    ...SHORT_PAUSES,
    ...(typeof options.env === 'function' ? options.env() : options.env),
  });
  return createWorld(engine, { ...options, env });
}

/** The same with the pauses of a real installation, tidied after each test. */
export function useTidyWorld(engine: DatabaseEngine, options: WorldOptions = {}): World {
  const world = createWorld(engine, options);
  afterEach(() => world.tidy());
  return world;
}
