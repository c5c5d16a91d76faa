import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Figures, figuresOf } from './figures.js';
import { DAY_MS, HOUR_MS } from './platform.js';

const POSTS = Array.from({ length: 200 }, (_, i) => `7${String(i).padStart(18, '0')}`);
const NAMES = [
  'view_count',
  'like_count',
  'comment_count',
  'share_count',
] as const satisfies (keyof Figures)[];

describe('the figures of a post', () => {
  it('start at nothing, and never shrink', () => {
    for (const id of POSTS) {
      let before = figuresOf(id, 0);
      assert.deepEqual(Object.values(before), [0, 0, 0, 0]);
      for (let age = HOUR_MS; age < 400 * DAY_MS; age *= 1.5) {
        const now = figuresOf(id, age);
        for (const name of NAMES) assert.ok(now[name] >= before[name], `${name} of ${id}`);
        before = now;
      }
    }
  });

  it('are plausible: viewed after a day, most in the first week, and fewer likes than views', () => {
    for (const id of POSTS) {
      const [day, week, month] = [1, 7, 30].map((n) => figuresOf(id, n * DAY_MS)) as [
        Figures,
        Figures,
        Figures,
      ];
      assert.ok(day.view_count > 20 && month.view_count < 100_000);
      assert.ok(week.view_count > 0.8 * month.view_count);
      assert.ok(week.like_count < 0.13 * week.view_count && week.comment_count < week.like_count);
    }
    assert.ok(new Set(POSTS.map((id) => figuresOf(id, DAY_MS).view_count)).size > 50);
  });

  it('are the same whenever they are read', () => {
    for (const id of POSTS) assert.deepEqual(figuresOf(id, DAY_MS), figuresOf(id, DAY_MS));
  });

  it('of a post from the future are nothing', () => {
    assert.equal(figuresOf('7', -HOUR_MS).view_count, 0);
  });
});
