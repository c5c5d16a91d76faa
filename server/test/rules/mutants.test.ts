// `npm run test:mutants` takes too long for every day, but the mistakes that it plants must fit the code of today.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { MUTANTS } from '../crash/mutations.js';

describe('The mistakes that npm run test:mutants plants', () => {
  it('each find the text that they replace, exactly once', () => {
    assert.ok(MUTANTS.length > 0);
    for (const { title, edits } of MUTANTS)
      for (const [file, from] of edits) {
        const built = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
        assert.equal(built.split(from).length - 1, 1, `${title}: ${file}: ${from}`);
      }
  });
});
