import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type TestService, useService } from '../support/service/harness.js';
import type { Answer } from '../support/service/send.js';

/** One response of every kind, by the name of its kind. */
async function everyKindOfAnswer(service: TestService): Promise<[kind: string, status: number, Answer][]> {
  const org = await service.newOrganization({ plan: 'starter', trial_days: 0 });
  const raw = (type: string, text: string) =>
    service.request('POST', '/api/v1/posts', {
      key: org.key,
      raw: text,
      headers: { 'content-type': type },
    });
  const post = await org.call('POST', '/api/v1/posts', { title: 'A post' });
  return [
    ['a page', 200, await service.request('GET', '/')],
    ['the documentation', 200, await service.request('GET', '/docs')],
    ['health', 200, await service.request('GET', '/healthz')],
    ['figures', 200, await service.request('GET', '/metrics')],
    ['a read', 200, await org.call('GET', '/api/v1/posts')],
    ['a creation', 201, post],
    ['a deletion', 204, await org.call('DELETE', `/api/v1/posts/${post.json.data.id}`)],
    ['malformed JSON', 400, await raw('application/json', '{')],
    ['an invalid body', 400, await org.call('POST', '/api/v1/posts', {})],
    ['no key', 401, await service.request('GET', '/api/v1/posts')],
    ['a plan that does not allow it', 403, await org.call('GET', '/api/v1/analytics')],
    ['no such route', 404, await service.request('GET', '/nowhere')],
    ['no such post', 404, await org.call('GET', '/api/v1/posts/nothing')],
    ['a method not allowed', 405, await org.call('PUT', '/api/v1/posts', {})],
    ['a body that is too large', 413, await raw('application/json', ' '.repeat(1024 * 1024 + 1))],
    ['a body that is not JSON', 415, await raw('text/plain', 'title')],
  ];
}

function isSafe(kind: string, { headers }: Answer): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff', kind);
  assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/, kind);
  assert.equal(headers.get('referrer-policy'), 'no-referrer', kind);
  assert.ok(headers.get('x-request-id'), kind);
  for (const name of ['server', 'x-powered-by']) assert.equal(headers.get(name), null, kind);
}

const corsHeaders = ({ headers }: Answer) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

onEngines('sqlite', 'the headers of every response', (engine) => {
  const service = useService(engine);

  it('keep browsers from sniffing types, framing pages and sending a referrer', async () => {
    for (const [kind, status, answer] of await everyKindOfAnswer(service)) {
      assert.equal(answer.status, status, kind);
      isSafe(kind, answer);
    }
  });

  it('are the same for a URL that is not properly encoded', async () => {
    const answer = await service.request('GET', '/api/v1/posts/%zz');
    assert.equal(answer.status, 400);
    isSafe('an address that is not properly encoded', answer);
  });

  it('carry a new request id for each response', async () => {
    const ids = (await everyKindOfAnswer(service)).map(([, , { headers }]) => headers.get('x-request-id'));
    const more = await Promise.all(Array.from({ length: 100 }, () => service.request('GET', '/healthz')));
    ids.push(...more.map(({ headers }) => headers.get('x-request-id')));
    assert.ok(ids.every((id) => typeof id === 'string' && id.length >= 8));
    assert.equal(new Set(ids).size, ids.length);
  });

  it('carry a request id that the client cannot choose', async () => {
    const { headers } = await service.request('GET', '/healthz', { headers: { 'x-request-id': 'mine' } });
    assert.notEqual(headers.get('x-request-id'), 'mine');
  });

  it('name no origin unless CORS_ORIGINS does', async () => {
    const origin = 'https://app.example.com';
    const answer = await service.request('GET', '/healthz', { headers: { origin } });
    assert.deepEqual(corsHeaders(answer), []);
    const preflight = await service.request('OPTIONS', '/api/v1/posts', {
      headers: { origin, 'access-control-request-method': 'POST' },
    });
    assert.deepEqual(corsHeaders(preflight), []);
    assert.notEqual(preflight.status, 204);
  });

  it('do not demand https of a service that is reached over http', async () => {
    const { headers } = await service.request('GET', '/healthz');
    assert.equal(headers.get('strict-transport-security'), null);
  });
});

onEngines('sqlite', 'the headers of an internal error', (engine) => {
  const service = useService(engine);

  it('are those of every response', async () => {
    const org = await service.newOrganization();
    await service.app.db.withMigrationLock((_tx, run) => run('alter table posts rename to lost'));
    const answer = await org.call('POST', '/api/v1/posts', { title: 'A post' });
    assert.equal(answer.status, 500);
    isSafe('a failure of our own', answer);
  });
});

