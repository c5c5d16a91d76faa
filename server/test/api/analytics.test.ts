import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type TestService, useService } from '../support/service/harness.js';
import {
  addPostIn,
  analyticsOf,
  archive,
  assertProblem,
  assertRefused,
  changePost,
  setPost,
  unarchive,
} from '../support/service/posts.js';

const DAY_MS = 86_400_000;

onEngines('postgres', 'GET /api/v1/analytics', (engine) => {
  const service = useService(engine);
  afterEach(() => service.clock.resume());

  it('is all zeros for a new organization', async () => {
    const org = await service.newOrganization();
    const { status, json } = await org.call('GET', '/api/v1/analytics');
    assert.equal(status, 200);
    assert.deepEqual(json, {
      data: {
        total_posts: 0,
        published: 0,
        scheduled: 0,
        total_dispatches: 0,
        successful_dispatches: 0,
        success_rate: 0,
      },
    });
  });

  it('counts every post in total_posts, archived ones included', async () => {
    const org = await service.newOrganization();
    for (const status of ['draft', 'draft', 'scheduled', 'publishing', 'posted', 'archived'] as const)
      await addPostIn(service, org, status);
    assert.equal((await analyticsOf(org)).total_posts, 6);
  });

  it('counts posts with a posted_at as published, archived ones included', async () => {
    const org = await service.newOrganization();
    await addPostIn(service, org, 'posted');
    await addPostIn(service, org, 'archived');
    await addPostIn(service, org, 'publishing');
    const id = await addPostIn(service, org, 'posted');
    assert.equal((await analyticsOf(org)).published, 2);
    await archive(org, id);
    assert.equal((await analyticsOf(org)).published, 2);
    await unarchive(org, id);
    assert.equal((await analyticsOf(org)).published, 2);
    // A failure that the platform reports later clears posted_at again.
    await setPost(service, id, { status: 'draft', posted_at: null });
    assert.equal((await analyticsOf(org)).published, 1);
  });

  it('counts posts that are scheduled now', async () => {
    const org = await service.newOrganization();
    const [moved, archived] = [
      await addPostIn(service, org, 'scheduled'),
      await addPostIn(service, org, 'scheduled'),
      await addPostIn(service, org, 'scheduled'),
    ];
    await org.addPost();
    assert.equal((await analyticsOf(org)).scheduled, 3);
    await changePost(org, moved as string, { status: 'draft' });
    await archive(org, archived as string);
    assert.equal((await analyticsOf(org)).scheduled, 1);
  });

  it('counts every attempt; accepted, published and in the inbox are successful', async () => {
    const org = await service.newOrganization();
    const outcomes = { started: 1, accepted: 2, published: 3, in_inbox: 4, failed: 5, unknown: 6 };
    await countDispatches(service, org.id, outcomes);
    const { total_dispatches, successful_dispatches, success_rate } = await analyticsOf(org);
    assert.deepEqual(
      { total_dispatches, successful_dispatches, success_rate },
      { total_dispatches: 21, successful_dispatches: 9, success_rate: 43 },
    );
  });

  for (const [successful, total, rate] of [
    [0, 4, 0],
    [1, 3, 33],
    [2, 3, 67],
    [1, 1000, 0],
    [999, 1000, 100],
    [7, 7, 100],
  ] as const)
    it(`rounds ${successful} of ${total} to the nearest whole number, ${rate}`, async () => {
      const org = await service.newOrganization();
      await countDispatches(service, org.id, { published: successful, failed: total - successful });
      assert.equal((await analyticsOf(org)).success_rate, rate);
    });

  it('never counts posts or attempts of another organization', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    await addPostIn(service, other, 'scheduled');
    await addPostIn(service, other, 'posted');
    await countDispatches(service, other.id, { published: 3 });
    assert.deepEqual(new Set(Object.values(await analyticsOf(org))), new Set([0]));
  });

  for (const plan of ['growth', 'agency'])
    it(`is available on the ${plan} plan without a trial`, async () => {
      const org = await service.newOrganization({ plan, trial_days: 0 });
      assert.equal((await org.call('GET', '/api/v1/analytics')).status, 200);
    });

  for (const plan of ['starter', 'api_only']) {
    it(`is 403 on the ${plan} plan`, async () => {
      const org = await service.newOrganization({ plan, trial_days: 0 });
      assertProblem(await org.call('GET', '/api/v1/analytics'), 403, 'plan_required');
    });

    it(`is available on the ${plan} plan until the moment its trial ends`, async () => {
      const start = Date.parse('2030-01-01T12:00:00Z');
      service.clock.stopAt(start);
      const org = await service.newOrganization({ plan });
      assert.equal((await org.call('GET', '/api/v1/analytics')).status, 200);
      service.clock.stopAt(start + 14 * DAY_MS - 1);
      assert.equal((await org.call('GET', '/api/v1/analytics')).status, 200);
      service.clock.stopAt(start + 14 * DAY_MS);
      assertProblem(await org.call('GET', '/api/v1/analytics'), 403, 'plan_required');
    });
  }

  it('follows a change of plan at once', async () => {
    const org = await service.newOrganization({ plan: 'starter', trial_days: 0 });
    for (const [plan, status] of [
      ['growth', 200],
      ['api_only', 403],
      ['agency', 200],
      ['starter', 403],
    ] as const) {
      const options = { key: ADMIN_TOKEN, body: { plan } };
      await service.request('PATCH', `/api/admin/v1/organizations/${org.id}`, options);
      assert.equal((await org.call('GET', '/api/v1/analytics')).status, status);
    }
  });

  it('leaves posts alone on plans without it', async () => {
    const org = await service.newOrganization({ plan: 'api_only', trial_days: 0 });
    assert.equal((await org.call('GET', `/api/v1/posts/${await org.addPost()}`)).status, 200);
  });

  it('refuses any query parameter, and names it', async () => {
    const org = await service.newOrganization();
    assertRefused(await org.call('GET', '/api/v1/analytics?from=2030-01-01'), 'from');
  });
});

/** Publish attempts by outcome, as the engine stores them. */
async function countDispatches(service: TestService, orgId: string, outcomes: Record<string, number>) {
  const rows = Object.entries(outcomes).map(([outcome, n]) => ({ org_id: orgId, outcome, n }));
  await service.app.db.transact((tx) => tx.insertInto('dispatch_counters').values(rows).execute());
}
