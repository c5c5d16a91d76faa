import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleAttempt, examplePost } from '../../test/example-post.js';
import { placeAtLastAttempt } from './attempt-day.js';

const attempt = (post_id: string, started_at: string) => exampleAttempt({ post_id, started_at });
const END = '2026-11-30T23:59:59Z';

describe('a post that was published at once without success', () => {
  it('is on the day of its last attempt, and only there', () => {
    const posts = ['a', 'b', 'c'].map((id) => examplePost({ id }));
    const attempts = [
      attempt('b', '2026-12-01T08:00:00Z'),
      attempt('a', '2026-11-17T10:48:00Z'),
      attempt('b', '2026-11-16T08:00:00Z'),
      attempt('a', '2026-11-12T08:00:00Z'),
    ];
    assert.deepEqual(
      placeAtLastAttempt(posts, attempts, END).map(({ post, at }) => [post.id, at]),
      [['a', '2026-11-17T10:48:00Z']],
    );
  });
});
