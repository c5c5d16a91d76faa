import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '@airdate/sdk/core';
import { examplePost, exampleProblem } from '../../test/example-post.js';
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
      readiness: { ready: false, problems: [exampleProblem('no_media', 'Add at least one slide.')] },
    });
    const day = [item('a', '08:00'), item('b', '09:00'), item('c', '10:00'), willFail, failed('e', '12:00')];
    assert.deepEqual(shown(stacksOf('month', day)), ['d', 'e', 'a', 'b', 'c']);
  });

  it('of a full day show what still goes out before what is out', () => {
    const out = ['a', 'b', 'c'].map((id, i) => item(id, `0${i + 1}:00`, { status: 'posted' }));
    const day = [...out, item('d', '18:00'), failed('e', '19:00')];
    assert.deepEqual(shown(stacksOf('month', day)), ['e', 'd', 'a', 'b', 'c']);
  });

  it('of a day with one or two posts have two lines for a title', () => {
    const day = [item('a', '08:00'), item('b', '09:00'), item('c', '10:00')];
    const roomy = (items: Item[]) => stacksOf('month', items).map(({ isRoomy }) => isRoomy);
    assert.deepEqual(
      [roomy(day.slice(0, 2)), roomy(day)],
      [
        [true, true],
        [false, false, false],
      ],
    );
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

  it('are at most two side by side in the week; the rest share one of them', () => {
    const day = [item('a', '09:00'), item('b', '09:30'), item('c', '09:45'), item('d', '10:00')];
    assert.deepEqual(shown(stacksOf('week', day)), ['a', 'b+c', 'd']);
    assert.deepEqual(shown(stacksOf('week', [...day, item('e', '10:10')])), ['a', 'b+c+e', 'd']);
  });

  it('give a chip to what failed or will fail before any other post', () => {
    const day = [item('a', '09:30'), item('b', '10:00'), item('c', '10:00'), failed('d', '10:20')];
    assert.deepEqual(shown(stacksOf('week', day)), ['a+b+c', 'd']);
    const hidden = [item('a', '09:30'), item('b', '10:00'), failed('c', '10:00'), item('d', '10:20')];
    assert.deepEqual(shown(stacksOf('week', hidden)), ['a+b+d', 'c']);
  });

  it('show each post of a week once, and never three side by side, whatever its times are', () => {
    let seed = 1;
    const below = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    for (let round = 0; round < 300; round++) {
      const times = Array.from({ length: 12 }, () => 8 * 60 + below(180)).sort((a, b) => a - b);
      const day = times.map((minute, i) => {
        const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
        return below(3) === 0 ? failed(`p${i}`, time) : item(`p${i}`, time);
      });
      const stacks = stacksOf('week', day);
      const posts = stacks.flatMap(({ items }) => items.map(({ post }) => post.id));
      assert.deepEqual(posts.sort(), day.map(({ post }) => post.id).sort());
      const starts = stacks.map(({ at }) => Date.parse(at) / 60_000).sort((a, b) => a - b);
      for (const [i, start] of starts.entries())
        assert.ok((starts[i + 2] ?? Infinity) - start >= 58, `three at once in round ${round}: ${times}`);
    }
  });
});
