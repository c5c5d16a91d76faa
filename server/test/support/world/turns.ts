// The turns of the engine: one, until the platform has finished with a publish, or until nothing is left to do.
import assert from 'node:assert/strict';
import { until } from '../runner/until.js';
import { type ServiceBesidePlatform, STEP_MS } from './beside-platform.js';
import type { ledgerOf, Published } from './ledger.js';
import type { Creator } from './posts.js';

export function turnsOf(
  world: ServiceBesidePlatform,
  { waitForPlatform }: Pick<ReturnType<typeof ledgerOf>, 'waitForPlatform'>,
) {
  /** One turn of everything, to its end. */
  async function runOnce(engine = world.engine): Promise<void> {
    for (const kind of ['publish', 'transfer', 'poll'] as const) {
      await engine[kind]();
      await engine.idle();
    }
  }

  /** Lets the platform finish with it, and the engine find out. */
  async function settle(publishId: string): Promise<void> {
    const { app, engine, platform } = world;
    await engine.transfer();
    await engine.idle();
    await until(`the platform has finished with ${publishId}`, async () => {
      const all: Published[] = await platform.publishes();
      const found = all.find((published) => published.publish_id === publishId);
      return found !== undefined && !found.status.startsWith('PROCESSING');
    });
    world.advance(app.config.publishing.reconcileIntervalMs + 1);
    await engine.poll();
    await engine.idle();
  }

  /** Turn after turn, until nothing is under way any more or waits for a short pause. */
  async function finish(creator: Creator, engine = world.engine): Promise<void> {
    for (let round = 0; round < 12; round++) {
      await waitForPlatform(creator.username);
      world.advance(STEP_MS);
      await runOnce(engine);
      if (!(await isBusy(creator.org.id))) return;
    }
    assert.fail('it never came to an end');
  }

  async function isBusy(orgId: string): Promise<boolean> {
    const { read } = world.app.db;
    const attempts = await read
      .selectFrom('dispatches')
      .select('id')
      .where('org_id', '=', orgId)
      .where('outcome', 'in', ['started', 'accepted'])
      .execute();
    const waiting = await read
      .selectFrom('posts')
      .select('id')
      .where('org_id', '=', orgId)
      .where('status', '=', 'scheduled')
      .where((eb) => eb(eb.fn.coalesce('wait_until', 'scheduled_at'), '<=', world.now() + 600_000))
      .execute();
    return attempts.length + waiting.length > 0;
  }

  return { runOnce, settle, finish };
}