onEngines('sqlite', 'with an https PUBLIC_URL', (engine) => {
  const service = useService(engine, { env: { PUBLIC_URL: 'https://airdate.example.com' } });

  it('every response demands https from now on', async () => {
    for (const path of ['/', '/healthz', '/nowhere', '/api/v1/posts']) {
      const { headers } = await service.request('GET', path);
      const demand = /max-age=(\d+)/.exec(headers.get('strict-transport-security') ?? '');
      assert.ok(Number(demand?.[1]) >= 15_768_000, path);
    }
  });

  it('PUBLIC_URL decides, even if the system chooses the port', async () => {
    const org = await service.newOrganization();
    const body = { filename: 'slide.png', content_type: 'image/png' };
    const { json } = await org.call('POST', `/api/v1/posts/${await org.addPost()}/assets`, body);
    assert.equal(new URL(json.upload_url).origin, 'https://airdate.example.com');
  });
});

onEngines('sqlite', 'CORS_ORIGINS', (engine) => {
  const listed = ['https://app.example.com', 'http://localhost:5173'];
  const service = useService(engine, { env: { CORS_ORIGINS: listed.join(', ') } });

  it('changes nothing for signed URLs: those answer every origin', async () => {
    const org = await service.newOrganization();
    const { json } = await org.call('POST', `/api/v1/posts/${await org.addPost()}/assets`, {
      filename: 'a.png',
      content_type: 'image/png',
    });
    for (const origin of [listed[0] as string, 'https://other.example.com']) {
      const { status, headers } = await fetch(json.upload_url, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'PUT' },
      });
      assert.equal(status, 204);
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.match(headers.get('access-control-allow-methods') ?? '', /PUT/);
    }
  });
  const preflight = (origin: string, path = '/api/v1/posts', method = 'POST') =>
    service.request('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });

  it('lets each listed origin read the responses, errors too', async () => {
    const org = await service.newOrganization();
    for (const origin of listed) {
      const headers = { origin };
      for (const answer of [
        await org.call('GET', '/api/v1/posts', undefined, headers),
        await org.call('POST', '/api/v1/posts', { title: 'A post' }, headers),
        await org.call('POST', '/api/v1/posts', {}, headers),
        await service.request('GET', '/api/v1/posts', { headers }),
        await service.request('GET', '/api/v1/nowhere', { headers }),
      ]) {
        assert.equal(answer.headers.get('access-control-allow-origin'), origin);
        assert.match(answer.headers.get('vary') ?? '', /origin/i);
        isSafe(`${answer.status}`, answer);
      }
    }
  });

  it('lets scripts of a listed origin see Location, Retry-After, the request id and the replay mark', async () => {
    const { headers } = await service.request('GET', '/healthz', {
      headers: { origin: listed[0] as string },
    });
    const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase().split(/, */);
    for (const name of ['location', 'retry-after', 'x-request-id', 'idempotency-replayed'])
      assert.ok(exposed.includes(name), name);
  });

  it('answers the preflight of a listed origin with the allowed methods and headers, without a key', async () => {
    for (const [path, method] of [
      ['/api/v1/posts', 'POST'],
      ['/api/v1/posts/batch', 'PATCH'],
      ['/api/v1/posts/019a8b1e-6c00-7000-8000-3f2a9c1d7e55', 'DELETE'],
    ] as const) {
      const answer = await preflight(listed[0] as string, path, method);
      assert.equal(answer.status, 204);
      assert.equal(answer.headers.get('access-control-allow-origin'), listed[0]);
      const methods = (answer.headers.get('access-control-allow-methods') ?? '').split(/, */);
      assert.ok(methods.includes(method), method);
      const allowed = (answer.headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/, */);
      for (const name of ['authorization', 'content-type', 'idempotency-key'])
        assert.ok(allowed.includes(name), name);
    }
  });

  it('sends no CORS headers to other origins', async () => {
    const org = await service.newOrganization();
    const others = [
      'https://evil.example.com',
      'https://app.example.com.evil.example',
      'http://app.example.com',
      'https://app.example.com:444',
      'https://sub.app.example.com',
      'HTTPS://APP.EXAMPLE.COM',
      'null',
    ];
    for (const origin of others) {
      const answer = await org.call('GET', '/api/v1/posts', undefined, { origin });
      assert.deepEqual(corsHeaders(answer), [], origin);
      assert.match(answer.headers.get('vary') ?? '', /origin/i, origin);
      const refused = await preflight(origin);
      assert.deepEqual(corsHeaders(refused), [], origin);
      assert.notEqual(refused.status, 204, origin);
    }
  });

  it('never allows cookies of other origins', async () => {
    const headers = { origin: listed[0] as string };
    const answer = await service.request('GET', '/api/admin/v1/organizations', { key: ADMIN_TOKEN, headers });
    assert.equal(answer.headers.get('access-control-allow-credentials'), null);
  });
});
