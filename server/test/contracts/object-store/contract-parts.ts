// What every object store promises of files that arrive in parts: one part of object-store-contract.ts.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import type { PartUpload } from '../../../src/object-store/object-store.js';
import type { Bench } from './object-store-contract.js';
import { breakOff, send } from './raw-requests.js';

/** The least that S3 takes as a part that is not the last. */
const FULL = 5 * 1024 * 1024;

export function partContract(bench: Bench): void {
  const sign = (upload: PartUpload, number: number, length: number) =>
    bench.store.signPart(upload, { number, length, expiresAt: bench.clock.now() + 600_000 });
  const put = (upload: PartUpload, number: number, bytes: Buffer, headers: Record<string, string> = {}) =>
    send('PUT', sign(upload, number, bytes.length), {
      headers: { 'content-length': `${bytes.length}`, ...headers },
      body: bytes,
    });
  const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('base64');
  const begin = () => bench.store.parts.begin(bench.newKey('mp4'));
  const arrived = async (upload: PartUpload) =>
    [...((await bench.store.parts.arrived(upload)) ?? [])].sort(([a], [b]) => a - b);

  it('become one object when they are joined, whatever order they came in, and are gone then', async () => {
    const upload = await begin();
    const [first, second] = [bench.newBytes(FULL), bench.newBytes(70_000)];
    assert.deepEqual(await arrived(upload), []);
    assert.equal((await put(upload, 2, second)).status, 200);
    assert.deepEqual(await arrived(upload), [[2, 70_000]]);
    assert.equal((await put(upload, 1, first, { 'content-md5': md5Of(first) })).status, 200);
    assert.equal(await bench.store.find(upload.key), null, 'it exists before it was joined');
    await bench.store.parts.join(upload, [FULL, 70_000]);
    assert.ok((await bench.contents(upload.key)).equals(Buffer.concat([first, second])));
    if (!bench.traits.listsJoinedParts) assert.deepEqual(await arrived(upload), []);
    // After a lost answer.
    await bench.store.parts.join(upload, [FULL, 70_000]).catch(async (error) => {
      assert.ok(await bench.store.find(upload.key), `${error}`);
    });
    assert.equal((await bench.contents(upload.key)).length, FULL + 70_000);
  });

  it('are not joined while one is missing or has another length', async () => {
    const upload = await begin();
    await put(upload, 2, bench.newBytes(10));
    await assert.rejects(bench.store.parts.join(upload, [FULL, 10]));
    await put(upload, 1, bench.newBytes(9));
    await assert.rejects(bench.store.parts.join(upload, [FULL, 10]));
    assert.equal(await bench.store.find(upload.key), null);
    assert.deepEqual(await arrived(upload), [
      [1, 9],
      [2, 10],
    ]);
  });

  it('are refused with a wrong Content-MD5 or one that is no hash, and taken with none', async () => {
    const upload = await begin();
    const bytes = bench.newBytes(1000);
    for (const wrong of [md5Of(Buffer.from('other')), 'nonsense']) {
      const answer = await put(upload, 1, bytes, { 'content-md5': wrong });
      assert.equal(answer.status, 400, wrong);
      assert.deepEqual(await arrived(upload), [], wrong);
    }
    assert.equal((await put(upload, 1, bytes)).status, 200);
    assert.deepEqual(await arrived(upload), [[1, 1000]]);
  });

  it('are refused with a byte more or less, and when the connection breaks off', async () => {
    const upload = await begin();
    const address = sign(upload, 1, 1000);
    for (const length of [999, 1001, 0]) {
      const body = bench.newBytes(length);
      const answer = await send('PUT', address, { headers: { 'content-length': `${length}` }, body });
      assert.ok(bench.refused(answer.status), `${length} bytes were answered with ${answer.status}`);
    }
    await breakOff('PUT', address, { 'content-length': '1000' }, bench.newBytes(500));
    assert.deepEqual(await arrived(upload), []);
  });

  it('can be sent again: the last one counts, and a broken one does not undo it', async () => {
    const upload = await begin();
    const [old, bytes] = [bench.newBytes(1000), bench.newBytes(1000)];
    for (const each of [old, bytes]) assert.equal((await put(upload, 1, each)).status, 200);
    await breakOff('PUT', sign(upload, 1, 1000), { 'content-length': '1000' }, old.subarray(0, 500));
    await bench.store.parts.join(upload, [1000]);
    assert.deepEqual(await bench.contents(upload.key), bytes);
  });

  it('have URLs of their own: for one part of one upload, of one length, until they expire', async () => {
    const upload = await begin();
    const other = await begin();
    const bytes = bench.newBytes(100);
    const right = sign(upload, 3, 100);
    // A real server has its own clock.
    bench.clock.advance(-61_000);
    const late = bench.store.signPart(upload, {
      number: 3,
      length: 100,
      expiresAt: bench.clock.now() + 60_000,
    });
    bench.clock.advance(61_000);
    const changed = [
      right.replace(/partNumber=3/, 'partNumber=4').replace(/\/3\?/, '/4?'),
      right.replace(upload.key, other.key),
      late,
    ];
    for (const address of changed) {
      const answer = await send('PUT', address, { headers: { 'content-length': '100' }, body: bytes });
      assert.ok(bench.refused(answer.status), `${address} was answered with ${answer.status}`);
    }
    for (const method of ['GET', 'DELETE', 'POST'])
      assert.ok(bench.refused((await send(method, right, {})).status), method);
    assert.deepEqual([await arrived(upload), await arrived(other)], [[], []]);
  });

  it('are listed while they are not joined, and gone once they are abandoned', async () => {
    const unfinished = async () => {
      const keys = new Set<string>();
      for await (const { key, storedAt } of bench.store.parts.unfinished()) {
        assert.ok(Math.abs(storedAt - bench.clock.now()) < 3_600_000);
        keys.add(key);
      }
      return keys;
    };
    const uploads = await Promise.all(Array.from({ length: 9 }, begin));
    for (const upload of uploads) assert.equal((await put(upload, 1, bench.newBytes(10))).status, 200);
    const listed = await unfinished();
    for (const { key } of uploads) assert.ok(listed.has(key), key);
    for await (const { key } of bench.store.list())
      assert.ok(!listed.has(key) && !key.startsWith('parts/'), key);
    const [kept, ...others] = uploads as [PartUpload, ...PartUpload[]];
    for (const { key } of others) await bench.store.parts.abandon(key);
    await bench.store.parts.abandon(bench.newKey('mp4'));
    const left = await unfinished();
    assert.deepEqual(
      uploads.filter(({ key }) => left.has(key)),
      [kept],
    );
    assert.deepEqual(await arrived(kept), [[1, 10]]);
    await bench.store.parts.join(kept, [10]);
    assert.ok(!(await unfinished()).has(kept.key));
  });
}
