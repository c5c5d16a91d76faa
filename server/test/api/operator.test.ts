import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SCOPES } from '../../src/app/scopes.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, useService } from '../support/service/harness.js';

const ORGANIZATIONS = '/api/admin/v1/organizations';
const NOWHERE = '00000000-0000-7000-8000-000000000000';

onEngines('sqlite', 'the operator API', (engine) => {
  const service = useService(engine);
  const ask = (method: string, path: string, body?: unknown) =>
    service.request(method, ORGANIZATIONS + path, { key: ADMIN_TOKEN, body });

  it('creates an organization: 201, with a Location', async () => {
    const { status, headers, json } = await ask('POST', '', { name: 'The Map Folders', plan: 'agency' });
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `${ORGANIZATIONS}/${json.data.id}`);
    assert.equal(json.data.name, 'The Map Folders');
    assert.equal(json.data.plan, 'agency');
    assert.deepEqual(Object.keys(json.data).sort(), [
      'created_at',
      'id',
      'name',
      'plan',
      'quotas',
      'second_factor',
      'trial_ends_at',
      'updated_at',
    ]);
  });

  it('gives a new organization a 14-day trial, or as many days as requested', async () => {
    service.clock.stopAt(Date.UTC(2031, 0, 1, 12));
    try {
      const trialOf = async (fields: object) =>
        (await ask('POST', '', { name: 'On trial', plan: 'starter', ...fields })).json.data.trial_ends_at;
      assert.equal(await trialOf({}), '2031-01-15T12:00:00Z');
      assert.equal(await trialOf({ trial_days: 1 }), '2031-01-02T12:00:00Z');
      assert.equal(await trialOf({ trial_days: 30 }), '2031-01-31T12:00:00Z');
      assert.equal(await trialOf({ trial_days: 0 }), null);
    } finally {
      service.clock.resume();
    }
  });

  it('lists organizations, newest first, in pages', async () => {
    const names = ['First', 'Second', 'Third'];
    for (const name of names) await ask('POST', '', { name, plan: 'growth' });
    const { json } = await ask('GET', '?per_page=2');
    assert.deepEqual(
      json.data.map((organization: { name: string }) => organization.name),
      ['Third', 'Second'],
    );
    const next = await ask('GET', '?per_page=2&page=2');
    assert.equal(next.json.data[0].name, 'First');
    assert.equal(json.pagination.total_pages, Math.ceil(json.pagination.total / 2));
  });

  it('changes the plan, at once for analytics', async () => {
    const org = await service.newOrganization({ plan: 'starter', trial_days: 0 });
    const analytics = async () => (await org.call('GET', '/api/v1/analytics')).status;
    assert.equal(await analytics(), 403);
    for (const [plan, expected] of [
      ['growth', 200],
      ['api_only', 403],
      ['agency', 200],
      ['starter', 403],
    ] as const) {
      const { status, json } = await ask('PATCH', `/${org.id}`, { plan });
      assert.equal(status, 200);
      assert.equal(json.data.plan, plan);
      assert.equal(await analytics(), expected, plan);
    }
  });

  it('ends, gives and prolongs a trial, at once for analytics', async () => {
    const org = await service.newOrganization({ plan: 'starter' });
    const analytics = async () => (await org.call('GET', '/api/v1/analytics')).status;
    const inTrial = async () => (await org.call('GET', '/api/v1/me')).json.data.in_trial;
    assert.equal(await analytics(), 200);
    const ended = await ask('PATCH', `/${org.id}`, { trial_ends_at: null });
    assert.equal(ended.json.data.trial_ends_at, null);
    assert.equal(await analytics(), 403);
    assert.equal(await inTrial(), false);
    await ask('PATCH', `/${org.id}`, { trial_ends_at: '2999-01-01T02:00:00+02:00' });
    assert.equal(await analytics(), 200);
    assert.equal(await inTrial(), true);
    const past = await ask('PATCH', `/${org.id}`, { trial_ends_at: '2020-01-01T00:00:00Z' });
    assert.equal(past.json.data.trial_ends_at, '2020-01-01T00:00:00Z');
    assert.equal(await analytics(), 403);
  });

  it('lets the trial run out by itself', async () => {
    service.clock.stopAt(Date.UTC(2031, 5, 1));
    try {
      const org = await service.newOrganization({ plan: 'api_only', trial_days: 1 });
      service.clock.advance(86_400_000 - 1);
      assert.equal((await org.call('GET', '/api/v1/analytics')).status, 200);
      service.clock.advance(1);
      const { status, json } = await org.call('GET', '/api/v1/analytics');
      assert.equal(status, 403);
      assert.equal(json.code, 'plan_required');
    } finally {
      service.clock.resume();
    }
  });

  it('leaves fields that a change does not name as they are', async () => {
    const { json: created } = await ask('POST', '', { name: 'Steady', plan: 'growth' });
    const changed = await ask('PATCH', `/${created.data.id}`, { plan: 'agency' });
    assert.equal(changed.json.data.trial_ends_at, created.data.trial_ends_at);
    assert.equal(changed.json.data.name, 'Steady');
    const unchanged = await ask('PATCH', `/${created.data.id}`, {});
    assert.equal(unchanged.status, 200);
    assert.equal(unchanged.json.data.plan, 'agency');
  });

  it('issues keys for an organization: 201 with the key, and a Location', async () => {
    const org = await service.newOrganization();
    const { status, headers, json } = await ask('POST', `/${org.id}/keys`, { name: 'From the operator' });
    assert.equal(status, 201);
    const path = `/${org.id}/keys/${json.data.id}`;
    assert.equal(headers.get('location'), `${ORGANIZATIONS}${path}`);
    const { key, ...shown } = json.data;
    const read = (await ask('GET', path)).json.data;
    assert.deepEqual({ ...read, ...shown }, read, 'without the key itself');
    assert.deepEqual(json.data.scopes, [...SCOPES]);
    const me = await service.request('GET', '/api/v1/me', { key: json.data.key });
    assert.equal(me.json.data.organization.id, org.id);
    const listed = await org.call('GET', '/api/v1/keys');
    assert.ok(listed.json.data.some((key: { id: string }) => key.id === json.data.id));
  });

  it('issues keys with scopes and an expiry', async () => {
    const org = await service.newOrganization();
    const body = { name: 'Narrow', scopes: ['posts:read'], expires_at: '2999-01-01T00:00:00Z' };
    const { json } = await ask('POST', `/${org.id}/keys`, body);
    assert.deepEqual(json.data.scopes, ['posts:read']);
    assert.equal(json.data.expires_at, '2999-01-01T00:00:00Z');
  });

  it('answers 404 for an unknown or malformed organization', async () => {
    for (const id of [NOWHERE, 'not-an-id']) {
      assert.equal((await ask('PATCH', `/${id}`, { plan: 'growth' })).status, 404);
      assert.equal((await ask('POST', `/${id}/keys`, { name: 'Lost' })).status, 404);
    }
  });

  it('refuses a body outside its rules, naming the field', async () => {
    const org = await service.newOrganization();
    for (const [method, path, body, pointer] of [
      ['POST', '', { plan: 'growth' }, '/name'],
      ['POST', '', { name: '', plan: 'growth' }, '/name'],
      ['POST', '', { name: 'n' }, '/plan'],
      ['POST', '', { name: 'n', plan: 'free' }, '/plan'],
      ['POST', '', { name: 'n', plan: 'growth', trial_days: -1 }, '/trial_days'],
      ['POST', '', { name: 'n', plan: 'growth', trial_days: 1.5 }, '/trial_days'],
      ['POST', '', { name: 'n', plan: 'growth', trial_days: '14' }, '/trial_days'],
      ['POST', '', { name: 'n', plan: 'growth', trial: 14 }, '/trial'],
      ['PATCH', `/${org.id}`, { plan: null }, '/plan'],
      ['PATCH', `/${org.id}`, { trial_ends_at: 'never' }, '/trial_ends_at'],
      ['PATCH', `/${org.id}`, { name: 'Renamed' }, '/name'],
      ['POST', `/${org.id}/keys`, {}, '/name'],
    ] as const) {
      const { status, json } = await ask(method, path, body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.deepEqual(
        json.errors.map((error: { pointer: string }) => error.pointer),
        [pointer],
        JSON.stringify(body),
      );
    }
  });

  it('accepts only ADMIN_TOKEN: anything else is 401', async () => {
    const org = await service.newOrganization();
    for (const key of [
      undefined,
      '',
      org.key,
      `${ADMIN_TOKEN}x`,
      ADMIN_TOKEN.slice(1),
      ADMIN_TOKEN.toUpperCase(),
    ])
      for (const [method, path] of [
        ['GET', ''],
        ['POST', ''],
        ['PATCH', `/${org.id}`],
        ['POST', `/${org.id}/keys`],
      ] as const) {
        const body = method === 'GET' ? undefined : { name: 'n', plan: 'growth' };
        const { status, headers, json } = await service.request(method, ORGANIZATIONS + path, { key, body });
        assert.equal(status, 401, `${method} ${path} with ${key}`);
        assert.equal(headers.get('www-authenticate'), 'Bearer');
        assert.equal(json.code, 'unauthorized');
      }
  });

  it('gives ADMIN_TOKEN no access to an organization’s routes', async () => {
    assert.equal((await service.request('GET', '/api/v1/posts', { key: ADMIN_TOKEN })).status, 401);
  });
});

onEngines('sqlite', 'the operator API without ADMIN_TOKEN', (engine) => {
  const service = useService(engine, { env: { ADMIN_TOKEN: '' } });

  it('is off: 404 for every request', async () => {
    for (const key of [undefined, '', ADMIN_TOKEN, 'null', 'undefined'])
      for (const [method, path] of [
        ['GET', ''],
        ['POST', ''],
        ['PATCH', `/${NOWHERE}`],
        ['POST', `/${NOWHERE}/keys`],
      ] as const) {
        const body = method === 'GET' ? undefined : { name: 'n', plan: 'growth' };
        const { status, json } = await service.request(method, ORGANIZATIONS + path, { key, body });
        assert.equal(status, 404, `${method} ${path} with ${key}`);
        assert.equal(json.code, 'not_found');
      }
    const made = await service.app.db.read.selectFrom('organizations').select('id').execute();
    assert.deepEqual(made, []);
  });
});
