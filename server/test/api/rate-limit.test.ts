import assert from 'node:assert/strict';
import { request as open } from 'node:http';
import { it, type TestContext } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, useService } from '../support/service/harness.js';
import type { Answer } from '../support/service/send.js';

const LIMITED = { RATE_LIMIT: 'on', RATE_LIMIT_PER_MINUTE: '5', RATE_LIMIT_AGENCY_PER_MINUTE: '8' };

/** Stops the clock that counts the minutes, so that a slow machine counts like a fast one. */
function stopTime(t: TestContext) {
  let now = Date.now();
  t.mock.method(Date, 'now', () => now);
  return {
    advance(ms: number) {
      now += ms;
    },
  };
}

const figures = ({ headers }: Answer) => ({
  limit: headers.get('ratelimit-limit'),
  remaining: headers.get('ratelimit-remaining'),
  reset: headers.get('ratelimit-reset'),
});

async function times(n: number, ask: () => Promise<Answer>): Promise<Answer[]> {
  const answers = [];
  for (let i = 0; i < n; i++) answers.push(await ask());
  return answers;
}

const statuses = (answers: Answer[]) => answers.map((answer) => answer.status);

onEngines('sqlite', 'rate limits', (engine) => {
  const service = useService(engine, { env: LIMITED });

  it('report the limit, what remains of it and when it resets', async (t) => {
    const time = stopTime(t);
    const org = await service.newOrganization();
    assert.deepEqual(figures(await org.call('GET', '/api/v1/me')), {
      limit: '5',
      remaining: '4',
      reset: '60',
    });
    time.advance(20_000);
    const second = await org.call('POST', '/api/v1/posts', { title: 'A post' });
    assert.equal(second.status, 201);
    assert.deepEqual(figures(second), { limit: '5', remaining: '3', reset: '40' });
  });

  it('answer 429 beyond the limit, with Retry-After, and do nothing', async (t) => {
    const time = stopTime(t);
    const org = await service.newOrganization();
    const create = () => org.call('POST', '/api/v1/posts', { title: 'A post' });
    assert.deepEqual(statuses(await times(5, create)), [201, 201, 201, 201, 201]);
    time.advance(45_500);
    const refused = await create();
    assert.equal(refused.status, 429);
    assert.match(refused.headers.get('content-type') ?? '', /^application\/problem\+json/);
    assert.equal(refused.json.code, 'rate_limited');
    assert.equal(refused.json.type, '/problems/rate_limited');
    assert.equal(refused.json.request_id, refused.headers.get('x-request-id'));
    assert.equal(refused.headers.get('retry-after'), '15');
    assert.deepEqual(figures(refused), { limit: '5', remaining: '0', reset: '15' });
    time.advance(14_500);
    const { json } = await org.call('GET', '/api/v1/posts');
    assert.equal(json.pagination.total, 5);
  });

  it('let everything through again when the minute is over', async (t) => {
    const time = stopTime(t);
    const org = await service.newOrganization();
    const ask = () => org.call('GET', '/api/v1/me');
    assert.deepEqual(statuses(await times(7, ask)), [200, 200, 200, 200, 200, 429, 429]);
    time.advance(59_999);
    assert.equal((await ask()).status, 429);
    time.advance(1);
    assert.deepEqual(statuses(await times(6, ask)), [200, 200, 200, 200, 200, 429]);
  });

  it('count per organization: its keys share, other organizations are unaffected', async (t) => {
    stopTime(t);
    const org = await service.newOrganization();
    const other = await service.newOrganization();
    const second = await org.keyWith(['posts:read']);
    await times(3, () => org.call('GET', '/api/v1/me'));
    const shared = await times(3, () => service.request('GET', '/api/v1/posts', { key: second }));
    assert.deepEqual(statuses(shared), [200, 200, 429]);
    assert.equal((await org.call('GET', '/api/v1/posts')).status, 429);
    assert.deepEqual(figures(await other.call('GET', '/api/v1/me')).remaining, '4');
  });

  it('are higher on the Agency plan', async (t) => {
    stopTime(t);
    const org = await service.newOrganization({ plan: 'agency' });
    const answers = await times(9, () => org.call('GET', '/api/v1/me'));
    assert.deepEqual(statuses(answers), [...Array(8).fill(200), 429]);
    assert.equal(figures(answers[0] as Answer).limit, '8');
  });

  it('do not count health, documentation, the operator, or requests without a valid key', async (t) => {
    stopTime(t);
    const org = await service.newOrganization();
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs', '/']) {
      const answers = await times(10, () => service.request('GET', path, { key: org.key }));
      assert.deepEqual(statuses(answers), Array(10).fill(200), path);
    }
    const list = () => service.request('GET', '/api/admin/v1/organizations', { key: ADMIN_TOKEN });
    assert.deepEqual(statuses(await times(10, list)), Array(10).fill(200));
    const stranger = () => service.request('GET', '/api/v1/me');
    assert.deepEqual(statuses(await times(10, stranger)), Array(10).fill(401));
    assert.equal(figures(await org.call('GET', '/api/v1/me')).remaining, '4');
  });
});

