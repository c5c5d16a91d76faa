import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unknownIn } from './label.js';

it('labels that the dashboard does not know are named once, whatever the order of the posts', () => {
  const posts = [{ labels: ['z', 'known'] }, { labels: [] }, { labels: ['a', 'z'] }];
  const known = new Set(['known', 'unused']);
  assert.deepEqual(unknownIn(posts, known), ['a', 'z']);
  assert.deepEqual(unknownIn(posts.reverse(), known), ['a', 'z']);
  assert.deepEqual(unknownIn(posts, new Set(['a', 'known', 'z'])), []);
});
