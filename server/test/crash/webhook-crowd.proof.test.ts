// How long a message takes from the request that causes it to its receiver: while all 200 endpoints answer, while 50 of them hang, and
// while those of other organizations answer after twelve seconds.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Organization, onEachEngine, useService } from '../harness.js';
import { until } from '../sandbox/platform.js';
import { ALLOW, addWebhook, Receiver } from '../webhooks.js';

const ORGANIZATIONS = 10;
const PER_ORGANIZATION = 20;
const THAT_HANG = 5;
const ROUNDS = 20;

onEachEngine('Of 200 endpoints', (engine) => {
  const service = useService(engine, { env: ALLOW });
  const receiver = new Receiver();
  const orgs: Organization[] = [];
  /** By post: when its creation was asked for. */
  const askedAt = new Map<string, number>();
  let arrivals: { post: string; at: number }[] = [];
  let hangs = false;
  before(async () => {
    await receiver.start();
    receiver.answer = (response, { path, message }) => {
      if (path === '/well') arrivals.push({ post: message.data.post_id, at: performance.now() });
      else if (hangs) return;
      response.end();
    };
    for (let i = 0; i < ORGANIZATIONS; i++) {
      const org = await service.newOrganization();
      orgs.push(org);
      for (let k = 0; k < PER_ORGANIZATION; k++)
        await addWebhook(org, `${receiver.url}/${k < THAT_HANG ? 'may-hang' : 'well'}`);
    }
  });
  after(() => receiver.stop());

  /** The 50th and the 99th of a hundred, in milliseconds. */
  async function measure(): Promise<[number, number]> {
    arrivals = [];
    const each = ORGANIZATIONS * (PER_ORGANIZATION - THAT_HANG);
    for (let round = 1; round <= ROUNDS; round++) {
      for (const org of orgs) {
        const at = performance.now();
        askedAt.set(await org.addPost(), at);
      }
      await until('all that answer have everything', () => arrivals.length >= each * round);
    }
    assert.equal(arrivals.length, each * ROUNDS);
    const delays = arrivals.map(({ post, at }) => at - (askedAt.get(post) as number)).sort((a, b) => a - b);
    const share = (part: number) => Math.round(delays[Math.floor(delays.length * part)] as number);
    return [share(0.5), share(0.99)];
  }

  it('those that answer wait no longer while 50 hang', async () => {
    await measure();
    const calm = await measure();
    hangs = true;
    const beside = await measure();
    console.log(
      `${engine}: median and p99 while all answer ${calm.join(', ')} ms; while 50 hang ${beside.join(', ')} ms`,
    );
  });
});

const ATTACKERS = 6;
const WEBHOOKS_EACH = 20;
const POSTS_EACH = 30;
const SLOW_MS = 12_000;
const LEAST_MS = 250;
const TIMES_QUIET = 5;

onEachEngine(
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

    it(`messages of another organization arrive within ${LEAST_MS} ms or ${TIMES_QUIET} × the quiet time (p99)`, async (test) => {
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
      assert.ok(beside <= Math.max(LEAST_MS, TIMES_QUIET * quiet), `${quiet} → ${beside} ms`);
    });
  },
);
