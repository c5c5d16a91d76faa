// How long a message takes from the request that causes it to its receiver, while all 200 endpoints answer and while 50 of them hang.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { ALLOW, addWebhook, Receiver } from '../support/service/webhooks.js';

const ORGANIZATIONS = 10;
const PER_ORGANIZATION = 20;
const THAT_HANG = 5;
const ROUNDS = 20;

onEngines('both', 'Of 200 endpoints', (engine) => {
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
