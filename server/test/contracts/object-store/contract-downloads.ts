// What the download URLs of every object store promise: one part of object-store-contract.ts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Bench } from './object-store-contract.js';
import { send } from './raw-requests.js';

const PNG = { 'content-type': 'image/png' };

export function downloadContract(bench: Bench): void {
  const sign = (key: string) => bench.store.signDownload(key, bench.clock.now() + 600_000);

  async function stored(
    length: number,
    ending?: string,
  ): Promise<{ bytes: Buffer; address: string; key: string }> {
    const key = bench.newKey(ending);
    const bytes = bench.newBytes(length);
    await bench.store.write(key, bytes);
    return { key, bytes, address: sign(key) };
  }

  it('serve the object with the content type of its key, as an attachment', async () => {
    for (const [ending, type] of [
      ['png', 'image/png'],
      ['mp4', 'video/mp4'],
      ['html', 'application/octet-stream'],
      ['svg', 'application/octet-stream'],
    ]) {
      const { key, bytes, address } = await stored(1000, ending);
      const { status, headers, body } = await send('GET', address);
      assert.equal(status, 200);
      assert.deepEqual(body, bytes);
      assert.equal(headers['content-type'], type);
      assert.equal(headers['content-length'], '1000');
      assert.match(String(headers['content-disposition']), /^attachment; filename="?[^";]+"?$/);
      assert.ok(String(headers['content-disposition']).includes(key.slice(key.lastIndexOf('/') + 1)));
      if (bench.traits.nosniff) assert.equal(headers['x-content-type-options'], 'nosniff');
    }
  });

  it('serve an object with the content type of its key even if it was uploaded with another, if the store accepts that', async () => {
    const key = bench.newKey('mp4');
    const body = Uint8Array.from(bench.newBytes(100));
    const upload = bench.store.signUpload(bench.grant(key, { contentType: 'text/html' }));
    const headers = { 'content-type': 'text/html' };
    const { ok } = await fetch(upload, { method: 'PUT', headers, body });
    if (!ok) return assert.equal(await bench.store.find(key), null);
    const answer = await fetch(sign(key));
    assert.equal(answer.headers.get('content-type'), 'video/mp4');
    assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), body);
  });

  it('serve ranges: the first bytes, some in the middle, the last ones', async () => {
    const { bytes, address } = await stored(100_000);
    const ranges: [range: string, start: number, end: number][] = [
      ['bytes=0-99', 0, 100],
      ['bytes=777-70000', 777, 70_001],
      ['bytes=99000-', 99_000, 100_000],
      ['bytes=-50', 99_950, 100_000],
      ['bytes=99990-200000', 99_990, 100_000],
    ];
    for (const [range, start, end] of ranges) {
      const { status, headers, body } = await send('GET', address, { headers: { range } });
      assert.equal(status, 206, range);
      assert.equal(headers['content-range'], `bytes ${start}-${end - 1}/100000`);
      assert.deepEqual(body, bytes.subarray(start, end), range);
      assert.equal(headers['content-type'], 'image/png');
      assert.match(String(headers['content-disposition']), /^attachment/);
    }
    assert.equal((await send('GET', address, { headers: { range: 'bytes=100000-' } })).status, 416);
  });

  it(`${bench.traits.head === 'answered' ? 'answer' : 'refuse'} HEAD`, async () => {
    const { address } = await stored(1000);
    const { status, headers } = await send('HEAD', address);
    if (bench.traits.head === 'refused') return assert.ok(bench.refused(status), `${status}`);
    assert.equal(status, 200);
    assert.equal(headers['content-length'], '1000');
    assert.equal(headers['content-type'], 'image/png');
  });

  it('of a missing object answer 404', async () => {
    assert.equal((await send('GET', sign(bench.newKey()))).status, 404);
  });

  it('work until they expire, and not a second longer', async () => {
    const { key, bytes } = await stored(100);
    const signedAgo = (seconds: number, lifetime: number) => {
      bench.clock.advance(-seconds * 1000);
      const address = bench.store.signDownload(key, bench.clock.now() + lifetime * 1000);
      bench.clock.advance(seconds * 1000);
      return address;
    };
    const late = await send('GET', signedAgo(61, 60));
    assert.ok(bench.refused(late.status), `${late.status}`);
    assert.ok(!late.body.includes(bytes));
    assert.deepEqual((await send('GET', signedAgo(3570, 3600))).body, bytes);
  });

  it('cannot be used to write or to remove', async () => {
    const { key, bytes, address } = await stored(100);
    for (const method of ['PUT', 'DELETE', 'POST', 'PATCH']) {
      const answer = await send(method, address, {
        headers: { ...PNG, 'content-length': '5' },
        body: Buffer.from('other'),
      });
      assert.ok(bench.refused(answer.status), `${method} was answered with ${answer.status}`);
    }
    assert.deepEqual(await bench.contents(key), bytes);
  });
}
