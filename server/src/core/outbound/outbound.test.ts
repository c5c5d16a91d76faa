import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { NOTATIONS } from '../../../test/support/network/private-notations.js';
import { isPublicAddress } from './addresses.js';
import { createOutbound, OutboundError, readStart } from './outbound.js';
import type { Resolve } from './resolve.js';

const request = () => ({
  method: 'GET' as const,
  headers: {},
  signal: new AbortController().signal,
  timeoutMs: 10_000,
});
const isCode = (code: string) => (error: unknown) => error instanceof OutboundError && error.code === code;

describe('requests on behalf of customers', () => {
  let connections = 0;
  let server: Server;
  let port: number;
  before(async () => {
    server = createServer((incoming, response) => {
      if (incoming.url === '/away') response.writeHead(302, { location: '/here' }).end();
      else if (incoming.url === '/endless') response.write('x'.repeat(5000));
      else if (incoming.url !== '/silent') response.end(`${incoming.method} ${incoming.url}`);
    });
    server.on('connection', () => connections++);
    await new Promise<void>((listening) => server.listen(0, '::', listening));
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('never connect to a private address, however it is written', async () => {
    assert.ok(NOTATIONS.length >= 120, `${NOTATIONS.length} notations`);
    const outbound = createOutbound([]);
    const before = connections;
    for (const host of NOTATIONS)
      for (const scheme of ['https', 'http']) {
        const url = `${scheme}://${host}:${port}/`;
        assert.notEqual(outbound.refusal(url), null, url);
        await assert.rejects(outbound.open(url, request()), isCode('refused'), url);
      }
    assert.equal(connections, before);
  });

  it('never connect to a private address that a name resolves to', async () => {
    const addresses = NOTATIONS.map((host) => host.replace(/^\[|\]$/g, '')).filter(
      (host) => isIP(host) !== 0,
    );
    assert.ok(addresses.length > 60);
    const before = connections;
    for (const address of addresses)
      for (const answer of [[address], ['93.184.216.34', address]]) {
        const outbound = createOutbound([], async () => answer);
        await assert.rejects(
          outbound.open(`https://rebind.example:${port}/`, request()),
          isCode('refused'),
          address,
        );
      }
    assert.equal(connections, before);
  });

  it('connect to the address that was checked, whatever the name resolves to afterwards', async () => {
    let calls = 0;
    const rebinding: Resolve = async () => (calls++ === 0 ? ['127.0.0.1'] : ['203.0.113.1']);
    // The first answer is allowed here, so a connection shows which one was used.
    const outbound = createOutbound(['127.0.0.1'], rebinding);
    const before = connections;
    // No certificate: the connection is all that is to be seen.
    await assert.rejects(outbound.open(`https://rebind.example:${port}/`, request()), isCode('unreachable'));
    assert.deepEqual([connections, calls], [before + 1, 1]);
    await assert.rejects(outbound.open(`https://rebind.example:${port}/`, request()), isCode('refused'));
    assert.deepEqual([connections, calls], [before + 1, 2]);
  });

  it('use https, but for what the operator allows', () => {
    const outbound = createOutbound(['10.0.0.0/8', 'fd00::/8', 'Hooks.Internal']);
    for (const url of [
      'https://example.com/a',
      'https://93.184.216.34/',
      'https://[2606:4700::1111]/',
      'http://10.1.2.3/',
      'http://[fd00::1]/',
      'http://hooks.internal./x',
      'https://HOOKS.internal:8443/x',
    ])
      assert.equal(outbound.refusal(url), null, url);
    for (const url of [
      'http://example.com/',
      'http://93.184.216.34/',
      'http://11.0.0.1/',
      'https://a:b@example.com/',
      'ftp://example.com/',
      'example.com',
      '/x',
      '',
      'http://x.hooks.internal/',
      'http://127.0.0.1/',
    ])
      assert.notEqual(outbound.refusal(url), null, url);
  });

  it('tell who tries a receiver on the same machine which setting would allow it', () => {
    const outbound = createOutbound([]);
    for (const url of ['http://localhost:8080/', 'https://localhost/', 'https://127.0.0.1/'])
      assert.match(outbound.refusal(url) ?? '', /WEBHOOK_ALLOW/, url);
  });

  it('follow no redirect', async () => {
    const outbound = createOutbound(['localhost']);
    const before = connections;
    const { status, headers, body } = await outbound.open(`http://localhost:${port}/away`, request());
    body.destroy();
    assert.deepEqual([status, headers.location, connections], [302, '/here', before + 1]);
  });

  it('read as much of a body as is wanted', async () => {
    const outbound = createOutbound(['127.0.0.0/8', '::1']);
    const endless = await outbound.open(`http://127.0.0.1:${port}/endless`, request());
    assert.equal(await readStart(endless.body, 1000), 'x'.repeat(1000));
    const post = await outbound.open(`http://[::1]:${port}/hook`, {
      ...request(),
      method: 'POST',
      body: '{}',
    });
    assert.equal(await readStart(post.body, 1000), 'POST /hook');
  });

  it('end when their time is up, or when they are no longer wanted', async () => {
    const outbound = createOutbound(['127.0.0.0/8']);
    const silent = `http://127.0.0.1:${port}/silent`;
    await assert.rejects(outbound.open(silent, { ...request(), timeoutMs: 50 }), isCode('timeout'));
    const stop = new AbortController();
    const opened = outbound.open(silent, { ...request(), signal: stop.signal });
    stop.abort();
    await assert.rejects(opened, isCode('unreachable'));
    const later = new AbortController();
    const { body } = await outbound.open(`http://127.0.0.1:${port}/endless`, {
      ...request(),
      signal: later.signal,
    });
    later.abort();
    assert.ok((await readStart(body, 1_000_000)).length <= 5000);
  });

  it('tell of a host that cannot be reached', async () => {
    const lost: Resolve = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    };
    await assert.rejects(
      createOutbound([], lost).open('https://nowhere.example/', request()),
      (error: Error) => isCode('unreachable')(error) && /ENOTFOUND/.test(error.message),
    );
  });
});

describe('a public address', () => {
  it('is outside every special range', () => {
    for (const address of ['1.1.1.1', '93.184.216.34', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])
      assert.ok(isPublicAddress(address), address);
    for (const address of [
      'fe80::1%eth0',
      '2606:4700::1%1',
      'example.com',
      '',
      '1.1.1',
      '::7f00:1',
      '5f00::1',
    ])
      assert.ok(!isPublicAddress(address), address);
  });
});
