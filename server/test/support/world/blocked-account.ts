// An account that the platform has banned from posting, with posts that wait for it.
import type { Creator, World } from './world.js';
import { MINUTE_MS } from './world.js';

export const BANNED = 'spam_risk_user_banned_from_posting';

/** The waits of the engine are short, and posts may be three days late. */
export const BLOCK_ENV = {
  PUBLISH_MAX_LATENESS_HOURS: '72',
  SCHEDULE_MIN_LEAD_SECONDS: '0',
  PUBLISH_BACKOFF_MS: '1000',
  RECONCILE_INTERVAL_MS: '1000',
};

export const blocksIn = (world: World) => {
  const setBan = ({ username }: Creator, is_banned: boolean) =>
    world.platform.control('accounts', { username, is_banned });
  /** As a worker does, which is called again when work has ended. */
  async function run(times = 8, work = world.engine): Promise<void> {
    for (let n = 0; n < times; n++) {
      await work.publish();
      await work.idle();
    }
  }
  return {
    setBan,
    run,
    accountOf: async ({ org, accountId }: Creator) =>
      (await org.call('GET', `/api/v1/social-accounts/${accountId}`)).json.data,
    unblock: ({ org, accountId }: Creator) =>
      org.call('POST', `/api/v1/social-accounts/${accountId}/unblock`),
    statuses: async (ids: string[]) => Promise.all(ids.map(async (id) => (await world.postRow(id)).status)),
    attemptsOf: async (ids: string[]) => (await Promise.all(ids.map((id) => world.attempts(id)))).flat(),
    /** Posts a minute apart, the first of which met the ban. */
    async banned(count = 4) {
      const creator = await world.creator();
      const ids: string[] = [];
      for (let n = 0; n < count; n++) {
        const id = await world.post(creator, 'slides', `Post ${n}`);
        await world.schedule(creator, id, (n + 1) * MINUTE_MS);
        ids.push(id);
      }
      await setBan(creator, true);
      world.advance(count * MINUTE_MS + 1_000);
      await run();
      return { ...creator, creator, ids };
    },
  };
};
