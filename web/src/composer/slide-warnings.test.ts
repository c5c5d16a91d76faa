import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Asset } from '@airdate/sdk/core';
import type { Upload } from '../uploads/upload.js';
import { slideWarnings, warningFor } from './slide-warnings.js';

describe('the warning about a slide', () => {
  const of = (width: number, height: number) => warningFor(2, { width, height });

  it('names the slide and its size if it is too small', () => {
    assert.equal(of(200, 200), 'Slide 2 is 200 × 200. Use at least 540 × 960.');
    assert.equal(of(540, 959), 'Slide 2 is 540 × 959. Use at least 540 × 960.');
  });

  it('says what fills the screen if it is far from 9:16', () => {
    assert.match(of(1920, 1080) ?? '', /^Slide 2 is 1920 × 1080\. It won’t fill the screen/);
    assert.match(of(1200, 1200) ?? '', /won’t fill/);
    assert.match(of(1200, 700) ?? '', /won’t fill/);
    assert.match(of(600, 2400) ?? '', /won’t fill/);
  });

  it('is absent for common portrait sizes', () => {
    for (const [width, height] of [
      [540, 960],
      [1080, 1920],
      [1080, 1350],
      [1080, 1440],
      [1170, 2532],
    ] as const)
      assert.equal(of(width, height), undefined, `${width} × ${height}`);
  });

  it('counts a slide once that has arrived and is being put in its place', () => {
    const small = { width: 200, height: 200 };
    const asset = { object_key: 'a', ...small } as Asset;
    const upload = (object_key: string | null, more = {}) =>
      ({ state: 'checking', pixels: small, grant: object_key && { object_key }, ...more }) as Upload;
    const places = (...uploads: Upload[]) => slideWarnings([asset], uploads).map((text) => text.slice(0, 7));
    assert.deepEqual(places(upload('a')), ['Slide 1']);
    assert.deepEqual(places(upload('a'), upload('b'), upload(null)), ['Slide 1', 'Slide 2', 'Slide 3']);
    assert.deepEqual(places(upload('b', { insteadOf: 'a' })), ['Slide 1']);
  });
});
