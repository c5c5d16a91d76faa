import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearestColumn } from './columns.js';

describe('a misspelt column', () => {
  it('is known by one or two letters', () => {
    for (const [typed, meant] of [
      ['titel', 'title'],
      ['tile', 'title'],
      ['shedule_at', 'scheduled_at'],
      ['scheduled at', 'scheduled_at'],
      ['hash-tags', 'hashtags'],
      ['captions', 'caption'],
      ['label', 'labels'],
      ['post-type', 'post_type'],
    ])
      assert.equal(nearestColumn(typed ?? ''), meant, typed);
  });

  it('is not guessed from little', () => {
    for (const typed of ['notes', 'ab', 'views', 'x'.repeat(60)])
      assert.equal(nearestColumn(typed), null, typed);
  });
});
