// The dashboard's query keys come from one file, so that a change refreshes everything that shows it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readSources } from './sources/import-rules.js';

const WEB = fileURLToPath(new URL('../../../../web/src', import.meta.url));
const FACTORY = join('api', 'query-keys.ts');

/** The first words of all keys: `me` of `['me']`. Not of a type such as Post['labels']. */
const ROOT = /(?<![\w\])])\['([\w-]+)'/g;
const SPELLED = /queryKey:\s*\[|\[\s*\.\.\.[\w.]*(?:queryKey|queryKeys)\b/;

describe('the keys of queries', () => {
  const { files, textOf } = readSources(WEB);
  const rootsIn = (file: string) => [...textOf(file).matchAll(ROOT)].map(([, word]) => word as string);
  const roots = new Set(rootsIn(FACTORY));

  it('are spelled in one file only', () => {
    assert.ok(roots.size > 10, 'the roots are found');
    assert.ok(SPELLED.test("queryKey: ['me']") && SPELLED.test('[...meQuery.queryKey, 1]'));
    const others = files.filter((file) => file !== FACTORY);
    assert.deepEqual(
      others.filter((file) => SPELLED.test(textOf(file)) || rootsIn(file).some((word) => roots.has(word))),
      [],
    );
  });
});
