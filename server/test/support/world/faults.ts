// What goes wrong between a service and its platform, at a moment that the test chooses.
import { withGate } from '../platform/slide-proxy.js';
import { until } from '../runner/until.js';
import type { ServiceBesidePlatform } from './beside-platform.js';

export function faultsIn(world: ServiceBesidePlatform) {
  /** The platform fetches a slide, and then its answer to the init is lost. */
  async function loseAnswerAfterFetch(): Promise<void> {
    const { app, platform, scripted } = world;
    await platform.control('faults', { on: 'init', kind: 'reset_after' });
    scripted.afterInit = async () => {
      scripted.afterInit = null;
      await until('a slide is fetched', async () => {
        const open = await app.db.read
          .selectFrom('dispatches')
          .select('fetched_at')
          .where('outcome', '=', 'started')
          .executeTakeFirst();
        return open?.fetched_at != null;
      });
    };
  }

  /** Does something that meets a fault, and lets the deadline come when it hangs there and `isTime`. */
  async function cutAtFault<T>(
    work: Promise<T>,
    isTime: () => Promise<boolean> = async () => true,
  ): Promise<T> {
    await until('the fault is met', async () => {
      const { json } = await world.platform.request('GET', '/__control/faults');
      return json.data.length === 0 && (await isTime());
    });
    world.deadlines.expire();
    return work;
  }

  return {
    loseAnswerAfterFetch,
    cutAtFault,
    /** The platform cannot fetch slides until the gate is opened. */
    withGate: (work: (openGate: () => void) => Promise<void>) => withGate(world.service, work),
    /** The deadline of every call that is under way comes now. */
    expireDeadlines: () => world.deadlines.expire(),
  };
}
