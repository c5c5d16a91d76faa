// `npm run test:mutants` takes too long for every day, but the mistakes that it plants must fit the code of today.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findMarkers, plant } from '../support/mutants/markers.js';
import { MUTANTS } from '../support/mutants/mutations.js';

describe('The mistakes that npm run test:mutants plants', () => {
  const markers = findMarkers();

  for (const { title, at } of MUTANTS)
    it(`each find their marked line once, change it, and compile: ${title}`, () => {
      assert.ok(plant(at, markers).size > 0);
    });

  it('name test files that exist', () => {
    const files = new Set(MUTANTS.flatMap(({ caughtBy }) => caughtBy ?? []));
    const sourceOf = (file: string) =>
      fileURLToPath(new URL(`../../../test/${file}.test.ts`, import.meta.url));
    assert.deepEqual(
      [...files].filter((file) => !existsSync(sourceOf(file))),
      [],
    );
  });

  it('use every marker of the sources', () => {
    const used = new Set(MUTANTS.flatMap(({ at }) => Object.keys(at)));
    assert.deepEqual(
      markers.filter(({ name }) => !used.has(name)),
      [],
    );
  });
});
