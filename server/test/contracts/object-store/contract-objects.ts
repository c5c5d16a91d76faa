// What every object store promises about its objects: one part of object-store-contract.ts.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import type { StoredObject } from '../../../src/object-store/object-store.js';
import { inParallel } from '../../support/runner/in-parallel.js';
import type { Bench } from './object-store-contract.js';

export function objectContract(bench: Bench): void {
  it('are found with their size and the time they were stored, and null if missing', async () => {
    const key = bench.newKey();
    assert.equal(await bench.store.find(key), null);
    await bench.store.write(key, bench.newBytes(1234));
    const found = (await bench.store.find(key)) as StoredObject;
    assert.deepEqual([found.key, found.size], [key, 1234]);
    assert.ok(Math.abs(found.storedAt - bench.clock.now()) < 60_000, new Date(found.storedAt).toISOString());
    assert.deepEqual(await bench.store.find(key), found);
    assert.notEqual(found.version, '');
  });

  it('are read as a whole, from an offset, between two, and not beyond their end', async () => {
    const key = bench.newKey();
    const bytes = bench.newBytes(100_000);
    await bench.store.write(key, bytes);
    assert.deepEqual(await bench.contents(key), bytes);
    const ranges: { start: number; end?: number }[] = [
      { start: 0 },
      { start: 0, end: 10 },
      { start: 10 },
      { start: 777, end: 70_001 },
      { start: 99_999 },
      { start: 99_000, end: 200_000 },
      { start: 5, end: 5 },
      { start: 0, end: 0 },
      { start: 100_000 },
      { start: 200_000, end: 200_010 },
    ];
    for (const range of ranges) {
      const read = await buffer(await bench.store.read(key, range));
      assert.deepEqual(read, bytes.subarray(range.start, range.end), JSON.stringify(range));
    }
  });

  it('can be empty', async () => {
    const key = bench.newKey();
    await bench.store.write(key, Buffer.alloc(0));
    assert.equal((await bench.store.find(key))?.size, 0);
    assert.equal((await bench.contents(key)).length, 0);
    assert.equal((await buffer(await bench.store.read(key, { start: 0, end: 10 }))).length, 0);
  });

  it('that do not exist cannot be read', async () => {
    for (const range of [undefined, { start: 5 }, { start: 5, end: 5 }])
      await assert.rejects(async () => buffer(await bench.store.read(bench.newKey(), range)));
  });

  it('stay unchanged when they are written again', async () => {
    const key = bench.newKey();
    const bytes = bench.newBytes(50);
    await bench.store.write(key, bytes);
    const found = await bench.store.find(key);
    await bench.store.write(key, bench.newBytes(60));
    assert.deepEqual(await bench.contents(key), bytes);
    assert.deepEqual(await bench.store.find(key), found);
  });

  it('are placed from a stream of any length, whole or not at all, and never replaced', async () => {
    const key = bench.newKey();
    const bytes = bench.newBytes(3_000_000);
    const failing = Readable.from(
      (async function* () {
        yield bytes.subarray(0, 1_000_000);
        throw new Error('the source fails');
      })(),
    );
    await assert.rejects(bench.store.storeDurably(key, failing), /the source fails/);
    assert.equal(await bench.store.find(key), null);
    await bench.store.storeDurably(
      key,
      Readable.from([bytes.subarray(0, 1_000_000), bytes.subarray(1_000_000)]),
    );
    assert.deepEqual(await bench.contents(key), bytes);
    await bench.store.storeDurably(key, Readable.from([bench.newBytes(10)]));
    assert.deepEqual(await bench.contents(key), bytes);
  });

  it('are gone when removed, and removing again is no error', async () => {
    const key = bench.newKey();
    await bench.store.write(key, bench.newBytes(10));
    for (let i = 0; i < 2; i++) {
      await bench.store.remove(key);
      assert.equal(await bench.store.find(key), null);
    }
  });

  it('survive the removal of partial uploads', async () => {
    const key = bench.newKey();
    const bytes = bench.newBytes(10);
    await bench.store.write(key, bytes);
    await bench.store.removeTemporaryFiles(bench.clock.now() + 3_600_000);
    assert.deepEqual(await bench.contents(key), bytes);
  });

  it('have well-formed keys; any other is an error before the store is called', async () => {
    const { store, clock } = bench;
    const object = { key: bench.newKey(), size: 1, storedAt: 0, version: '' };
    const keys = [
      '',
      '/a',
      'a/',
      'a//b',
      '.a',
      'a/../b',
      '../a',
      'a/.b',
      'a b',
      'a\\b',
      'a\0',
      'a\n',
      'ä',
      'a%2Fb',
    ];
    for (const key of [...keys, 'a?b', 'a#b', 'x'.repeat(513)]) {
      assert.throws(() => store.signUpload(bench.grant(key)), /not a key of ours/, key);
      assert.throws(() => store.signDownload(key, clock.now() + 60_000), /not a key of ours/, key);
      for (const ask of [
        () => store.find(key),
        () => store.read(key),
        () => store.write(key, Buffer.alloc(1)),
        () => store.remove(key),
        () => store.copy(key, bench.newKey()),
        () => store.copy(bench.newKey(), key),
        () => store.move(object, key),
        () => store.move({ ...object, key }, bench.newKey()),
      ])
        await assert.rejects(async () => ask(), /not a key of ours/, key);
    }
  });
}

