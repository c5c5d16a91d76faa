// While one tenant does its worst, another one works as on a quiet day. In real time, against one process.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onEachEngine } from '../harness.js';
import { ATTACKS } from '../hostile/attacks.js';
import { ServiceUnderAttack } from '../hostile/hostile-tenant.js';
import { ACTS, p99 } from '../hostile/victim.js';

const WORK = { rounds: 100, signInEvery: 4, people: 12 };
const MIN_MS = 250;
const TIMES_QUIET = 5;
const MAX_FLOODS = 5;
const MAX_GROWTH = 1.1;

onEachEngine('A hostile tenant', (engine) => {
  let service: ServiceUnderAttack;
  before(async () => {
    service = await ServiceUnderAttack.open(engine);
  });
  after(() => service.close());

  for (const attack of ATTACKS)
    it(`${attack.title}: nothing of another tenant is refused, and its p99 is at most ${MIN_MS} ms or ${TIMES_QUIET} × its quiet one`, async (test) => {
      const { quiet, attacked, refused, attacker, peakMemory } = await service.workUnder(attack, WORK);
      const slow: string[] = [];
      for (const act of ACTS) {
        const [before, during] = [p99(quiet[act]), p99(attacked[act])];
        test.diagnostic(`${act}: p99 ${before} ms quiet, ${during} ms under attack`);
        if (during > Math.max(MIN_MS, TIMES_QUIET * before)) slow.push(`${act}: ${before} → ${during} ms`);
      }
      test.diagnostic(`the attacker got ${JSON.stringify(attacker)}`);
      const asked = Object.values(attacker).reduce((sum, count) => sum + count, 0);
      assert.ok(asked > 0, 'the attacker did nothing: this proves nothing');
      assert.deepEqual(refused, []);
      assert.deepEqual(slow, []);
      if (!attack.isFlood) return;
      const peaks = [peakMemory];
      const hasGrown = () => (peaks.at(-1) as number) > MAX_GROWTH * peakMemory;
      // How much garbage waits for its collection differs by a third. What is kept is there the next time, too, and more of
      // it, so one later flood within the bound shows that nothing was.
      do peaks.push((await service.workUnder(attack, WORK)).peakMemory);
      while (hasGrown() && peaks.length < MAX_FLOODS);
      test.diagnostic(`memory: at most ${peaks.join(' MB, then ')} MB`);
      assert.ok(!hasGrown(), `${peaks.join(' → ')} MB`);
    });
});
