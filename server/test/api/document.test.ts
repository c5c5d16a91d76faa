// How programs fetch the OpenAPI document. What is in it: rules/openapi.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { onEngines } from '../support/runner/test-tiers.js';
import { startTestService, useService } from '../support/service/harness.js';

onEngines('sqlite', 'GET /openapi.json', (engine) => {
  const service = useService(engine);

  it('names this installation, its address and its cookie', async () => {
    const { json } = await service.request('GET', '/openapi.json');
    assert.deepEqual(
      json.servers.map(({ url }: { url: string }) => url),
      [service.url],
    );
    assert.equal(json.components.securitySchemes.session.name, 'airdate');
    const PUBLIC_URL = 'https://airdate.example.com';
    const behindTls = await startTestService(engine, { env: { PUBLIC_URL } });
    try {
      const { json } = await behindTls.request('GET', '/openapi.json');
      assert.equal(json.servers[0].url, PUBLIC_URL);
      assert.equal(json.components.securitySchemes.session.name, '__Host-airdate');
    } finally {
      await behindTls.stop();
    }
  });

  it('is sent compressed, and only if it has changed', async () => {
    const ask = async (headers: Record<string, string>) => {
      const { status, headers: got, body } = await undecoded(`${service.url}/openapi.json`, headers);
      const [encoding, etag, vary] = ['content-encoding', 'etag', 'vary'].map((name) => got[name]);
      return { status, encoding, etag: String(etag), vary, body };
    };
    const plain = await ask({});
    const packed = await ask({ 'accept-encoding': 'br, gzip' });
    assert.deepEqual([plain.status, plain.encoding, plain.vary], [200, undefined, 'Accept-Encoding']);
    assert.deepEqual([packed.status, packed.encoding, packed.vary], [200, 'gzip', 'Accept-Encoding']);
    assert.deepEqual(gunzipSync(packed.body), plain.body);
    assert.ok(packed.body.length < plain.body.length / 5, `${packed.body.length} of ${plain.body.length}`);
    assert.notEqual(plain.etag, packed.etag);
    for (const { etag, accept } of [
      { etag: plain.etag, accept: 'identity' },
      { etag: packed.etag, accept: 'gzip' },
    ]) {
      const known = await ask({ 'accept-encoding': accept, 'if-none-match': `"other", ${etag}` });
      assert.deepEqual([known.status, known.etag, known.body.length], [304, etag, 0]);
    }
    assert.equal((await ask({ 'if-none-match': '"other"' })).status, 200);
  });
});

/** `fetch` would decompress it. */
async function undecoded(url: string, headers: Record<string, string>) {
  const [response] = (await once(get(url, { headers, agent: false }), 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}
