// A stranger has three ways to learn (support/runner/test-tiers.ts), and a test keeps its engine and its cases when others come or go.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as tiers from '../support/runner/test-tiers.js';
import { tiersIn } from '../support/runner/tiers.js';

const TESTS = fileURLToPath(new URL('../../../test', import.meta.url));
const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const mentioning = (word: RegExp) =>
  files.filter((file) => word.test(readFileSync(join(TESTS, file), 'utf8'))).sort();

describe('What chooses the cases of an ordinary day', () => {
  it('is three functions', () => {
    assert.deepEqual(Object.keys(tiers).sort(), ['everyday', 'itInProofs', 'onEngines']);
  });

  it('is asked by them alone whether the proofs are running', () => {
    const asking = mentioning(new RegExp(['AIRDATE', 'TEST_EVERYTHING'].join('_')));
    assert.deepEqual(asking, ['run.ts', 'support/runner/test-tiers.ts']);
  });

  it('is listed by `run.js --tiers`, from the sources', () => {
    const text = `
onEngines('sqlite', 'A service', () => {
  const KILLS = everyday(1, 80);
  for (const kind of everyday<readonly ('disk' | 's3')[]>(
    ['s3'],
    ['disk', 's3'],
  ))
    itInProofs('says "no" (once)', async () => {});
  const define = kind === 'disk' ? it : itInProofs;
});`;
    assert.deepEqual(tiersIn(text), {
      engines: new Set(['sqlite']),
      less: ['KILLS = everyday(1, 80)', "everyday(['s3'], ['disk', 's3'])"],
      inProofs: ['says "no" (once)', "what is not kind === 'disk'"],
    });
    const tests = files.filter((file) => file.endsWith('.test.ts') && !file.endsWith('test-tiers.test.ts'));
    for (const file of tests) {
      const source = readFileSync(join(TESTS, file), 'utf8');
      const { inProofs, less } = tiersIn(source);
      // With a parenthesis, types, or as one of two functions.
      const calls = (name: string) => source.match(new RegExp(`\\b${name}[(<;]`, 'g'))?.length ?? 0;
      assert.deepEqual([inProofs.length, less.length], [calls('itInProofs'), calls('everyday')], file);
    }
  });

  it('depends on names and not on the order in which tests are defined', () => {
    const words = ['one', 'two', 'three', 'four', 'five'];
    if (tiers.everyday(false, true)) return assert.deepEqual(tiers.everyday(2, words, 'a name'), words);
    const chosen = tiers.everyday(2, words, 'a name');
    assert.equal(chosen.length, 2);
    for (const other of words) tiers.everyday(2, words, other);
    assert.deepEqual(tiers.everyday(2, words, 'a name'), chosen);
    const names = Array.from({ length: 20 }, (_, n) => `name ${n}`);
    assert.deepEqual(new Set(names.flatMap((name) => tiers.everyday(1, words, name))), new Set(words));
  });
});
