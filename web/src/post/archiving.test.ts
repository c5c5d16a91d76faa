import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '@airdate/sdk/core';
import { MAX_PER_REQUEST, outcomeOf, runInBatches, slotsOf, undoneOf } from './archiving.js';

const post = (n: number, changes: Partial<Post> = {}): Post =>
  ({ id: `p${n}`, title: `Post ${n}`, status: 'draft', scheduled_at: null, ...changes }) as Post;
const many = (count: number) => Array.from({ length: count }, (_, n) => post(n));
const scheduled = (n: number, scheduled_at: string) => post(n, { status: 'scheduled', scheduled_at });
const asListed = async (one: Post) => one;

describe('archiving many posts', () => {
  it('goes in batches that the API takes, each read again just before', async () => {
    const steps: string[] = [];
    const { done, problem } = await runInBatches(many(MAX_PER_REQUEST + 2), {
      reread: async (one) => {
        steps.push(one.id);
        return one;
      },
      act: async (ids) => steps.push(`archive ${ids.length}`),
    });
    assert.equal(problem, undefined);
    assert.equal(done.length, MAX_PER_REQUEST + 2);
    assert.deepEqual(steps.slice(MAX_PER_REQUEST - 1), [
      `p${MAX_PER_REQUEST - 1}`,
      'archive 50',
      `p${MAX_PER_REQUEST}`,
      `p${MAX_PER_REQUEST + 1}`,
      'archive 2',
    ]);
  });

  it('remembers each as it was just before, and none that was gone', async () => {
    const now = new Map([
      ['p0', scheduled(0, '2026-12-02T09:00:00Z')],
      ['p1', post(1)],
    ]);
    const { done } = await runInBatches(
      [scheduled(0, '2026-12-01T09:00:00Z'), scheduled(1, '2026-12-01T10:00:00Z'), post(2)],
      {
        reread: async ({ id }) => now.get(id) ?? null,
        act: async () => {},
      },
    );
    assert.deepEqual(
      slotsOf(done).map(({ post: { id }, scheduled_at }) => [id, scheduled_at]),
      [['p0', '2026-12-02T09:00:00Z']],
    );
    assert.deepEqual(
      done.map(({ id }) => id),
      ['p0', 'p1'],
    );
  });

  it('says what was done before a batch failed, and why, and goes no further', async () => {
    const refusal = new Error('not today');
    let batches = 0;
    const { done, problem } = await runInBatches(many(3 * MAX_PER_REQUEST), {
      reread: asListed,
      act: async () => {
        if (++batches === 2) throw refusal;
      },
    });
    assert.equal(problem, refusal);
    assert.deepEqual(
      done.map(({ id }) => id),
      many(MAX_PER_REQUEST).map(({ id }) => id),
    );
    assert.equal(batches, 2);
  });

  it('archives nothing of a batch that could not be read', async () => {
    const acted: string[][] = [];
    const { done, problem } = await runInBatches(many(3), {
      reread: async () => {
        throw new Error('away');
      },
      act: async (ids) => acted.push(ids),
    });
    assert.ok(problem instanceof Error);
    assert.deepEqual([done, acted], [[], []]);
  });
});

describe('what is said of it', () => {
  it('names one post, counts several, and tells of the slots that went', () => {
    const slot = scheduled(1, '2026-12-01T09:00:00Z');
    assert.equal(outcomeOf([post(7)], 'archive'), '“Post 7” archived.');
    assert.equal(outcomeOf([slot], 'archive'), '“Post 1” archived and unscheduled. Undo schedules it again.');
    assert.equal(
      outcomeOf([post(7), slot], 'archive'),
      '2 posts archived, and one unscheduled. Undo schedules it again.',
    );
    assert.equal(outcomeOf([slot, slot], 'unarchive'), '2 posts unarchived.');
  });

  it('says what Undo has done', () => {
    assert.equal(undoneOf([post(7)], 'archive', 0), '“Post 7” restored.');
    assert.equal(undoneOf([post(7)], 'archive', 1), '“Post 7” restored and scheduled again.');
    assert.equal(undoneOf(many(3), 'archive', 1), '3 posts restored, 1 scheduled again.');
    assert.equal(undoneOf([post(7)], 'unarchive', 0), '“Post 7” archived again.');
  });
});
