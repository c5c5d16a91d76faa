import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import type { DatabaseConnection } from 'kysely';
import { SCOPES } from '../../src/app/scopes.js';
import type { Database } from '../../src/db/database.js';
import { runDirectly } from '../../src/db/prepared-statements.js';
import { createKysely } from '../../src/db/sqlite/sqlite.js';
import { hashSecret } from '../../src/identity/hash-secret.js';
import { createKeyCache } from '../../src/identity/keys/key-cache.js';
import { makeSecret } from '../../src/identity/keys/secret.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ADMIN_TOKEN, type Organization, startTestService, useService } from '../support/service/harness.js';

async function issue(org: Organization, body: Record<string, unknown>) {
  const answer = await org.call('POST', '/api/v1/keys', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.json.data as { id: string; key: string; scopes: string[]; prefix: string };
}

onEngines('sqlite', 'API keys', (engine) => {
  const service = useService(engine);
  const me = (key: string) => service.request('GET', '/api/v1/me', { key });

  it('are issued with a name, with 201 and a Location, and work at once', async () => {
    const org = await service.newOrganization();
    const { status, headers, json } = await org.call('POST', '/api/v1/keys', { name: 'Nightly import' });
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `/api/v1/keys/${json.data.id}`);
    assert.equal(json.data.name, 'Nightly import');
    assert.match(json.data.key, /^ad_/);
    assert.ok(json.data.key.startsWith(json.data.prefix));
    assert.equal(json.data.expires_at, null);
    assert.equal(json.data.last_used_at, null);
    assert.match(json.data.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const answer = await me(json.data.key);
    assert.equal(answer.json.data.key_id, json.data.id);
    assert.equal(answer.json.data.organization.id, org.id);
  });

  it('are shown once: lists carry neither the key nor its hash', async () => {
    const org = await service.newOrganization();
    const { id, key, prefix } = await issue(org, { name: 'Shown once' });
    const { json, text } = await org.call('GET', '/api/v1/keys');
    const listed = json.data.find((entry: { id: string }) => entry.id === id);
    assert.deepEqual(Object.keys(listed).sort(), [
      'created_at',
      'created_by',
      'descendant_keys',
      'expires_at',
      'id',
      'last_used_at',
      'last_used_network',
      'name',
      'networks',
      'prefix',
      'scopes',
    ]);
    assert.equal(listed.prefix, prefix);
    assert.ok(!text.includes(key));
    assert.ok(!text.includes(hashSecret(key)));
  });

  it('are stored only as a hash', async () => {
    const org = await service.newOrganization();
    const { id, key } = await issue(org, { name: 'Hashed' });
    const row = await service.app.db.read
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    assert.equal(row.hash, createHash('sha256').update(key).digest('hex'));
    assert.ok(!JSON.stringify(row).includes(key));
    assert.ok(row.prefix.length <= 10);
  });

  it('are listed newest first, in pages, only those of the organization', async () => {
    const org = await service.newOrganization();
    const other = await service.newOrganization();
    await issue(other, { name: 'Not theirs' });
    for (const name of ['One', 'Two', 'Three']) await issue(org, { name });
    const names = (page: { data: { name: string }[] }) => page.data.map((key) => key.name);
    const first = await org.call('GET', '/api/v1/keys?per_page=3');
    const second = await org.call('GET', '/api/v1/keys?per_page=3&page=2');
    assert.deepEqual(names(first.json), ['Three', 'Two', 'One']);
    assert.deepEqual(names(second.json), ['Test key']);
    assert.deepEqual(first.json.pagination, { page: 1, per_page: 3, total: 4, total_pages: 2 });
  });

  it('have all scopes by default, in the order of the list whatever the order asked for', async () => {
    const org = await service.newOrganization();
    assert.deepEqual((await issue(org, { name: 'All' })).scopes, [...SCOPES]);
    const two = await issue(org, { name: 'Two', scopes: ['posts:write', 'posts:read'] });
    assert.deepEqual(two.scopes, ['posts:read', 'posts:write']);
  });

  it('allow only what their scopes allow', async () => {
    const org = await service.newOrganization();
    const key = await org.keyWith(['posts:read']);
    assert.equal((await service.request('GET', '/api/v1/posts', { key })).status, 200);
    for (const [method, path, scope] of [
      ['POST', '/api/v1/posts', 'posts:write'],
      ['PATCH', '/api/v1/posts/batch', 'posts:write'],
      ['GET', '/api/v1/analytics', 'analytics:read'],
      ['GET', '/api/v1/keys', 'org:manage'],
      ['POST', '/api/v1/keys', 'org:manage'],
    ] as const) {
      const body = method === 'GET' ? undefined : {};
      const { status, json } = await service.request(method, path, { key, body });
      assert.equal(status, 403, `${method} ${path}`);
      assert.equal(json.code, 'insufficient_scope');
      assert.ok(json.detail.includes(scope), json.detail);
    }
  });

  it('never grant more than the issuing key has', async () => {
    const org = await service.newOrganization();
    const issuer = await org.keyWith(['posts:read', 'org:manage']);
    const issueBy = (body: unknown) => service.request('POST', '/api/v1/keys', { key: issuer, body });
    const refused = await issueBy({ name: 'Too much', scopes: ['posts:read', 'posts:write'] });
    assert.equal(refused.status, 403);
    assert.equal(refused.json.code, 'insufficient_scope');
    const inherited = await issueBy({ name: 'The same' });
    assert.deepEqual(inherited.json.data.scopes, ['posts:read', 'org:manage']);
    const narrower = await issueBy({ name: 'Less', scopes: ['posts:read'] });
    assert.deepEqual(narrower.json.data.scopes, ['posts:read']);
    const { json } = await org.call('GET', '/api/v1/keys');
    assert.ok(!json.data.some((key: { name: string }) => key.name === 'Too much'));
  });

  it('refuse a body outside its rules, naming the field', async () => {
    const org = await service.newOrganization();
    const future = new Date(service.clock.now() + 3_600_000).toISOString();
    for (const [body, pointer] of [
      [{}, '/name'],
      [{ name: '' }, '/name'],
      [{ name: 'x'.repeat(101) }, '/name'],
      [{ name: 'n', scopes: [] }, '/scopes'],
      [{ name: 'n', scopes: 'posts:read' }, '/scopes'],
      [{ name: 'n', scopes: ['posts:read', 'posts:read'] }, '/scopes'],
      [{ name: 'n', scopes: ['posts:all'] }, '/scopes/0'],
      [{ name: 'n', expires_at: 'tomorrow' }, '/expires_at'],
      [{ name: 'n', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
      [{ name: 'n', expires_on: future }, '/expires_on'],
    ] as const) {
      const { status, json } = await org.call('POST', '/api/v1/keys', body);
      assert.equal(status, 400, JSON.stringify(body));
      assert.deepEqual(
        json.errors.map((error: { pointer: string }) => error.pointer),
        [pointer],
        JSON.stringify(body),
      );
    }
  });

  it('stop working the moment they expire', async () => {
    const org = await service.newOrganization();
    const now = Math.floor(Date.now() / 1000) * 1000;
    service.clock.stopAt(now);
    try {
      const atOnce = await org.call('POST', '/api/v1/keys', {
        name: 'Expired at birth',
        expires_at: new Date(now).toISOString(),
      });
      assert.equal(atOnce.status, 400);
      const { key } = await issue(org, {
        name: 'An hour',
        expires_at: new Date(now + 3_600_000).toISOString(),
      });
      service.clock.advance(3_600_000 - 1);
      assert.equal((await me(key)).status, 200);
      service.clock.advance(1);
      const refused = await me(key);
      assert.equal(refused.status, 401);
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
    } finally {
      service.clock.resume();
    }
  });

  it('show their last use', async () => {
    const org = await service.newOrganization();
    const { id, key } = await issue(org, { name: 'Used' });
    const usedAt = Date.UTC(2031, 0, 1, 12, 30, 15);
    service.clock.stopAt(usedAt);
    try {
      assert.equal((await me(key)).status, 200);
      // It is stored in the background, so that the request does not wait.
      await until('the last use is noted', async () => {
        const { json } = await org.call('GET', '/api/v1/keys');
        const listed = json.data.find((entry: { id: string }) => entry.id === id);
        return listed.last_used_at === '2031-01-01T12:30:15Z';
      });
    } finally {
      service.clock.resume();
    }
  });

  it('are refused from the moment they are revoked, and leave the list', async () => {
    const org = await service.newOrganization();
    const { id, key } = await issue(org, { name: 'Leaked' });
    assert.equal((await me(key)).status, 200);
    const revoked = await org.call('DELETE', `/api/v1/keys/${id}`);
    assert.equal(revoked.status, 204);
    assert.equal(revoked.text, '');
    const refused = await me(key);
    assert.equal(refused.status, 401);
    assert.equal(refused.json.code, 'unauthorized');
    const { json } = await org.call('GET', '/api/v1/keys');
    assert.ok(!json.data.some((entry: { id: string }) => entry.id === id));
  });

  it('are refused in a second process on the same database soon after they are revoked', async () => {
    const { dataDir, databaseUrl } = service.app.config;
    const env = { DATA_DIR: dataDir, ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }) };
    const second = await startTestService(engine, { env });
    try {
      const org = await service.newOrganization();
      const { id, key } = await issue(org, { name: 'Known to both' });
      const there = async () => (await second.request('GET', '/api/v1/me', { key })).status;
      assert.equal(await there(), 200);
      assert.equal((await org.call('DELETE', `/api/v1/keys/${id}`)).status, 204);
      await until('the second process refuses the key', async () => (await there()) === 401);
    } finally {
      await second.stop();
    }
  });

  it('can revoke themselves', async () => {
    const org = await service.newOrganization();
    const { id, key } = await issue(org, { name: 'Done' });
    assert.equal((await service.request('DELETE', `/api/v1/keys/${id}`, { key })).status, 204);
    assert.equal((await service.request('DELETE', `/api/v1/keys/${id}`, { key })).status, 401);
  });

  it('cannot be revoked twice, by another organization, or by a malformed id: the same 404', async () => {
    const org = await service.newOrganization();
    const other = await service.newOrganization();
    const { id } = await issue(org, { name: 'Once' });
    const bodies = [];
    for (const [caller, target] of [
      [other, id],
      [org, 'not-an-id'],
      [org, '00000000-0000-7000-8000-000000000000'],
    ] as const) {
      const { status, json } = await caller.call('DELETE', `/api/v1/keys/${target}`);
      assert.equal(status, 404, target);
      bodies.push({ ...json, request_id: null });
    }
    assert.equal((await org.call('DELETE', `/api/v1/keys/${id}`)).status, 204);
    const again = await org.call('DELETE', `/api/v1/keys/${id}`);
    assert.equal(again.status, 404);
    for (const body of bodies) assert.deepEqual(body, { ...again.json, request_id: null });
  });

  it('are needed: no key or a wrong one is 401 with WWW-Authenticate: Bearer', async () => {
    const org = await service.newOrganization();
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Basic ${Buffer.from(`${org.key}:`).toString('base64')}`,
      org.key,
      `Bearer ${org.key}x`,
      `Bearer ${org.key.slice(0, -1)}`,
      `Bearer ${org.key} ${org.key}`,
      `Bearer ${makeSecret()}`,
      `Bearer ${ADMIN_TOKEN}`,
    ];
    for (const authorization of wrong) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const { status, headers: answered, json } = await service.request('GET', '/api/v1/posts', { headers });
      assert.equal(status, 401, String(authorization));
      assert.equal(answered.get('www-authenticate'), 'Bearer');
      assert.equal(json.code, 'unauthorized');
    }
  });

  it('are accepted whatever the case of the word Bearer', async () => {
    const org = await service.newOrganization();
    for (const word of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { authorization: `${word} ${org.key}` };
      assert.equal((await service.request('GET', '/api/v1/me', { headers })).status, 200);
    }
  });
});

describe('looking up a key', () => {
  const row = {
    keyId: 'key',
    orgId: 'org',
    scopes: 'posts:read',
    created_by: null,
    maker_role: null,
    expiresAt: null,
    lastUsedAt: null as number | null,
    plan: 'growth',
    trialEndsAt: null,
    networks: null,
    lastUsedNetwork: null,
  };

  /** A key cache on a database that counts its queries, with both of its clocks set by the test. */
  function setUp(t: TestContext) {
    const state = { row: row as typeof row | null, lookUps: 0, writes: 0, steady: 1_000_000, now: 0 };
    state.now = Date.UTC(2031, 0, 1);
    const gate: { wait: Promise<void> } = { wait: Promise.resolve() };
    const read = createKysely({} as DatabaseConnection, () => {});
    runDirectly(read, async () => {
      state.lookUps++;
      const rows = state.row ? [{ ...state.row }] : [];
      await gate.wait;
      return { rows: rows as never[] };
    });
    const database = {
      read,
      transact: async () => {
        state.writes++;
      },
    };
    t.mock.method(performance, 'now', () => state.steady);
    const cache = createKeyCache(database as unknown as Database, { now: () => state.now }, silentLog);
    return { state, gate, cache, secret: makeSecret() };
  }

  it('does not query the database for a mistyped key', async (t) => {
    const { state, cache, secret } = setUp(t);
    const last = secret.endsWith('0') ? '1' : '0';
    for (const typo of [
      `${secret.slice(0, -1)}${last}`,
      secret.slice(0, -1),
      secret.toUpperCase(),
      '',
      'ad_',
    ])
      assert.equal(await cache.find(typo), null);
    assert.equal(state.lookUps, 0);
    assert.notEqual(await cache.find(secret), null);
    assert.equal(state.lookUps, 1);
  });

  it('spares the database repeated queries, yet asks again within the second that a revocation may take', async (t) => {
    const { state, cache, secret } = setUp(t);
    for (let i = 0; i < 100; i++) await cache.find(secret);
    assert.equal(state.lookUps, 1);
    state.row = null;
    state.steady += 999;
    assert.equal(await cache.find(secret), null);
    assert.equal(await cache.find(secret), null);
  });

  it('keeps no revoked key alive when the wall clock is set back', async (t) => {
    const { state, cache, secret } = setUp(t);
    await cache.find(secret);
    state.row = null;
    state.now -= 86_400_000;
    state.steady += 999;
    assert.equal(await cache.find(secret), null);
  });

  it('refuses a revoked key within a second even when the look-up itself was slow', async (t) => {
    const { state, gate, cache, secret } = setUp(t);
    let open = () => {};
    gate.wait = new Promise((resolve) => {
      open = resolve;
    });
    const slow = cache.find(secret); // has seen the key, and its answer is on the way
    state.row = null; // revoked, by another process
    state.steady += 900;
    open();
    await slow;
    state.steady += 101;
    assert.equal(await cache.find(secret), null);
  });

  it('refuses a key revoked here at once, even during a look-up', async (t) => {
    const { state, gate, cache, secret } = setUp(t);
    let open = () => {};
    gate.wait = new Promise((resolve) => {
      open = resolve;
    });
    const early = cache.find(secret); // has seen the key, and its answer is on the way
    state.row = null;
    cache.forget(hashSecret(secret)); // what revoking does in this process
    open();
    await early;
    assert.equal(await cache.find(secret), null);
  });

  it('stores the last use to the minute, not with every request', async (t) => {
    const { state, cache, secret } = setUp(t);
    const use = async () => {
      const key = await cache.find(secret);
      assert.ok(key);
      cache.recordUse(key, '203.0.113.7');
    };
    const useAgain = async (laterMs: number) => {
      state.now += laterMs;
      state.steady += 1_000;
      state.row = { ...row, lastUsedAt: noted };
      await use();
      return state.writes;
    };
    const noted = state.now;
    await use();
    assert.equal(state.writes, 1);
    assert.equal(await useAgain(1_000), 1);
    assert.equal(await useAgain(58_999), 1);
    assert.equal(await useAgain(1), 2);
  });
});
