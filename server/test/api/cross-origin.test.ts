import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { Browser, newPerson, PASSWORD } from '../support/service/people.js';
import { type Answer, type RequestOptions, send } from '../support/service/send.js';

const FORM = 'application/x-www-form-urlencoded';

onEngines('sqlite', 'A request with the cookie of a session', (engine) => {
  const service = useService(engine, { env: { CORS_ORIGINS: 'https://friend.example' } });
  const person = async () =>
    newPerson(service, (await service.newOrganization()).id, 'owner', { withPassword: true });
  const refused = ({ status, json }: Answer, what: string) =>
    assert.deepEqual([status, json?.code], [403, 'forbidden'], what);

  it('may write only if it comes from the dashboard’s own origin, with its header', async () => {
    const { browser } = await person();
    const { cookie } = browser;
    const post = (headers: Record<string, string>, more: RequestOptions = {}) =>
      send('POST', `${service.url}/api/v1/posts`, {
        body: { title: 'A post' },
        ...more,
        headers: { cookie: cookie as string, ...headers },
      });
    const page = { 'x-airdate': 'dashboard' };
    const own = new URL(service.url);
    assert.equal((await post({ ...page, origin: service.url })).status, 201);
    const wrong: [string, Record<string, string>][] = [
      ['nothing', {}],
      ['no header', { origin: service.url }],
      ['another header', { origin: service.url, 'x-airdate': 'yes' }],
      ['no origin', page],
      ['null', { ...page, origin: 'null' }],
      ['foreign', { ...page, origin: 'https://evil.example' }],
      ['an origin that may use keys', { ...page, origin: 'https://friend.example' }],
      ['another port', { ...page, origin: `http://${own.hostname}:1` }],
      ['a longer name', { ...page, origin: `${service.url}.evil.example` }],
      ['ours in the path', { ...page, origin: `https://evil.example/${service.url}` }],
      ['another host', { ...page, origin: 'http://localhost' }],
    ];
    for (const [what, headers] of wrong) refused(await post(headers), what);
    assert.equal((await browser.call('GET', '/api/v1/posts')).json.pagination.total, 1);
  });

  it('is refused as a form post, whatever its content type', async () => {
    const { browser, email } = await person();
    const form = (path: string, type: string, more: Record<string, string> = {}) =>
      send('POST', service.url + path, {
        raw: JSON.stringify({ title: 'x', email, password: PASSWORD }),
        headers: { cookie: browser.cookie as string, 'content-type': type, ...more },
      });
    for (const type of [FORM, 'text/plain', 'multipart/form-data; boundary=x']) {
      refused(await form('/api/v1/posts', type, { origin: 'https://evil.example' }), type);
      refused(await form('/api/v1/auth/sign-out', type, { origin: 'https://evil.example' }), type);
      const own = { origin: service.url, 'x-airdate': 'dashboard' };
      assert.equal((await form('/api/v1/posts', type, own)).status, 415, type);
      // No foreign page may sign a visitor in to another account either.
      refused(await form('/api/v1/auth/sign-in', type, { origin: 'https://evil.example' }), type);
      refused(await form('/api/v1/auth/sign-in', type, { origin: 'null' }), type);
      assert.equal((await form('/api/v1/auth/sign-in', type)).status, 415, type);
    }
    assert.equal((await browser.call('GET', '/api/v1/me')).status, 200, 'is still signed in');
  });

  it('may be sent to any host name of this server', async () => {
    const { browser } = await person();
    const { port } = new URL(service.url);
    const at = (origin: string, host: string) =>
      rawPost(Number(port), '/api/v1/posts', {
        host,
        origin,
        cookie: browser.cookie as string,
        'x-airdate': 'dashboard',
        'content-type': 'application/json',
      });
    assert.equal(await at(`http://localhost:${port}`, `localhost:${port}`), 201);
    assert.equal(await at('https://air.localhost', 'air.localhost'), 201);
    assert.equal(await at(`http://localhost:${port}`, `127.0.0.1:${port}`), 403);
  });

  it('needs neither to read, and a request with a key never needs them', async () => {
    const org = await service.newOrganization();
    const { browser } = await newPerson(service, org.id, 'viewer');
    const cookie = browser.cookie as string;
    const away = { origin: 'https://evil.example' };
    for (const method of ['GET', 'HEAD'])
      assert.equal(
        (await send(method, `${service.url}/api/v1/posts`, { headers: { cookie, ...away } })).status,
        200,
      );
    assert.equal((await org.call('POST', '/api/v1/posts', { title: 'x' }, away)).status, 201);
  });

  it('never allows other origins to send the cookie', async () => {
    for (const origin of ['https://friend.example', 'https://evil.example']) {
      const { headers } = await send('OPTIONS', `${service.url}/api/v1/posts`, {
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-airdate',
        },
      });
      assert.equal(headers.get('access-control-allow-credentials'), null);
      assert.doesNotMatch(headers.get('access-control-allow-headers') ?? '', /x-airdate/i);
    }
  });

  it('to start a session needs no header, only no foreign origin', async () => {
    const { email } = await person();
    const answer = await send('POST', `${service.url}/api/v1/auth/sign-in`, {
      body: { email, password: PASSWORD },
    });
    assert.equal(answer.status, 200);
    const friend = new Browser(service.url);
    const input = { email, password: PASSWORD };
    refused(
      await friend.call('POST', '/api/v1/auth/sign-in', input, { origin: 'https://friend.example' }),
      'friend',
    );
  });
});

/** fetch does not allow setting the Host header. */
async function rawPost(port: number, path: string, headers: Record<string, string>): Promise<number> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const body = JSON.stringify({ title: 'x' });
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        path,
        method: 'POST',
        headers: { ...headers, 'content-length': body.length },
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode as number);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
