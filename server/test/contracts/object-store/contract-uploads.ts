// What the upload URLs of every object store promise: one part of object-store-contract.ts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Bench } from './object-store-contract.js';
import { breakOff, send } from './raw-requests.js';

const PNG = { 'content-type': 'image/png' };

export function uploadContract(bench: Bench): void {
  const put = (address: string, bytes: Buffer, headers: Record<string, string> = PNG) =>
    send('PUT', address, { headers: { ...headers, 'content-length': `${bytes.length}` }, body: bytes });
  const sign = (key: string, length: number | null) => bench.store.signUpload(bench.grant(key, { length }));

  async function refuses(key: string, answer: { status: number }, what?: string): Promise<void> {
    assert.ok(answer.status >= 400, `${what ?? ''} was answered with ${answer.status}`);
    assert.equal(await bench.store.find(key), null, what);
  }

  it('store exactly the bytes that are PUT to them, whether their length was announced or not', async () => {
    for (const size of [1, 70_000, 3_000_000])
      for (const announced of [true, false]) {
        const key = bench.newKey();
        const bytes = bench.newBytes(size);
        const answer = await put(sign(key, announced ? size : null), bytes);
        assert.ok(
          answer.status === 200 || answer.status === 201 || answer.status === 204,
          `${answer.status}`,
        );
        assert.deepEqual(await bench.contents(key), bytes);
        assert.equal((await bench.store.find(key))?.size, size);
      }
  });

  it('can be used by fetch', async () => {
    const key = bench.newKey();
    const body = Uint8Array.from(bench.newBytes(500));
    const answer = await fetch(sign(key, 500), { method: 'PUT', headers: PNG, body });
    assert.ok(answer.ok, `${answer.status}`);
    assert.deepEqual(await bench.contents(key), Buffer.from(body));
  });

  it('refuse another content type, and a missing one', async () => {
    for (const headers of [{ 'content-type': 'text/html' }, { 'content-type': 'image/png; a=b' }, {}])
      for (const length of [10, null]) {
        const key = bench.newKey();
        await refuses(
          key,
          await put(sign(key, length), bench.newBytes(10), headers as Record<string, string>),
        );
      }
  });

  it('refuse a byte more and a byte less than announced, and nothing is left', async () => {
    for (const difference of [1, -1, -10]) {
      const key = bench.newKey();
      await refuses(key, await put(sign(key, 10), bench.newBytes(10 + difference)), `${difference}`);
    }
  });

  it('of an announced length accept a chunked body only if it has this length, or never', async () => {
    for (const size of [9, 10, 11]) {
      const key = bench.newKey();
      const bytes = bench.newBytes(size);
      const answer = await send('PUT', sign(key, 10), { headers: PNG, body: bytes });
      if (size === 10 && answer.status < 300) assert.deepEqual(await bench.contents(key), bytes);
      else await refuses(key, answer, `${size} bytes`);
    }
  });

  const chunked = bench.traits.chunked === 'stored' ? 'take' : 'refuse';
  it(`of no announced length ${chunked} a chunked body`, async () => {
    const key = bench.newKey();
    const bytes = bench.newBytes(70_000);
    const answer = await send('PUT', sign(key, null), { headers: PNG, body: bytes });
    if (chunked === 'refuse') return refuses(key, answer);
    assert.ok(answer.status < 300, `${answer.status}`);
    assert.deepEqual(await bench.contents(key), bytes);
  });

  it('leave nothing of an upload that breaks off', async () => {
    for (const length of [100_000, null]) {
      const key = bench.newKey();
      await breakOff(
        'PUT',
        sign(key, length),
        { ...PNG, 'content-length': '100000' },
        bench.newBytes(50_000),
      );
      assert.equal(await bench.store.find(key), null);
    }
  });

  it('work until they expire, and not a second longer', async () => {
    const signedAgo = (seconds: number, lifetime: number) => {
      const key = bench.newKey();
      bench.clock.advance(-seconds * 1000);
      const address = bench.store.signUpload(
        bench.grant(key, { expiresAt: bench.clock.now() + lifetime * 1000 }),
      );
      bench.clock.advance(seconds * 1000);
      return { key, address };
    };
    const late = signedAgo(61, 60);
    await refuses(late.key, await put(late.address, bench.newBytes(10)));
    const inTime = signedAgo(3570, 3600);
    assert.ok((await put(inTime.address, bench.newBytes(10))).status < 300);
  });

  it('cannot be used to read or to remove', async () => {
    const key = bench.newKey();
    const bytes = bench.newBytes(1000);
    const address = sign(key, bytes.length);
    assert.ok((await put(address, bytes)).status < 300);
    for (const method of ['GET', 'HEAD', 'DELETE', 'POST', 'PATCH']) {
      const answer = await send(method, address, { headers: PNG });
      assert.ok(bench.refused(answer.status), `${method} was answered with ${answer.status}`);
      assert.ok(!answer.body.includes(bytes));
    }
    assert.deepEqual(await bench.contents(key), bytes);
  });

  it(bench.traits.rewrites ? 'replace the object when used again' : 'work once', async () => {
    const key = bench.newKey();
    const [bytes, others] = [bench.newBytes(100), bench.newBytes(100)];
    const address = sign(key, 100);
    assert.ok((await put(address, bytes)).status < 300);
    const first = await bench.store.find(key);
    const again = await put(address, others);
    assert.equal(again.status < 300, bench.traits.rewrites);
    assert.deepEqual(await bench.contents(key), bench.traits.rewrites ? others : bytes);
    assert.equal((await bench.store.find(key))?.version !== first?.version, bench.traits.rewrites);
  });
}
