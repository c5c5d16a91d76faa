import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ownUrl } from './own-path.js';

const ORIGIN = 'https://airdate.example.com';
const SCREENS = ['/', '/library', '/posts/new', '/posts/$postId', '/posts/$postId/edit', '/$'];
const FOREIGN: string[] = JSON.parse(
  readFileSync(new URL('../../../src/text/foreign-urls.json', import.meta.url), 'utf8'),
);

describe('a URL that comes from outside', () => {
  it('is followed if it is a screen, with its parameters', () => {
    for (const url of [
      '/library',
      '/library?status=draft&q=%2F%2Fx',
      '/posts/01a-b_c/edit#media',
      '/library#//x',
    ])
      assert.equal(ownUrl(url, SCREENS, ORIGIN), ORIGIN + url);
  });

  it('is ignored in every other spelling', () => {
    assert.ok(FOREIGN.length >= 60);
    for (const url of FOREIGN) assert.equal(ownUrl(url, SCREENS, ORIGIN), null, JSON.stringify(url));
  });

  it('is ignored if it is a path but no screen, or too long, or absent', () => {
    for (const url of ['/api/v1/me', '/docs', '/library/x', '/posts', '/x', '/library/', '', undefined])
      assert.equal(ownUrl(url, SCREENS, ORIGIN), null, url);
    assert.equal(ownUrl(`/library?q=${'x'.repeat(2_000)}`, SCREENS, ORIGIN), null);
  });
});
