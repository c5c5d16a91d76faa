import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';

onEngines('sqlite', 'GET /api/v1/me', (engine) => {
  const service = useService(engine);

  it('tells a key its organization, plan, trial and scopes', async () => {
    const org = await service.newOrganization({ plan: 'agency' });
    const me = await org.sdk.organization.me();
    assert.equal(me.organization.id, org.id);
    assert.equal(me.organization.plan, 'agency');
    assert.equal(me.in_trial, true);
    assert.ok(me.scopes.includes('posts:publish'));
    assert.equal(me.schedule_min_lead_seconds, 300);
  });

  it('answers any key, whatever its scopes', async () => {
    const org = await service.newOrganization();
    const key = await org.keyWith(['analytics:read']);
    const { status, json } = await service.request('GET', '/api/v1/me', { key });
    assert.equal(status, 200);
    assert.deepEqual(json.data.scopes, ['analytics:read']);
  });
});
