// Every order of the list, by pages and by cursor, against a sort of all posts here.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { type ListPosts, SORTS } from '../../src/posts/list/schema.js';
import { titleKey } from '../../src/posts/text-keys.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { assertRefused, at, listPosts, setPost } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const PATH = '/api/v1/posts';
const FIRST = Date.parse('2030-01-01T00:00:00Z');
const MINUTE_MS = 60_000;
const POSTS = 36;

type Posts = Awaited<ReturnType<typeof listPosts>>['data'];

onEngines('both', 'GET /api/v1/posts by every order', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  let org: Organization;
  let account: string;
  let label: string;
  let all: Posts;

  before(async () => {
    org = await service.newOrganization();
    account = await org.addAccount();
    label = (await org.sdk.labels.create({ name: 'Maps', colour: 'red' })).id;
    const statuses = ['draft', 'scheduled', 'posted', 'posted', 'archived'] as const;
    for (let n = 0; n < POSTS; n++) {
      const status = statuses[n % statuses.length] as (typeof statuses)[number];
      const id = await org.addPost({
        title: `${['b', 'A', 'ä', 'c'][n % 4]} ${n % 6 === 0 ? 'harbour' : 'ridge'}`,
        post_type: n % 3 === 0 ? 'video' : 'slides',
        ...(n % 2 === 0 ? { social_account_id: account } : {}),
        ...(n % 3 === 1 ? { labels: [label] } : {}),
      });
      const time = (period: number) => FIRST + (n % period) * MINUTE_MS;
      await setPost(service, id, {
        status,
        created_at: time(9),
        updated_at: time(11),
        social_account_id: n % 2 === 0 || status === 'scheduled' ? account : null,
        ...(status === 'scheduled' ? { scheduled_at: time(3), privacy_level: 'SELF_ONLY' } : {}),
        ...(status === 'posted' ? { posted_at: time(5) } : {}),
      });
      await service.app.db.transact((tx) =>
        tx
          .updateTable('post_labels')
          .set({ created_at: time(9) })
          .where('post_id', '=', id)
          .execute(),
      );
    }
    all = (await listPosts(org, { per_page: 100 })).data;
    assert.equal(all.length, POSTS);
  });

  function sorted(posts: Posts, sort: (typeof SORTS)[number]): string[] {
    const sign = sort.startsWith('-') ? -1 : 1;
    const field = sort.replace('-', '') as 'created_at' | 'title';
    const shownBy = (post: Posts[number]) => (field === 'title' ? titleKey(post.title ?? '') : post[field]);
    const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    return [...posts]
      .sort((a, b) => {
        const [one, other] = [shownBy(a), shownBy(b)];
        if (one === null || other === null)
          return Number(one === null) - Number(other === null) || sign * compare(a.id, b.id);
        return sign * (compare(one, other) || compare(a.id, b.id));
      })
      .map(({ id }) => id);
  }

  async function walk(query: ListPosts): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof listPosts>> = await listPosts(org, { ...query, cursor });
      assert.ok(page.data.length > 0 || ids.length === 0, 'only an empty list has an empty page');
      assert.equal(page.pagination.page, 1);
      ids.push(...page.data.map(({ id }) => id));
      assert.notEqual(page.next_cursor, undefined);
      cursor = page.next_cursor ?? null;
      assert.ok(ids.length <= POSTS, 'the cursor goes in circles');
    }
    return ids;
  }

  async function pages(query: ListPosts): Promise<string[]> {
    const ids: string[] = [];
    for (let page = 1; ; page++) {
      const { data, pagination, ...rest } = await listPosts(org, { ...query, page });
      assert.deepEqual(rest, {});
      ids.push(...data.map(({ id }) => id));
      if (page >= pagination.total_pages) {
        assert.equal(ids.length, pagination.total);
        return ids;
      }
    }
  }

  const [from, to] = [at(FIRST + 2 * MINUTE_MS), at(FIRST + 6 * MINUTE_MS)];
  const within = (value: string | null) => value !== null && value >= from && value <= to;
  const filters = (): [what: string, query: ListPosts, isWanted: (post: Posts[number]) => boolean][] => [
    ['of everything', {}, () => true],
    [
      'of some statuses and a type',
      { status: 'posted,draft', post_type: 'slides' },
      (post) => ['posted', 'draft'].includes(post.status) && post.post_type === 'slides',
    ],
    ['of an account', { social_account_id: account }, (post) => post.social_account_id === account],
    ['of a time of creation', { created_from: from, created_to: to }, (post) => within(post.created_at)],
    ['of a time of change', { updated_from: from, updated_to: to }, (post) => within(post.updated_at)],
    [
      'of a time of publication and an account',
      { posted_from: from, posted_to: to, social_account_id: account },
      (post) => within(post.posted_at) && post.social_account_id === account,
    ],
    [
      'of two times',
      { updated_from: from, created_to: to },
      (post) => post.updated_at >= from && post.created_at <= to,
    ],
    ['of a label', { label }, (post) => post.labels.includes(label)],
    [
      'of a label and a time of change',
      { label, updated_from: from },
      (post) => post.labels.includes(label) && post.updated_at >= from,
    ],
    ['that contains a word', { q: 'harbour' }, (post) => post.title?.includes('harbour') ?? false],
    [
      'that contains a word and has a time of change',
      { q: 'ridge', updated_to: to },
      (post) => (post.title?.includes('ridge') ?? false) && post.updated_at <= to,
    ],
  ];

  for (const sort of SORTS)
    it(`${sort}: pages and cursors show every wanted post once, those without the value last`, async () => {
      for (const [what, query, isWanted] of everyday(4, filters(), sort)) {
        const wanted = sorted(all.filter(isWanted), sort);
        assert.ok(wanted.length > 3, what);
        assert.deepEqual(await pages({ ...query, sort, per_page: 7 }), wanted, what);
        assert.deepEqual(await walk({ ...query, sort, per_page: 4 }), wanted, what);
      }
    });

  it('goes on behind the last post of a page, whatever is created or deleted meanwhile', async () => {
    const other = await service.newOrganization();
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.unshift(await other.addPost());
    const first = await listPosts(other, { cursor: '', per_page: 2 });
    await other.addPost();
    await other.call('DELETE', `${PATH}/${ids[1]}`);
    const second = await listPosts(other, { cursor: first.next_cursor ?? '', per_page: 3 });
    assert.deepEqual(
      second.data.map(({ id }) => id),
      ids.slice(2, 5),
    );
    assert.equal(second.pagination.total, 6);
  });

  it('answers the same bytes and ETag for the same cursor, while nothing has changed', async () => {
    const path = `${PATH}?sort=title&per_page=2&cursor=`;
    const first = await org.call('GET', path);
    const next = `${path}${first.json.next_cursor}`;
    const [one, two] = [await org.call('GET', next), await org.call('GET', next)];
    assert.equal(one.text, two.text);
    assert.equal(one.headers.get('etag'), two.headers.get('etag'));
  });

  it('refuses a cursor that it did not give out for this list', async () => {
    const { next_cursor: cursor } = await listPosts(org, { cursor: '', per_page: 2 });
    assert.ok(cursor);
    const refused = async (query: string, name = 'cursor') =>
      assertRefused(await org.call('GET', `${PATH}?${query}`), name);
    const tampered = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`;
    for (const wrong of ['x', '5', cursor.slice(0, -4), `${cursor}=`, `A${cursor}`, tampered])
      await refused(`cursor=${encodeURIComponent(wrong)}`);
    await refused(`cursor=${cursor}&sort=title`);
    await refused(`cursor=${cursor}&status=draft`);
    await refused(`cursor=${cursor}&page=2`, 'page');
    await refused(`cursor=&page=2`, 'page');
    const other = await service.newOrganization();
    assertRefused(await other.call('GET', `${PATH}?cursor=${cursor}`), 'cursor');
    const more = await org.call('GET', `${PATH}?cursor=${cursor}&per_page=50&include=cover`);
    assert.equal(more.json.data.length, POSTS - 2);
  });
});