export function moveContract(bench: Bench): void {
  const { newKey } = bench;
  /** An object uploaded the way clients do. */
  async function arrived(bytes: Buffer, key = newKey()): Promise<StoredObject> {
    const address = bench.store.signUpload(bench.grant(key));
    const answer = await fetch(address, {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: Uint8Array.from(bytes),
    });
    assert.ok(answer.ok, `${answer.status}`);
    return (await bench.store.find(key)) as StoredObject;
  }

  it('move the whole object to its new key and leave nothing at the old one; repeating it is no error', async () => {
    const bytes = bench.newBytes(100_000);
    const [from, to] = [await arrived(bytes), newKey()];
    for (let i = 0; i < 2; i++) {
      await bench.store.move(from, to);
      assert.deepEqual(await bench.contents(to), bytes);
      assert.equal(await bench.store.find(from.key), null);
    }
  });

  if (bench.traits.rewrites)
    it('that a crash left with the object at both keys are completed', async () => {
      const bytes = bench.newBytes(100);
      const [from, to] = [await arrived(bytes), newKey()];
      await bench.store.write(to, bytes);
      await bench.store.move(from, to);
      assert.deepEqual(await bench.contents(to), bytes);
      assert.equal(await bench.store.find(from.key), null);
    });

  it('to the key of another object are an error, and change nothing', async () => {
    const [bytes, other] = [bench.newBytes(100), bench.newBytes(100)];
    const [from, to] = [await arrived(bytes), newKey()];
    await bench.store.write(to, other);
    await assert.rejects(bench.store.move(from, to), /another object/);
    assert.deepEqual(await bench.contents(to), other);
    assert.deepEqual(await bench.contents(from.key), bytes);
  });

  it('of a missing object are an error, and create nothing', async () => {
    const to = newKey();
    await assert.rejects(bench.store.move({ key: newKey(), size: 1, storedAt: 0, version: '' }, to));
    assert.equal(await bench.store.find(to), null);
  });

  if (bench.traits.noticesChange) {
    it('of an object that was replaced since it was found are an error that says so, and move nothing', async () => {
      const [from, to] = [await arrived(bench.newBytes(100)), newKey()];
      const replaced = await arrived(bench.newBytes(100), from.key);
      await assert.rejects(bench.store.move(from, to), /has changed/);
      assert.equal(await bench.store.find(to), null);
      assert.deepEqual(await bench.store.find(from.key), replaced);
    });

    it('that had made their copy are completed, even if the source was replaced since', async () => {
      const bytes = bench.newBytes(100);
      const [from, to] = [await arrived(bytes), newKey()];
      await bench.store.write(to, bytes);
      await arrived(bench.newBytes(100), from.key);
      await bench.store.move(from, to);
      assert.deepEqual(await bench.contents(to), bytes);
      assert.equal(await bench.store.find(from.key), null);
    });
  }
}

export function copyContract(bench: Bench): void {
  it('have the same bytes under both keys, and each stays when the other is removed', async () => {
    for (const removed of [0, 1]) {
      const bytes = bench.newBytes(100_000);
      const keys = [bench.newKey(), bench.newKey()] as const;
      await bench.store.write(keys[0], bytes);
      await bench.store.copy(...keys);
      for (const key of keys) assert.deepEqual(await bench.contents(key), bytes);
      await bench.store.remove(keys[removed] as string);
      assert.equal(await bench.store.find(keys[removed] as string), null);
      assert.deepEqual(await bench.contents(keys[1 - removed] as string), bytes);
    }
  });

  it('leave an object that is already there unchanged, so repeating one is no error', async () => {
    const [bytes, other] = [bench.newBytes(100), bench.newBytes(200)];
    const [from, to, taken] = [bench.newKey(), bench.newKey(), bench.newKey()];
    await bench.store.write(from, bytes);
    await bench.store.write(taken, other);
    for (let i = 0; i < 2; i++) await bench.store.copy(from, to);
    await bench.store.copy(from, taken);
    assert.deepEqual(await bench.contents(to), bytes);
    assert.deepEqual(await bench.contents(taken), other);
  });

  it('of a missing object are an error, and create nothing', async () => {
    const to = bench.newKey();
    await assert.rejects(bench.store.copy(bench.newKey(), to), /does not exist/);
    assert.equal(await bench.store.find(to), null);
  });

  it('are downloaded with the content type of their own key', async () => {
    const [from, to] = [bench.newKey('jpg'), bench.newKey('jpg')];
    await bench.store.write(from, bench.newBytes(10));
    await bench.store.copy(from, to);
    const answer = await fetch(bench.store.signDownload(to, bench.clock.now() + 60_000));
    assert.equal(answer.headers.get('content-type'), 'image/jpeg');
  });
}

export function listContract(bench: Bench): void {
  it(`contain every object once, as find describes it, even if there are ${bench.traits.many}`, async () => {
    const folder = `contract/${randomUUID()}`;
    const keys = Array.from({ length: bench.traits.many }, (_, i) => `${folder}/${i}.png`);
    await inParallel(16, keys, (key, i) => bench.store.write(key, Buffer.alloc(i % 7)));
    await bench.store.remove(keys.pop() as string);
    const listed = new Map<string, StoredObject>();
    for await (const object of bench.store.list()) {
      assert.ok(!listed.has(object.key), `${object.key} is listed twice`);
      listed.set(object.key, object);
    }
    const here = [...listed.keys()].filter((key) => key.startsWith(folder));
    assert.deepEqual(here.sort(), keys.sort());
    for (const key of keys.slice(0, 20)) {
      const [found, object] = [await bench.store.find(key), listed.get(key)] as StoredObject[];
      assert.deepEqual([object?.size, object?.version], [found?.size, found?.version]);
      // Servers report it in seconds here and in milliseconds there.
      assert.ok(Math.abs((object?.storedAt ?? 0) - (found?.storedAt ?? 0)) <= 1000);
    }
  });
}
