import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine, useService } from '../harness.js';
import { changePost, listIds, listPosts } from '../posts.js';

onEachEngine('GET /api/v1/posts, search', (engine) => {
  const service = useService(engine);

  it('finds words in title and caption, and not in hashtags', async () => {
    const org = await service.newOrganization();
    const inTitle = await org.addPost({ title: 'Fold a compass' });
    const inCaption = await org.addPost({ caption: 'Bring your compass along.' });
    await org.addPost({ hashtags: '#compass' });
    const { data, pagination } = await listPosts(org, { q: 'compass' });
    assert.deepEqual(
      data.map((post) => post.id),
      [inCaption, inTitle],
    );
    assert.equal(pagination.total, 2);
  });

  it('finds parts of words and several words in a row', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'Five ways to fold a map' });
    for (const q of ['fol', 'ays', 'ways to', 'Five ways to fold a map', 'p'])
      assert.deepEqual(await listIds(org, { q }), [id]);
    for (const q of ['fold map', 'unfold', 'map.']) assert.deepEqual(await listIds(org, { q }), []);
  });

  for (const [title, q] of [
    ['Map', 'mAP'],
    ['ÄRGER im Büro', 'ärger IM bÜRO'],
    ['ЖУРНАЛ', 'журнал'],
    ['ΟΔΗΓΟΣ', 'οδηγός'.normalize('NFD').replace(/\p{M}/gu, '')],
  ] as const)
    it(`finds ${title} by ${q}, whatever the case`, async () => {
      const org = await service.newOrganization();
      const id = await org.addPost({ title });
      assert.deepEqual(await listIds(org, { q }), [id]);
    });

  it('finds any beginning of a word just as it was written, in every script', async () => {
    const org = await service.newOrganization();
    for (const title of ['Compass', 'ОДИССЕЯ', 'ΟΔΥΣΣΕΙΑ', 'İSTANBUL', 'STRASSE']) {
      const id = await org.addPost({ title });
      for (let length = 2; length <= title.length; length++) {
        const q = title.slice(0, length);
        assert.ok((await listIds(org, { q })).includes(id), `${title} is not found by ${q}`);
      }
    }
  });

  it('takes %, _ and \\ literally', async () => {
    const org = await service.newOrganization();
    const [percent, underscore, backslash] = [
      await org.addPost({ title: '100% sure' }),
      await org.addPost({ title: 'snake_case' }),
      await org.addPost({ title: 'C:\\maps' }),
      await org.addPost({ title: 'plain' }),
    ];
    assert.deepEqual(await listIds(org, { q: '%' }), [percent]);
    assert.deepEqual(await listIds(org, { q: '_' }), [underscore]);
    assert.deepEqual(await listIds(org, { q: '\\' }), [backslash]);
    assert.deepEqual(await listIds(org, { q: '0% s' }), [percent]);
    assert.deepEqual(await listIds(org, { q: 's%e' }), []);
    assert.deepEqual(await listIds(org, { q: "' or 1=1 --" }), []);
  });

  it('finds an emoji, and no other in its place', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'North \u{1F9ED}' });
    assert.deepEqual(await listIds(org, { q: '\u{1F9ED}' }), [id]);
    assert.deepEqual(await listIds(org, { q: '\u{1F9EE}' }), []);
  });

  it('follows every change of title and caption', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'apple', caption: 'pear' });
    const found = async () => {
      const words = ['apple', 'pear', 'plum', 'fig'];
      const hits = await Promise.all(words.map((q) => listIds(org, { q })));
      return words.filter((_, i) => hits[i]?.includes(id));
    };
    assert.deepEqual(await found(), ['apple', 'pear']);
    await changePost(org, id, { title: 'plum' });
    assert.deepEqual(await found(), ['pear', 'plum']);
    await changePost(org, id, { caption: 'fig' });
    assert.deepEqual(await found(), ['plum', 'fig']);
    await changePost(org, id, { caption: null });
    assert.deepEqual(await found(), ['plum']);
  });

  it('pages through its results', async () => {
    const org = await service.newOrganization();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.unshift(await org.addPost({ title: `map ${i}` }));
      await org.addPost({ title: 'bird' });
    }
    const seen: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { data, pagination } = await listPosts(org, { q: 'map', page, per_page: 2 });
      assert.deepEqual(pagination, { page, per_page: 2, total: 5, total_pages: 3 });
      seen.push(...data.map((post) => post.id));
    }
    assert.deepEqual(seen, ids);
  });
});
