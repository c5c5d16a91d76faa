import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DigestBuilder, isSameDigest } from './digest.js';
import { readLines, writeLines } from './folder.js';
import { openKeys, sealKeys } from './sealed-keys.js';

const digestOf = (...lines: string[]) => {
  const building = new DigestBuilder();
  building.add(lines);
  return building.digest;
};

describe('the digest of rows', () => {
  it('does not depend on their order, but on each of them', () => {
    assert.ok(isSameDigest(digestOf('a', 'b', 'c'), digestOf('c', 'a', 'b')));
    for (const others of [
      ['a', 'b'],
      ['a', 'b', 'd'],
      ['a', 'b', 'c', 'c'],
      ['ab', 'c', ''],
    ])
      assert.ok(!isSameDigest(digestOf('a', 'b', 'c'), digestOf(...others)), others.join());
    assert.ok(!isSameDigest(digestOf('a'), undefined));
  });
});

describe('lines in a file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-lines-'));
  after(() => rmSync(dir, { recursive: true, force: true }));

  async function* pages(lines: string[]) {
    yield lines.slice(0, 3);
    yield [];
    yield lines.slice(3);
  }

  it('are read as they were written, whatever characters they have', async () => {
    const lines = Array.from({ length: 1000 }, (_, i) => JSON.stringify({ i, text: `é𝄞\u2028\r\n"${i}"` }));
    const file = join(dir, 'lines.gz');
    const digest = await writeLines(file, pages(lines));
    const read: string[] = [];
    for await (const page of readLines(file)) read.push(...page);
    assert.deepEqual(read, lines);
    assert.ok(isSameDigest(digest, digestOf(...lines)));
  });

  it('may be none', async () => {
    const file = join(dir, 'none.gz');
    assert.equal((await writeLines(file, pages([]))).rows, 0);
    for await (const page of readLines(file)) assert.fail(page.join());
  });

  it('fail if the file is missing', async () => {
    await assert.rejects(async () => {
      for await (const _ of readLines(join(dir, 'missing.gz')));
    }, /ENOENT/);
  });
});

describe('keys sealed with a passphrase', () => {
  const keys = ['ab', 'cd'].map((byte) => Buffer.from(byte.repeat(32), 'hex'));

  it('open with it, in the backup that they were sealed for, and not otherwise', async () => {
    const sealed = await sealKeys(keys, 'the right one', 'this backup');
    assert.deepEqual(await openKeys(sealed, 'the right one', 'this backup'), keys);
    // The wrong passphrase is tried with a whole restore. Each try takes half a second.
    assert.equal(await openKeys(sealed, 'the right one', 'another backup'), null);
  });
});
