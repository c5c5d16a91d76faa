// The guide about the SDK has every method, and each that stands for an operation leads to its section of the reference.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Airdate } from '@airdate/sdk';

const PAGE = readFileSync(new URL('../../../../docs/dist/site/sdk.md', import.meta.url), 'utf8');
const ROW = /^\| `([\w.]+)` \| \[.+\]\(\/docs\/api\/[\w-]+\.md#.+\) \|$/gm;

/** What they have in common is no method for users. */
const isResource = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'onePage' in value;

function methodsOf(part: object, prefix: string): string[] {
  const names: string[] = [];
  for (
    let own = Object.getPrototypeOf(part);
    !Object.hasOwn(own, 'onePage');
    own = Object.getPrototypeOf(own)
  )
    names.push(...Object.getOwnPropertyNames(own).filter((name) => name !== 'constructor'));
  return [...names.map((name) => prefix + name), ...resourcesIn(part, prefix)];
}

const resourcesIn = (part: object, prefix = ''): string[] =>
  Object.entries(part).flatMap(([name, value]) =>
    isResource(value) ? methodsOf(value, `${prefix}${name}.`) : [],
  );

describe('the guide about the SDK', () => {
  const methods = resourcesIn(new Airdate({ url: 'http://localhost', apiKey: 'ad_none' }));
  const rows = [...PAGE.matchAll(ROW)].map(([, name]) => name);

  it('has a row for every method that makes one request, and a word about the others', () => {
    assert.ok(methods.length > 80, `${methods.length} methods`);
    const [, others = ''] = PAGE.split('Some do more than one request');
    const missing = methods.filter((name) => !rows.includes(name) && !others.includes(`\`${name}\``));
    assert.deepEqual(missing, [], 'see METHODS in docs/src/samples/typescript.ts, and docs/guides/sdk.md');
  });

  it('has no method that does not exist, and none twice', () => {
    assert.deepEqual(
      rows.filter((name, n) => !methods.includes(name as string) || rows.indexOf(name) !== n),
      [],
    );
  });
});
