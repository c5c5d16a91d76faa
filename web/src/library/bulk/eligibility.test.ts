import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '@airdate/sdk/core';
import { examplePost } from '../../../test/example-post.js';
import { beforeDeleting, deletable, schedulable } from './eligibility.js';

const post = (n: number, changes: Partial<Post> = {}): Post =>
  examplePost({ id: `p${n}`, title: `Post ${n}`, ...changes });

describe('an action on a selection', () => {
  it('leaves out what can have no slot, and says why', () => {
    const drafts = [post(0), post(1, { status: 'scheduled' })];
    assert.deepEqual(schedulable(drafts), { posts: drafts, leftOut: null });
    const gone = post(2, { status: 'posted' });
    const one = schedulable([gone, ...drafts]);
    assert.deepEqual(one, { posts: drafts, leftOut: '“Post 2” is left out: it’s already posted.' });
    const others = [gone, post(3, { status: 'publishing' }), post(4, { status: 'posted' })];
    assert.equal(
      schedulable([...drafts, ...others]).leftOut,
      '3 posts are left out: 2 already posted, 1 being published.',
    );
    const unknown = post(5, { status: 'publishing', last_publish_error: 'No answer' });
    assert.equal(schedulable([unknown]).leftOut, '“Post 5” is left out: its outcome is unknown.');
    assert.equal(
      schedulable([gone, unknown]).leftOut,
      '2 posts are left out: 1 already posted, 1 with an unknown outcome.',
    );
  });

  it('deletes drafts and archived posts, and names those that stay', () => {
    const going = [post(0), post(1, { status: 'archived' })];
    assert.deepEqual(deletable(going), { posts: going, excluded: { posts: [], lines: [] } });
    const staying = [
      post(2, { status: 'scheduled' }),
      post(3, { status: 'publishing', last_publish_error: 'No answer' }),
      post(4, { status: 'scheduled' }),
      post(5, { status: 'posted' }),
    ];
    assert.deepEqual(deletable([...staying, ...going]), {
      posts: going,
      excluded: {
        posts: staying,
        lines: [
          'Scheduled: “Post 2”, “Post 4”. Archive them first.',
          'Outcome unknown: “Post 3”. Resolve it first.',
          'Posted: “Post 5”. Archive it first.',
        ],
      },
    });
    assert.equal(beforeDeleting(staying), 'None of them can be deleted yet.');
    assert.equal(beforeDeleting(staying.slice(0, 1)), 'To delete it: archive it first.');
  });
});
