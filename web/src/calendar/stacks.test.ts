import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '@airdate/sdk';
import { examplePost } from '../publish/example-post.js';
import type { Item } from './items.js';
import { type Stack, stacksOf } from './stacks.js';

const item = (id: string, time: string, changes: Partial<Post> = {}): Item => ({
  post: examplePost({ id, status: 'scheduled', ...changes }),
  at: new Date(`2026-11-18T${time}:00`).toISOString(),
});

const failed = (id: string, time: string) =>
  item(id, time, { status: 'draft', last_publish_error: 'No (internal)' });

const shown = (stacks: Stack[]) =>
  stacks.toSorted((a, b) => a.rank - b.rank).map(({ items }) => items.map(({ post }) => post.id).join('+'));

describe('the chips of the calendar', () => {
  it('of a full day begin with what failed or will fail', () => {
    const willFail = item('d', '11:00', {
      readiness: { ready: false, problems: [{ code: 'no_media', message: 'Add at least one slide.' }] },
    });
    const day = [item('a', '08:00'), item('b', '09:00'), item('c', '10:00'), willFail, failed('e', '12:00')];
    assert.deepEqual(shown(stacksOf('month', day)), ['d', 'e', 'a', 'b', 'c']);
  });

  it('of any other day are in the order of their times', () => {
    const day = [item('a', '08:00'), item('b', '09:00'), failed('c', '10:00')];
    assert.deepEqual(shown(stacksOf('month', day)), ['a', 'b', 'c']);
  });

  it('are one for all posts that the week has at the same minute', () => {
    const day = [item('a', '09:00'), item('b', '09:00'), failed('c', '09:00'), item('d', '09:01')];
    assert.deepEqual(shown(stacksOf('week', day)), ['a+b+c', 'd']);
    assert.deepEqual(shown(stacksOf('month', day)), ['c', 'a', 'b', 'd']);
  });
});
