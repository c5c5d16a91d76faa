import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '@airdate/sdk/core';
import {
  type BulkBody,
  type BulkEntry,
  backToSlots,
  draftBefore,
  refusalLines,
  scheduleSteps,
  sendSteps,
  stillScheduled,
  undoOfSchedule,
} from './bulk.js';

const post = (n: number, changes: Partial<Post> = {}): Post =>
  ({ id: `p${n}`, title: `Post ${n}`, status: 'draft', scheduled_at: null, ...changes }) as Post;
const many = (count: number) => Array.from({ length: count }, (_, n) => post(n));
const ids = (posts: { id: string }[]) => posts.map(({ id }) => id).join();
const errors = {
  messageOf: (error: unknown) => (error as Error).message,
  isRefusal: (error: unknown) => error instanceof RangeError,
};
const changed = async ({ ids }: BulkBody): Promise<BulkEntry[]> => ids.map((id) => ({ id, status: 200 }));
const problem = (code: string, more: object = {}) =>
  ({ type: '', title: 'No', status: 409, code, request_id: '', ...more }) as NonNullable<
    BulkEntry['problem']
  >;

describe('an action on many posts', () => {
  it('takes requests that the API accepts, each post with its own slot', async () => {
    const sent: BulkBody[] = [];
    const steps = scheduleSteps(
      many(101),
      ({ id }) => `slot of ${id}`,
      () => ({ publish_mode: 'inbox' }),
    );
    const { done } = await sendSteps(
      steps,
      (body) => {
        sent.push(body);
        return changed(body);
      },
      errors,
    );
    assert.equal(done.length, 101);
    assert.deepEqual(
      sent.map(({ ids, scheduled_at }) => [ids.length, scheduled_at?.length]),
      [
        [100, 100],
        [1, 1],
      ],
    );
    assert.deepEqual(sent[1]?.scheduled_at, ['slot of p100']);
  });

  it('says why one was refused, and what became of the others', async () => {
    const steps = [{ posts: many(4), body: { action: 'shift' as const, days: 1 } }];
    const shifted = post(0, { status: 'scheduled' });
    const refuse = async () => [
      { id: 'p0', status: 200, post: shifted },
      { id: 'p1', status: 409, problem: problem('wrong_state', { detail: 'A post that is draft …' }) },
      { id: 'p2', status: 404, problem: problem('not_found') },
      {
        id: 'p3',
        status: 400,
        problem: problem('validation_failed', {
          errors: [{ pointer: '/scheduled_at', message: 'must not be in the past' }],
        }),
      },
    ];
    const { done, refused, now } = await sendSteps(steps, refuse, errors);
    assert.equal(ids(done), 'p0');
    // As the answer shows it: the cards need not wait for the lists.
    assert.deepEqual(now, [shifted]);
    assert.deepEqual(refusalLines(refused), [
      '“Post 1”: Only scheduled posts can be moved.',
      '“Post 2”: It was deleted.',
      '“Post 3”: The time must not be in the past.',
    ]);
  });

  it('keeps what was done before a request failed, and sends nothing after it', async () => {
    let requests = 0;
    const fail = async (body: BulkBody) => {
      if (++requests === 2) throw new Error('Can’t reach Airdate.');
      return changed(body);
    };
    const steps = [{ posts: many(250), body: { action: 'delete' as const } }];
    const { done, refused } = await sendSteps(steps, fail, errors);
    assert.deepEqual([done.length, refused.length, requests], [100, 150, 2]);
    assert.match(refusalLines(refused)[0] ?? '', /“Post 104” and 145 more: Can’t reach Airdate\.$/);
  });

  it('undoes scheduling: drafts are drafts again, the others get their slots and choices back', () => {
    const moved = post(1, {
      status: 'scheduled',
      scheduled_at: '2026-12-01T09:00:00Z',
      social_account_id: 'a',
      privacy_level: 'SELF_ONLY',
      publish_mode: 'direct',
    });
    const [drafts, back] = undoOfSchedule([post(0), moved]);
    assert.deepEqual([ids(back?.posts ?? []), back?.body.scheduled_at], ['p1', ['2026-12-01T09:00:00Z']]);
    assert.equal(back?.body.privacy_level, 'SELF_ONLY');
    assert.deepEqual([ids(drafts?.posts ?? []), drafts?.body.action], ['p0', 'unschedule']);
  });

  it('makes drafts again of drafts that had a time, and restores that time while it is ahead', () => {
    const timed = post(0, { scheduled_at: '2026-12-01T09:00:00Z', social_account_id: null });
    const steps = undoOfSchedule([timed]);
    assert.deepEqual(
      steps.map(({ posts, body }) => [ids(posts), body.action]),
      [['p0', 'unschedule']],
    );
    const slot = Date.parse('2026-12-01T09:00:00Z');
    assert.equal(draftBefore(timed, slot).scheduled_at, '2026-12-01T09:00:00Z');
    assert.equal(draftBefore(timed, slot).social_account_id, null);
    assert.ok(!('scheduled_at' in draftBefore(timed, slot + 1)));
    assert.ok(!('scheduled_at' in draftBefore(post(1), 0)));
  });

  it('goes on after a request that was refused, such as for an account that is disconnected', async () => {
    const onAccount = (n: number, social_account_id: string) =>
      post(n, { status: 'scheduled', scheduled_at: '2026-12-01T09:00:00Z', social_account_id });
    const steps = undoOfSchedule([onAccount(0, 'gone'), onAccount(1, 'other'), post(2)]);
    const { done, refused } = await sendSteps(
      steps,
      async (body) => {
        if (body.social_account_id === 'gone') throw new RangeError('Reconnect it.');
        return changed(body);
      },
      errors,
    );
    assert.equal(ids(done), 'p2,p1');
    assert.deepEqual(refusalLines(refused), ['“Post 0”: Reconnect it.']);
  });

  it('undoes a move with the exact slots, and leaves alone what was unscheduled since', () => {
    // In Berlin the second 02:30 of the day, and a 02:30 whose next day has none.
    const slots = ['2026-10-25T01:30:00Z', '2027-03-27T01:30:00Z', '2026-12-01T09:00:00Z'];
    const before = slots.map((scheduled_at, n) => post(n, { status: 'scheduled', scheduled_at }));
    const now = before.map((each, n) => ({ ...each, status: n === 2 ? ('draft' as const) : each.status }));
    const { posts, refused } = stillScheduled(before, now);
    assert.deepEqual(backToSlots(posts), [
      { posts, body: { action: 'schedule', scheduled_at: slots.slice(0, 2) } },
    ]);
    assert.equal(ids(posts), 'p0,p1');
    assert.deepEqual(refusalLines(refused), ['“Post 2”: It’s no longer scheduled.']);
    const draft = post(3);
    assert.deepEqual(stillScheduled([draft], [draft]), { posts: [draft], refused: [] });
  });
});
