// How long a message takes from the request that causes it to its receiver, while the endpoints of other organizations accept everything
// after twelve seconds.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { ALLOW, addWebhook, Receiver } from '../support/service/webhooks.js';

const ATTACKERS = 6;
const WEBHOOKS_EACH = 20;
const POSTS_EACH = 30;
const SLOW_MS = 12_000;
const MIN_MS = 250;
const TIMES_QUIET = 5;

onEngines(
  'both',
  'While 120 endpoints of six organizations accept everything, each time after twelve seconds',
  (engine) => {
    const service = useService(engine, { env: ALLOW });
    const receiver = new Receiver();
    const arrivedAt = new Map<string, number>();
    const timers = new Set<NodeJS.Timeout>();
    let areSlow = false;
    let slowAnswers = 0;
    before(async () => {
      await receiver.start();
      receiver.answer = (response, { path, message }) => {
        if (path === '/well') arrivedAt.set(message.data.post_id, performance.now());
        else if (areSlow) {
          slowAnswers++;
          timers.add(setTimeout(() => response.end(), SLOW_MS));
          return;
        }
        response.end();
      };
    });
    after(() => {
      for (const timer of timers) clearTimeout(timer);
      return receiver.stop();
    });

    /** The 99th of a hundred, in milliseconds. */
    async function measure(org: Organization): Promise<number> {
      const delays: number[] = [];
      for (let n = 0; n < 100; n++) {
        const asked = performance.now();
        const post = await org.addPost();
        await until('the message has arrived', () => arrivedAt.has(post));
        delays.push((arrivedAt.get(post) as number) - asked);
      }
      return Math.round(delays.sort((a, b) => a - b)[98] as number);
    }

    it(`messages of another organization arrive within ${MIN_MS} ms or ${TIMES_QUIET} × the quiet time (p99)`, async (test) => {
      const well = await service.newOrganization();
      await addWebhook(well, `${receiver.url}/well`);
      const attackers: Organization[] = [];
      for (let i = 0; i < ATTACKERS; i++) {
        const org = await service.newOrganization();
        attackers.push(org);
        for (let k = 0; k < WEBHOOKS_EACH; k++) await addWebhook(org, `${receiver.url}/slow`);
        await org.addPost();
      }
      await until('all are trusted', () => receiver.received.length >= ATTACKERS * WEBHOOKS_EACH);
      const quiet = await measure(well);
      areSlow = true;
      for (const org of attackers) for (let n = 0; n < POSTS_EACH; n++) await org.addPost();
      await until('the slow ones are busy', () => slowAnswers >= 200);
      const beside = await measure(well);
      test.diagnostic(`${engine}: p99 ${quiet} ms quiet, ${beside} ms beside ${slowAnswers} slow requests`);
      assert.ok(beside <= Math.max(MIN_MS, TIMES_QUIET * quiet), `${quiet} → ${beside} ms`);
    });
  },
);
