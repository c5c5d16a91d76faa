// A web page may point its own domain name at this machine (DNS rebinding). Its requests then carry that name as their Host.
import assert from 'node:assert/strict';
import { request as open } from 'node:http';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { type TestService, useService } from '../support/service/harness.js';

interface Asked {
  status: number;
  code: string | undefined;
  headers: NodeJS.Dict<string | string[]>;
}

/** Node's own client: `fetch` does not let the Host be chosen. */
function ask(service: TestService, path: string, host: string, more: Record<string, string> = {}) {
  const { hostname, port } = new URL(service.url);
  return new Promise<Asked>((resolve, reject) => {
    const method = more['access-control-request-method'] ? 'OPTIONS' : 'GET';
    const call = open({ hostname, port, path, method, headers: { host, ...more } }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const code = text.startsWith('{') ? JSON.parse(text).code : undefined;
      resolve({ status: response.statusCode ?? 0, code, headers: response.headers });
    });
    call.on('error', reject).end();
  });
}

const FOREIGN = [
  'evil.example',
  'evil.example:3000',
  '192.168.1.20',
  '[fe80::1]:3000',
  '10.0.0.7:80',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '128.0.0.1',
  '1270.0.0.1',
];
const OWN = [
  'localhost',
  'LOCALHOST:1',
  'airdate.localhost',
  '127.0.0.1:3000',
  '127.9.9.9',
  '[::1]',
  '[::1]:80',
  'localhost.',
];

onEngines('sqlite', 'A Host header', (engine) => {
  const local = useService(engine, { env: { CORS_ORIGINS: 'https://friend.example' } });
  const open = useService(engine, { env: { PUBLIC_URL: 'http://airdate.example', SANDBOX_PUBLIC: 'on' } });

  it('that is not this machine is 421 while PUBLIC_URL is loopback, with the advice to set it', async () => {
    for (const host of FOREIGN)
      for (const path of ['/api/v1/me', '/library', '/metrics', '/openapi.json', '/sandbox/', '/nowhere']) {
        const { status, headers } = await ask(local, path, host);
        assert.equal(status, 421, `${host} ${path}`);
        assert.equal(headers['x-content-type-options'], 'nosniff');
      }
    assert.equal((await ask(local, '/api/v1/me', 'evil.example')).code, 'misdirected_request');
  });

  it('that names this machine is accepted, with any port', async () => {
    for (const host of OWN) assert.equal((await ask(local, '/openapi.json', host)).status, 200, host);
  });

  it('is checked before cross-origin requests are answered, and X-Forwarded-Host does not count', async () => {
    const preflight = {
      origin: 'https://friend.example',
      'access-control-request-method': 'GET',
    };
    const refused = await ask(local, '/api/v1/me', 'evil.example', preflight);
    assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [421, undefined]);
    assert.equal((await ask(local, '/api/v1/me', 'localhost', preflight)).status, 204);
    const forwarded = { 'x-forwarded-host': 'localhost' };
    assert.equal((await ask(local, '/api/v1/me', 'evil.example', forwarded)).status, 421);
  });

  it('does not matter to health checks', async () => {
    for (const path of ['/healthz', '/readyz'])
      assert.equal((await ask(local, path, '10.0.0.7')).status, 200, path);
  });

  it('may be anything where PUBLIC_URL is not loopback', async () => {
    for (const host of FOREIGN) assert.equal((await ask(open, '/api/v1/me', host)).status, 401, host);
  });
});
