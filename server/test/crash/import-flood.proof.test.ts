// A flood of hostile CSV files takes as much memory the second time as the first: nothing of it is kept.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ATTACKS, type Attack } from '../support/hostile/attacks.js';
import { ServiceUnderAttack } from '../support/hostile/hostile-tenant.js';
import { newTenant } from '../support/hostile/tenant-client.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN } from '../support/service/harness.js';

const STEPS_PER_LANE = 15;
const TIMES_FIRST = 1.1;
const REFUSED_MS = 50;

onEngines('both', 'A second flood of hostile CSV files', (engine) => {
  let attacked: ServiceUnderAttack;
  before(async () => {
    attacked = await ServiceUnderAttack.open(engine);
  });
  after(() => attacked.close());

  it(`peaks at most at ${TIMES_FIRST} × the memory of the first`, async (test) => {
    const { service } = attacked;
    const key = await newTenant(service.url, ADMIN_TOKEN, 'The Attackers');
    const attack = ATTACKS.find(({ title }) => title.startsWith('CSV files')) as Attack;
    const step = await attack.prepare({ url: service.url, key, victims: [] });
    const flood = async () => {
      service.forgetPeak();
      await Promise.all(
        Array.from({ length: attack.lanes }, async (_, lane) => {
          // What is refused is sent again, so that both floods are the same.
          for (let n = 0; n < STEPS_PER_LANE; )
            if ((await step(lane, n).catch(() => 503)) === 503) await delay(REFUSED_MS);
            else n++;
        }),
      );
      return service.memory().peak;
    };
    const first = await flood();
    const second = await flood();
    test.diagnostic(`${first} MB, then ${second} MB`);
    assert.ok(second <= TIMES_FIRST * first, `${first} MB, then ${second} MB`);
  });
});
