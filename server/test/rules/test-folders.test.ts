// Where a test goes, and where what it acts with: docs/internals/tests.md.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { targetsIn } from './sources/import-rules.js';

const TESTS = fileURLToPath(new URL('../../../test', import.meta.url));
const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const isTest = (file: string) => file.endsWith('.test.ts');
const top = (file: string) => file.split('/')[0] as string;
const folders = [...new Set(files.filter(isTest).map(top))];

/** Both ends of every import between files of server/test. */
const imports = files.flatMap((from) =>
  targetsIn(readFileSync(join(TESTS, from), 'utf8'))
    .filter((target) => target.startsWith('.'))
    .map((target) => ({ from, to: join(dirname(from), target).replace(/\.js$/, '.ts') }))
    .filter(({ to }) => files.includes(to)),
);

describe('The folders of server/test', () => {
  it('hold tests, with what only these use in sub-folders', () => {
    assert.ok(folders.length > 8 && imports.length > 1000, 'the tests and their imports are found');
    const strays = files.filter(
      (file) => folders.includes(top(file)) && (file.split('/').length === 2) !== isTest(file),
    );
    assert.deepEqual(strays, []);
  });

  it('are the folders of tests, and support', () => {
    const others = [...new Set(files.map(top))].filter((name) => !folders.includes(name));
    assert.deepEqual(others.sort(), ['run.ts', 'support']);
  });

  it('import of each other nothing: what tests of several folders use is in support', () => {
    const across = imports.filter(({ from, to }) => top(from) !== top(to) && top(to) !== 'support');
    assert.deepEqual(across, []);
  });
});
