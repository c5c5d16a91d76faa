import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ListPosts } from '../../src/posts/list/schema.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { addPostIn, archive, changePost, listIds, listPosts, setPost } from '../support/service/posts.js';

const NOON = Date.parse('2030-01-01T12:00:00Z');
const HOUR_MS = 3_600_000;

onEngines('both', 'GET /api/v1/posts, sorted', (engine) => {
  const service = useService(engine);

  const titlesOf = async (org: Parameters<typeof listPosts>[0], query: ListPosts = {}) =>
    (await listPosts(org, { sort: 'title', per_page: 100, ...query })).data.map(({ title }) => title);

  /** In the order that both engines give them. */
  const TITLES = [
    '"Quoted"',
    '10 maps',
    '2 maps',
    'ångström',
    'Apple',
    'apple pie',
    'École',
    'ecole normale',
    'STRASSE a',
    'straße b',
    'zebra',
    'Zödland',
    'Ωmega',
    'Яблоко',
    '地図',
    '🧭 compass',
  ];

  it('sorts by title without regard to case and accents, in the same order on both engines', async () => {
    const org = await service.newOrganization();
    for (const title of [...TITLES].reverse()) await org.addPost({ title });
    assert.deepEqual(await titlesOf(org), TITLES);
    assert.deepEqual(await titlesOf(org, { q: 'map' }), ['10 maps', '2 maps']);
    assert.deepEqual(await titlesOf(org, { q: 'z' }), ['zebra', 'Zödland']);
  });

  it('follows a changed title', async () => {
    const org = await service.newOrganization();
    const [first, second] = [await org.addPost({ title: 'A' }), await org.addPost({ title: 'B' })];
    assert.deepEqual(await listIds(org, { sort: 'title' }), [first, second]);
    await changePost(org, first, { title: 'c', caption: 'Text' });
    assert.deepEqual(await listIds(org, { sort: 'title' }), [second, first]);
    await changePost(org, second, { caption: 'Text' });
    assert.deepEqual(await listIds(org, { sort: 'title', q: 'text' }), [second, first]);
  });

  it('combines the order by title with status, type, account, slots and attention', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const b = await org.addPost({ title: 'B', post_type: 'video', social_account_id: account });
    const a = await addPostIn(service, org, 'scheduled', { title: 'A' });
    const c = await org.addPost({ title: 'C', social_account_id: account });
    const d = await org.addPost({ title: 'D' });
    await archive(org, d);
    await setPost(service, c, { last_publish_error: 'No.', last_slot: NOON });
    const ids = (query: ListPosts) => listIds(org, { sort: 'title', ...query });
    assert.deepEqual(await ids({}), [a, b, c, d]);
    assert.deepEqual(await ids({ status: 'draft' }), [b, c]);
    assert.deepEqual(await ids({ status: 'draft,scheduled', post_type: 'slides' }), [a, c]);
    assert.deepEqual(await ids({ social_account_id: account }), [b, c]);
    // The first is scheduled without media.
    assert.deepEqual(await ids({ needs_attention: true }), [a, c]);
    assert.deepEqual(await ids({ scheduled_from: '2020-01-01T00:00:00Z' }), [a]);
    assert.deepEqual(await ids({ last_slot_from: '2020-01-01T00:00:00Z' }), [c]);
  });

  it('puts the last publication first with sort=-posted_at, and posts without one last, newest first', async () => {
    const org = await service.newOrganization();
    const draft = await org.addPost({ caption: 'maps' });
    const posted: string[] = [];
    for (const hour of [1, 3, 2]) {
      const id = await addPostIn(service, org, 'posted', { caption: 'maps' });
      await setPost(service, id, { posted_at: NOON + hour * HOUR_MS });
      posted.push(id);
    }
    const [first, third, second] = posted as [string, string, string];
    await archive(org, second);
    const younger = await org.addPost();
    const ids = (query: ListPosts) => listIds(org, { sort: '-posted_at', ...query });
    assert.deepEqual(await ids({}), [third, second, first, younger, draft]);
    assert.deepEqual(await ids({ status: 'posted' }), [third, first]);
    assert.deepEqual(await ids({ q: 'maps' }), [third, second, first, draft]);
    assert.deepEqual(await ids({ posted_from: new Date(NOON + 2 * HOUR_MS).toISOString() }), [third, second]);
  });

  for (const sort of ['title', '-posted_at'] as const)
    it(`puts every post on exactly one page with sort=${sort}, even when values are equal`, async () => {
      const org = await service.newOrganization();
      const all: string[] = [];
      for (let i = 0; i < 11; i++) {
        const id = await addPostIn(service, org, i % 3 === 0 ? 'draft' : 'posted', { title: `T${i % 2}` });
        if (i % 3 !== 0) await setPost(service, id, { posted_at: NOON + (i % 2) * HOUR_MS });
        all.push(id);
      }
      const seen: string[] = [];
      for (const page of [1, 2, 3, 4]) {
        const { data, pagination } = await listPosts(org, { sort, page, per_page: 3 });
        assert.deepEqual(pagination, { page, per_page: 3, total: 11, total_pages: 4 });
        seen.push(...data.map(({ id }) => id));
      }
      assert.deepEqual(seen, await listIds(org, { sort, per_page: 100 }));
      assert.deepEqual([...seen].sort(), [...all].sort());
      assert.deepEqual((await listPosts(org, { sort, page: 1000, per_page: 100 })).data, []);
    });
});