onEngines('sqlite', 'Limits for strangers', (engine) => {
  const service = useService(engine, { env: { RATE_LIMIT: 'on' } });

  it('end with 4 MB a minute from one address, before the next body is read', async (t) => {
    stopTime(t);
    const sign = (raw: string) =>
      service.request('POST', '/api/v1/auth/sign-in', {
        raw,
        headers: { 'content-type': 'application/json' },
      });
    const most = '{'.padEnd(64 * 1024, ' ');
    for (let i = 0; i < 64; i++) assert.equal((await sign(most)).status, 400);
    // The next one never sends what it announces, and is answered all the same.
    const announced = (bytes: number) =>
      new Promise<number>((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'content-length': bytes };
        const call = open(`${service.url}/api/v1/auth/sign-in`, { method: 'POST', headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
          call.destroy();
        });
        call.on('error', reject);
        call.flushHeaders();
      });
    assert.equal(await announced(1), 429);
    const org = await service.newOrganization();
    assert.equal((await org.call('POST', '/api/v1/posts', { title: 'With a key' })).status, 201);
    assert.equal((await service.request('GET', '/api/v1/auth')).status, 200);
  });

  it('end with sixty wrong keys a minute from one address, but never for a right one', async (t) => {
    stopTime(t);
    const org = await service.newOrganization();
    const read = (key: string) => service.request('GET', '/api/v1/me', { key });
    assert.deepEqual(statuses(await times(60, () => read('wrong'))), Array(60).fill(401));
    const refused = await read('wrong');
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60']);
    // Not yet cached, and cached.
    assert.deepEqual(statuses(await times(2, () => read(org.key))), [200, 200]);
    assert.equal((await read('wrong')).status, 429);
  });

  it('end with ten wrong operator tokens a minute from one address, but never the right one', async (t) => {
    stopTime(t);
    const list = (key: string) => service.request('GET', '/api/admin/v1/organizations', { key });
    assert.deepEqual(statuses(await times(10, () => list('wrong'))), Array(10).fill(401));
    assert.equal((await list('wrong')).status, 429);
    assert.equal((await list(ADMIN_TOKEN)).status, 200);
    assert.equal((await list('wrong')).status, 429);
  });
});

const METRICS_TOKEN = 'metrics-token-of-enough-characters';

onEngines('sqlite', 'Wrong metrics tokens', (engine) => {
  const service = useService(engine, { env: { ...LIMITED, METRICS_TOKEN } });

  it('end with ten a minute from one address, but never the right one', async (t) => {
    stopTime(t);
    const scrape = (key: string) => service.request('GET', '/metrics', { key });
    assert.deepEqual(statuses(await times(10, () => scrape('wrong'))), Array(10).fill(401));
    assert.equal((await scrape('wrong')).status, 429);
    assert.equal((await scrape(METRICS_TOKEN)).status, 200);
    assert.equal((await scrape('wrong')).status, 429);
  });
});

onEngines('sqlite', 'X-Forwarded-For', (engine) => {
  const service = useService(engine, { env: { TRUST_PROXY: 'loopback' } });
  const addressFor = async (forwarded: string) => {
    const org = await service.newOrganization();
    const headers = { 'x-forwarded-for': forwarded };
    assert.equal((await org.call('POST', '/api/v1/keys', { name: 'One' }, headers)).status, 201);
    return (await org.call('GET', '/api/v1/audit?action=key.created')).json.data[0].address;
  };

  it('is an address, or ignored', async () => {
    assert.equal(await addressFor('203.0.113.7'), '203.0.113.7');
    assert.equal(await addressFor('<script>, 203.0.113.7'), '203.0.113.7');
    assert.equal(await addressFor('203.0.113.7:4711'), '203.0.113.7');
    for (const bad of ['<script>alert(1)</script>', 'unknown', '203.0.113.7, _hidden', 'a'.repeat(2_000)])
      assert.equal(await addressFor(bad), '127.0.0.1', bad);
  });
});

onEngines('sqlite', 'RATE_LIMIT=off', (engine) => {
  const service = useService(engine, { env: { ...LIMITED, RATE_LIMIT: 'off' } });

  it('limits nothing and reports no limit', async () => {
    const org = await service.newOrganization();
    const answers = await times(12, () => org.call('GET', '/api/v1/me'));
    assert.deepEqual(statuses(answers), Array(12).fill(200));
    assert.deepEqual(figures(answers[0] as Answer), { limit: null, remaining: null, reset: null });
  });
});
