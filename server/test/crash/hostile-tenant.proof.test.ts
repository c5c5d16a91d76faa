// While one tenant does its worst, another one works as on a quiet day. In real time, against one process.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { ATTACKS } from '../hostile/attacks.js';
import { ServiceUnderAttack } from '../hostile/hostile-tenant.js';
import { ACTS, p99 } from '../hostile/victim.js';
import { onEngines } from '../runner/test-tiers.js';

const WORK = { rounds: 100, signInEvery: 4, people: 12 };
const MIN_MS = 250;
const TIMES_QUIET = 5;
/** Of what the service keeps, after a second flood. */
const MAX_GROWTH = 1.1;
/** Half of what deploy/ gives a process. */
const MAX_MB = 512;

onEngines('both', 'A hostile tenant', (engine) => {
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
      // How much garbage waits for its collection is the runtime's choice, and differs by half between equal floods.
      const kept = [await service.keptMemory()];
      const again = await service.workUnder(attack, WORK);
      kept.push(await service.keptMemory());
      test.diagnostic(
        `memory: at most ${peakMemory} MB, then ${again.peakMemory} MB; kept: ${kept.join(' MB, then ')} MB`,
      );
      const [first, second] = kept as [number, number];
      assert.ok(second <= MAX_GROWTH * first, `keeps ${first} → ${second} MB`);
      assert.ok(Math.max(peakMemory, again.peakMemory) <= MAX_MB, `${peakMemory}, ${again.peakMemory} MB`);
    });
});
