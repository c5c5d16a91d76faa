import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recount } from '../../src/db/recount.js';
import type { ListPosts } from '../../src/posts/list/schema.js';
import type { Post } from '../../src/posts/schema.js';
import { ENGINES } from '../support/databases/fresh-databases.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { type Organization, type TestService, useService } from '../support/service/harness.js';
import {
  addPostIn,
  assertRefused,
  listIds,
  listPosts,
  readPost,
  STATUSES,
  setPost,
} from '../support/service/posts.js';

const PATH = '/api/v1/posts';
const NOON = Date.parse('2030-01-01T12:00:00Z');

onEngines('both', 'GET /api/v1/posts, filters', (engine) => {
  const service = useService(engine);

  for (const status of STATUSES)
    it(`shows only ${status} posts with status=${status}`, async () => {
      const org = await service.newOrganization();
      let wanted = '';
      for (const each of STATUSES) {
        const id = await addPostIn(service, org, each);
        if (each === status) wanted = id;
      }
      const { data, pagination } = await listPosts(org, { status });
      assert.deepEqual(
        data.map(({ id }) => id),
        [wanted],
      );
      assert.equal(pagination.total, 1);
    });

  it('combines several statuses, type and account as a plain filter over all posts would', async () => {
    const org = await service.newOrganization();
    const accounts = [await org.addAccount(), await org.addAccount()];
    const all = await mixedPosts(service, org, accounts);
    const statusFilters = [
      undefined,
      ...STATUSES,
      'draft,scheduled',
      'posted,archived',
      'archived,draft,publishing',
      'scheduled,scheduled',
      STATUSES.join(','),
    ];
    for (const status of statusFilters)
      for (const post_type of [undefined, 'slides', 'video'] as const)
        for (const social_account_id of [undefined, ...accounts]) {
          // Each combination on one of the engines.
          const combination = `${status} ${post_type} ${accounts.indexOf(social_account_id ?? '')}`;
          if (!everyday(1, ENGINES, combination).includes(engine)) continue;
          const expected = all.filter(
            (post) =>
              (!status || status.split(',').includes(post.status)) &&
              (!post_type || post.post_type === post_type) &&
              (!social_account_id || post.social_account_id === social_account_id),
          );
          const query = {
            ...(status ? { status } : {}),
            ...(post_type ? { post_type } : {}),
            ...(social_account_id ? { social_account_id } : {}),
          };
          await assertPages(org, query, expected, 5);
          // The same with the other query, which cannot use counters.
          await assertPages(org, { ...query, q: 'mixed' }, expected, 17);
        }
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
  });

  it('refuses a status, type or sort that does not exist', async () => {
    const org = await service.newOrganization();
    for (const status of [
      '',
      'Draft',
      'deleted',
      'draft,',
      ',draft',
      'draft,,posted',
      'draft,deleted',
      'draft;posted',
    ])
      assertRefused(await org.call('GET', `${PATH}?status=${status}`), 'status');
    for (const post_type of ['', 'photo', 'slides,video'])
      assertRefused(await org.call('GET', `${PATH}?post_type=${post_type}`), 'post_type');
    for (const sort of ['', 'status', '--title', '+title', 'last_slot', 'title,-created_at'])
      assertRefused(await org.call('GET', `${PATH}?sort=${sort}`), 'sort');
  });

  it('refuses an account that is unknown, foreign or not a UUID', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const foreign = [await other.addAccount(), await other.addAccount('disconnected')];
    for (const account of [service.app.newId(), ...foreign, 'x', ''])
      assertRefused(await org.call('GET', `${PATH}?social_account_id=${account}`), 'social_account_id');
  });

  it('takes an account that was disconnected, or waits to be reconnected: its posts are still there', async () => {
    const org = await service.newOrganization();
    for (const status of ['disconnected', 'reconnect_required'] as const) {
      const account = await org.addAccount(status);
      const id = await org.addPost();
      await setPost(service, id, { social_account_id: account });
      assert.deepEqual(await listIds(org, { social_account_id: account }), [id]);
      assert.deepEqual(await listIds(org, { social_account_id: account, q: 'post' }), [id]);
      assert.deepEqual(await listIds(org, { social_account_id: account, sort: 'scheduled_at' }), [id]);
    }
    assert.deepEqual(await listIds(org, { social_account_id: await org.addAccount('disconnected') }), []);
  });

  it('takes the id of an account in capitals', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const id = await org.addPost({ social_account_id: account });
    await org.addPost();
    assert.deepEqual(await listIds(org, { social_account_id: account.toUpperCase() }), [id]);
  });
});

/** Every status with every type and with each account or none, twice over; newest first. */
async function mixedPosts(service: TestService, org: Organization, accounts: string[]): Promise<Post[]> {
  const choices = [...accounts, null];
  const posts: Post[] = [];
  for (let i = 0; i < 60; i++) {
    const id = await org.addPost({ title: `Mixed ${i}`, post_type: i % 2 ? 'video' : 'slides' });
    const status = STATUSES[i % 5] as (typeof STATUSES)[number];
    // A scheduled post always has an account.
    const social_account_id = choices[i % (status === 'scheduled' ? 2 : 3)] as string | null;
    const slotted = status === 'scheduled';
    await setPost(service, id, {
      status,
      social_account_id,
      scheduled_at: slotted ? NOON : null,
      privacy_level: slotted ? 'SELF_ONLY' : null,
      posted_at: status === 'posted' || i % 10 === 4 ? NOON : null,
    });
    posts.unshift((await readPost(org, id)) as Post);
  }
  return posts;
}

/** All pages of a list together are exactly these posts, in this order. */
async function assertPages(
  org: Organization,
  query: ListPosts,
  expected: Post[],
  per_page: number,
): Promise<void> {
  const total_pages = Math.ceil(expected.length / per_page);
  const seen = [];
  for (let page = 1; page <= Math.max(1, total_pages); page++) {
    const { data, pagination } = await listPosts(org, { ...query, page, per_page });
    const wanted = { page, per_page, total: expected.length, total_pages };
    assert.deepEqual(pagination, wanted, JSON.stringify(query));
    seen.push(...data);
  }
  assert.deepEqual(seen, expected, JSON.stringify(query));
}
