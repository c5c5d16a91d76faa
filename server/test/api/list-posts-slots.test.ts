import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ListPosts } from '../../src/posts/list/schema.js';
import type { Post } from '../../src/posts/schema.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, type TestService, useService } from '../support/service/harness.js';
import {
  addPostIn,
  assertRefused,
  at,
  changePost,
  listIds,
  listPosts,
  setPost,
} from '../support/service/posts.js';

const PATH = '/api/v1/posts';
const NOON = Date.parse('2030-01-01T12:00:00Z');
const HOUR_MS = 3_600_000;

onEngines('sqlite', 'GET /api/v1/posts, slots', (engine) => {
  const service = useService(engine);

  it('shows slots from scheduled_from to scheduled_to, both included', async () => {
    const org = await service.newOrganization();
    const ids = await postsWithSlots(service, org, [0, 1, 2, 3]);
    await org.addPost();
    const [first, second, third, fourth] = ids as [string, string, string, string];
    const from = (hours: number) => ({ scheduled_from: at(NOON + hours * HOUR_MS) });
    const to = (hours: number) => ({ scheduled_to: at(NOON + hours * HOUR_MS) });
    assert.deepEqual(await listIds(org, from(2)), [fourth, third]);
    assert.deepEqual(await listIds(org, to(1)), [second, first]);
    assert.deepEqual(await listIds(org, { ...from(1), ...to(2) }), [third, second]);
    assert.deepEqual(await listIds(org, { ...from(1), ...to(1) }), [second]);
    assert.deepEqual(await listIds(org, { scheduled_from: at(NOON + 3 * HOUR_MS + 1000) }), []);
    assert.deepEqual(await listIds(org, { scheduled_to: at(NOON - 1000) }), []);
  });

  it('shows posts published from posted_from to posted_to, both included, by slot or by hand', async () => {
    const org = await service.newOrganization();
    const ids: string[] = [];
    for (const hour of [0, 1, 2, 3]) {
      const id = await addPostIn(service, org, 'posted', hour === 2 ? { caption: 'about maps' } : {});
      await setPost(service, id, {
        posted_at: NOON + hour * HOUR_MS,
        ...(hour % 2 ? { scheduled_at: NOON + 9 * HOUR_MS } : {}),
      });
      ids.push(id);
    }
    await org.addPost();
    const [, second, third, fourth] = ids as [string, string, string, string];
    const from = { posted_from: at(NOON + HOUR_MS) };
    assert.deepEqual(await listIds(org, from), [fourth, third, second]);
    assert.deepEqual(await listIds(org, { ...from, posted_to: at(NOON + 2 * HOUR_MS) }), [third, second]);
    assert.deepEqual(await listIds(org, { posted_to: at(NOON + HOUR_MS), scheduled_from: at(NOON) }), [
      second,
    ]);
    assert.deepEqual(await listIds(org, { posted_to: at(NOON - 1000) }), []);
    assert.deepEqual(await listIds(org, { ...from, q: 'maps', status: 'posted' }), [third]);
  });

  it('shows posts that lost their slot from last_slot_from to last_slot_to, both included', async () => {
    const org = await service.newOrganization();
    const ids: string[] = [];
    for (const hour of [0, 1, 2, 3]) {
      const id = await org.addPost(hour === 2 ? { caption: 'about maps' } : {});
      await setPost(service, id, { last_slot: NOON + hour * HOUR_MS });
      ids.push(id);
    }
    await postsWithSlots(service, org, [1]);
    const [first, second, third, fourth] = ids as [string, string, string, string];
    const from = { last_slot_from: at(NOON + HOUR_MS) };
    assert.deepEqual(await listIds(org, from), [fourth, third, second]);
    assert.deepEqual(await listIds(org, { ...from, last_slot_to: at(NOON + 2 * HOUR_MS) }), [third, second]);
    assert.deepEqual(await listIds(org, { last_slot_to: at(NOON), status: 'draft' }), [first]);
    assert.deepEqual(await listIds(org, { last_slot_to: at(NOON), status: 'posted' }), []);
    assert.deepEqual(await listIds(org, { ...from, q: 'maps' }), [third]);
    const [shown] = (await listPosts(org, { last_slot_to: at(NOON) })).data;
    assert.equal(shown?.last_slot, at(NOON));
  });

  it('reads scheduled_from and scheduled_to with any offset', async () => {
    const org = await service.newOrganization();
    const [id] = await postsWithSlots(service, org, [0]);
    for (const moment of [
      '2030-01-01T14:00:00+02:00',
      '2030-01-01T06:30:00-0530',
      '2030-01-01T12:00:00.000Z',
    ])
      assert.deepEqual(await listIds(org, { scheduled_from: moment, scheduled_to: moment }), [id]);
  });

  it('refuses a bound that is not a date-time with an offset', async () => {
    const org = await service.newOrganization();
    for (const name of ['scheduled', 'last_slot', 'posted'].flatMap((what) => [`${what}_from`, `${what}_to`]))
      for (const value of [
        '',
        'today',
        '2030-01-01',
        '2030-01-01T12:00:00',
        '2030-02-30T12:00:00Z',
        '1893499200',
      ])
        assertRefused(await org.call('GET', `${PATH}?${name}=${value}`), name);
  });

  it('puts the next slot first with sort=scheduled_at, and posts without one last', async () => {
    const org = await service.newOrganization();
    const none = await org.addPost();
    const [later, sooner, between] = await postsWithSlots(service, org, [5, 1, 3]);
    assert.deepEqual(await listIds(org, { sort: 'scheduled_at' }), [sooner, between, later, none]);
  });

  it('puts every post on exactly one page with sort=scheduled_at, even when slots are equal', async () => {
    const org = await service.newOrganization();
    const hours = [2, 1, 2, 1, 2, 2, 1];
    await postsWithSlots(service, org, hours);
    for (let i = 0; i < 3; i++) await org.addPost();
    const seen: Post[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { data, pagination } = await listPosts(org, { sort: 'scheduled_at', page, per_page: 3 });
      assert.deepEqual(pagination, { page, per_page: 3, total: 10, total_pages: 4 });
      seen.push(...(data as Post[]));
    }
    assert.equal(new Set(seen.map((post) => post.id)).size, 10);
    assert.deepEqual(
      seen.map((post) => post.scheduled_at),
      [...hours.sort().map((hour) => at(NOON + hour * HOUR_MS)), null, null, null],
    );
  });

  it('combines slots with status, type, account and words', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const ids = await postsWithSlots(service, org, [1, 2, 3, 4]);
    const [tooEarly, wanted, otherType, otherWords] = ids as [string, string, string, string];
    for (const id of ids) await setPost(service, id, { post_type: 'video', social_account_id: account });
    await setPost(service, otherType, { post_type: 'slides' });
    for (const id of [tooEarly, wanted, otherType]) await changePost(org, id, { caption: 'about maps' });
    await changePost(org, otherWords, { caption: 'about birds' });
    const query: ListPosts = {
      status: 'scheduled',
      post_type: 'video',
      social_account_id: account,
      q: 'maps',
      scheduled_from: at(NOON + 2 * HOUR_MS),
      scheduled_to: at(NOON + 4 * HOUR_MS),
      sort: 'scheduled_at',
    };
    assert.deepEqual(await listIds(org, query), [wanted]);
    assert.deepEqual(await listIds(org, { ...query, status: 'draft' }), []);
  });
});

/** Scheduled posts, so many hours after a fixed noon. */
async function postsWithSlots(service: TestService, org: Organization, hours: number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const hour of hours) {
    const id = await addPostIn(service, org, 'scheduled');
    await setPost(service, id, { scheduled_at: NOON + hour * HOUR_MS });
    ids.push(id);
  }
  return ids;
}
