import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import type { ListPosts } from '../../src/posts/list/schema.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  addPostIn,
  assertRefused,
  changePost,
  listIds,
  listPosts,
  POST_FIELDS,
  readPost,
  STATUSES,
  setPost,
  TIMESTAMP,
} from '../support/service/posts.js';

const PATH = '/api/v1/posts';
const NOON = Date.parse('2030-01-01T12:00:00Z');
const HOUR_MS = 3_600_000;

onEngines('postgres', 'GET /api/v1/posts', (engine) => {
  const service = useService(engine);
  afterEach(() => service.clock.resume());

  it('is an empty page for an organization without posts', async () => {
    const org = await service.newOrganization();
    const { status, json } = await org.call('GET', PATH);
    assert.equal(status, 200);
    assert.deepEqual(json, { data: [], pagination: { page: 1, per_page: 20, total: 0, total_pages: 0 } });
  });

  it('shows whole posts, each exactly as GET returns it', async () => {
    const org = await service.newOrganization();
    for (const status of STATUSES) await addPostIn(service, org, status, { caption: status });
    const { data } = await listPosts(org);
    assert.equal(data.length, STATUSES.length);
    for (const post of data) {
      assert.deepEqual(Object.keys(post).sort(), [...POST_FIELDS].sort());
      assert.match(post.created_at, TIMESTAMP);
      assert.deepEqual(post, await readPost(org, post.id));
    }
  });

  it('shows every post without a filter, archived ones included', async () => {
    const org = await service.newOrganization();
    for (const status of STATUSES) await addPostIn(service, org, status);
    const { data, pagination } = await listPosts(org);
    assert.deepEqual(data.map((post) => post.status).sort(), [...STATUSES].sort());
    assert.equal(pagination.total, 5);
  });

  it('puts the newest first by created_at, and by id if those are equal', async () => {
    const org = await service.newOrganization();
    const ids: string[] = [];
    for (const ms of [NOON, NOON, NOON - HOUR_MS, NOON + 1, NOON]) {
      service.clock.stopAt(ms);
      ids.push(await org.addPost());
    }
    const [a, b, oldest, newest, c] = ids as [string, string, string, string, string];
    const expected = [newest, c, b, a, oldest];
    assert.deepEqual(await listIds(org), expected);
    assert.deepEqual(await listIds(org, { sort: '-created_at' }), expected);
    assert.deepEqual(await listIds(org, { status: 'draft' }), expected);
    assert.deepEqual(await listIds(org, { q: 'post' }), expected);
  });

  it('orders a whole page of posts with equal created_at by id, of one kind or of several', async () => {
    service.clock.stopAt(NOON);
    const org = await service.newOrganization();
    const ids: string[] = [];
    for (let i = 0; i < 40; i++) ids.unshift(await org.addPost({ post_type: i % 3 ? 'slides' : 'video' }));
    const queries: ListPosts[] = [{}, { status: 'draft' }, { q: 'post' }];
    for (const query of queries) assert.deepEqual(await listIds(org, { ...query, per_page: 100 }), ids);
  });

  it('keeps that order when a post changes', async () => {
    const org = await service.newOrganization();
    const ids = [await org.addPost(), await org.addPost()];
    await changePost(org, ids[0] as string, { title: 'Changed' });
    assert.deepEqual(await listIds(org), ids.reverse());
  });

  it('never shows or counts a post of another organization', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const own = await org.addPost();
    for (const status of STATUSES) await addPostIn(service, other, status);
    const failed = await other.addPost();
    await setPost(service, failed, { last_publish_error: 'Refused (spam_risk)' });
    assert.deepEqual(await listIds(org), [own]);
    const queries: [ListPosts, number][] = [
      [{}, 1],
      [{ status: 'draft' }, 1],
      [{ status: 'scheduled,publishing,posted,archived' }, 0],
      [{ q: 'post' }, 1],
      [{ sort: 'scheduled_at' }, 1],
      [{ scheduled_from: '2000-01-01T00:00:00Z' }, 0],
      [{ needs_attention: true }, 0],
    ];
    for (const [query, total] of queries) assert.equal((await listPosts(org, query)).pagination.total, total);
  });
});

onEngines('sqlite', 'GET /api/v1/posts, pages', (engine) => {
  const service = useService(engine);

  it('has 20 posts on the first page unless asked otherwise', async () => {
    const org = await service.newOrganization();
    for (let i = 0; i < 21; i++) await org.addPost();
    const { data, pagination } = await listPosts(org);
    assert.equal(data.length, 20);
    assert.deepEqual(pagination, { page: 1, per_page: 20, total: 21, total_pages: 2 });
  });

  it('puts every post on exactly one page, and is empty after the last', async () => {
    const org = await service.newOrganization();
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift(await org.addPost());
    for (const per_page of [1, 2, 3, 6, 7, 8, 100]) {
      const total_pages = Math.ceil(7 / per_page);
      const seen: string[] = [];
      for (let page = 1; page <= total_pages + 1; page++) {
        const { data, pagination } = await listPosts(org, { page, per_page });
        assert.deepEqual(pagination, { page, per_page, total: 7, total_pages });
        assert.equal(data.length, Math.max(0, Math.min(per_page, 7 - (page - 1) * per_page)));
        seen.push(...data.map((post) => post.id));
      }
      assert.deepEqual(seen, ids);
    }
  });

  for (const [name, least, most] of [
    ['page', 1, 1000],
    ['per_page', 1, 100],
  ] as const)
    it(`takes a ${name} of ${least} to ${most} and refuses values outside instead of clamping them`, async () => {
      const org = await service.newOrganization();
      for (const value of [least, most])
        assert.equal((await listPosts(org, { [name]: value })).pagination[name], value);
      for (const value of [least - 1, most + 1, -1, 1e15])
        assertRefused(await org.call('GET', `${PATH}?${name}=${value}`), name);
    });

  it('refuses a page that is not a whole number', async () => {
    const org = await service.newOrganization();
    for (const name of ['page', 'per_page'])
      for (const value of ['', 'x', '1.5', '1e1', '0x1', 'NaN', '1,2', '%201'])
        assertRefused(await org.call('GET', `${PATH}?${name}=${value}`), name);
  });

  it('names an unknown parameter', async () => {
    const org = await service.newOrganization();
    for (const name of ['limit', 'Status', 'per-page', 'constructor'])
      assertRefused(await org.call('GET', `${PATH}?${name}=1`), name);
  });

  it('refuses a parameter that is sent twice', async () => {
    const org = await service.newOrganization();
    assertRefused(await org.call('GET', `${PATH}?status=draft&status=posted`), 'status');
    assertRefused(await org.call('GET', `${PATH}?page=1&page=2`), 'page');
  });

  it('names every broken parameter at once', async () => {
    const org = await service.newOrganization();
    const answer = await org.call(
      'GET',
      `${PATH}?page=0&per_page=101&status=x&post_type=x&sort=x&colour=red`,
    );
    assertRefused(answer, 'page', 'per_page', 'status', 'post_type', 'sort', 'colour');
  });
});
