// A sample of hostile-tenant.proof.test.ts: the victim is served while each attack runs. How quickly is left to the proof,
// which has the machine to itself.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { ATTACKS } from '../support/hostile/attacks.js';
import { ServiceUnderAttack } from '../support/hostile/hostile-tenant.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';

/** The most expensive for the service. The others have tests of their own in api/. */
const DAILY = /search/;

onEngines('postgres', 'While one tenant attacks', (engine) => {
  let service: ServiceUnderAttack;
  before(async () => {
    service = await ServiceUnderAttack.open(engine);
  });
  after(() => service.close());

  for (const attack of everyday(
    ATTACKS.filter(({ title }) => DAILY.test(title)),
    ATTACKS,
  ))
    it(`with ${attack.title}, nothing of another tenant is refused`, async () => {
      const { refused, attacker } = await service.workUnder(attack, { rounds: 3, signInEvery: 3, people: 1 });
      assert.ok(Object.keys(attacker).length > 0, 'the attacker did nothing: this proves nothing');
      assert.deepEqual(refused, []);
    });
});
