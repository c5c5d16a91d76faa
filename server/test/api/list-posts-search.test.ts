import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { changePost, listIds, listPosts } from '../support/service/posts.js';

onEngines('both', 'GET /api/v1/posts, search', (engine) => {
  const service = useService(engine);

  it('finds words in title, caption and hashtags', async () => {
    const org = await service.newOrganization();
    const inTitle = await org.addPost({ title: 'Fold a compass' });
    const inCaption = await org.addPost({ caption: 'Bring your compass along.' });
    const inHashtags = await org.addPost({ hashtags: '#compass' });
    await org.addPost({ title: 'Fold a map', caption: 'Bring it along.', hashtags: '#maps' });
    const { data, pagination } = await listPosts(org, { q: 'compass' });
    assert.deepEqual(
      data.map((post) => post.id),
      [inHashtags, inCaption, inTitle],
    );
    assert.equal(pagination.total, 3);
    assert.deepEqual(await listIds(org, { q: '#compass' }), [inHashtags]);
  });

  it('finds parts of words, and all words in any order', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'Packing for one night', caption: 'A list.', hashtags: '#hiking' });
    for (const q of [
      'pac',
      'igh',
      'for one',
      'packing night',
      'night packing',
      'hiking list pack',
      'p',
      ' a ',
    ])
      assert.deepEqual(await listIds(org, { q }), [id], q);
    for (const q of ['packing day', 'unpacking', 'night.', 'nightpacking'])
      assert.deepEqual(await listIds(org, { q }), [], q);
  });

  it('takes a query of spaces for none', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    assert.deepEqual(await listIds(org, { q: '  ' }), [id]);
  });

  it('takes 100 characters and 8 words, and refuses more', async () => {
    const org = await service.newOrganization();
    const long = 'a'.repeat(100);
    const id = await org.addPost({ title: `${long} b c d e f g h` });
    assert.deepEqual(await listIds(org, { q: long }), [id]);
    assert.deepEqual(await listIds(org, { q: '\u{1F9ED}'.repeat(100) }), []);
    assert.deepEqual(await listIds(org, { q: 'h g f e d c b a' }), [id]);
    for (const q of [`${long}a`, 'a b c d e f g h i', 'a a a a a a a a a']) {
      const { status, json } = await org.call('GET', `/api/v1/posts?q=${encodeURIComponent(q)}`);
      assert.equal(status, 400, q);
      assert.equal(json.code, 'validation_failed');
      assert.deepEqual(
        json.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/q'],
      );
    }
  });

  it('finds words of two characters, in Chinese and Japanese too, and symbols', async () => {
    const org = await service.newOrganization();
    const ids: Record<string, string> = {};
    for (const title of ['東京旅行の準備', '上海的夜景', 'C++ ≥ 5€', '👩‍🚀🧭'])
      ids[title] = await org.addPost({ title });
    for (const [q, title] of [
      ['東京', '東京旅行の準備'],
      ['準備 旅行', '東京旅行の準備'],
      ['夜景', '上海的夜景'],
      ['海', '上海的夜景'],
      ['c++', 'C++ ≥ 5€'],
      ['5€', 'C++ ≥ 5€'],
      ['≥', 'C++ ≥ 5€'],
      ['👩‍🚀', '👩‍🚀🧭'],
      ['🧭', '👩‍🚀🧭'],
    ] as const)
      assert.deepEqual(await listIds(org, { q }), [ids[title]], q);
  });

  it('finds ß as ss, and the Turkish letters i as one', async () => {
    const org = await service.newOrganization();
    const street = await org.addPost({ title: 'Die Straße' });
    const light = await org.addPost({ title: 'IŞIK' });
    for (const q of ['strasse', 'STRASSE', 'straße'])
      assert.deepEqual(await listIds(org, { q }), [street], q);
    for (const q of ['ışık', 'işik', 'IŞIK', 'Işık']) assert.deepEqual(await listIds(org, { q }), [light], q);
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
    assert.deepEqual(await listIds(org, { q: '0%' }), [percent]);
    assert.deepEqual(await listIds(org, { q: 's%e' }), []);
    assert.deepEqual(await listIds(org, { q: "' or 1=1 --" }), []);
  });

  it('finds an emoji, and no other in its place', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'North \u{1F9ED}' });
    assert.deepEqual(await listIds(org, { q: '\u{1F9ED}' }), [id]);
    assert.deepEqual(await listIds(org, { q: '\u{1F9EE}' }), []);
  });

  it('follows every change of title, caption and hashtags, and the deletion', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'apple', caption: 'pear' });
    const found = async () => {
      const words = ['apple', 'pear', 'plum', 'fig', 'cherry'];
      const hits = await Promise.all(words.map((q) => listIds(org, { q })));
      return words.filter((_, i) => hits[i]?.includes(id));
    };
    assert.deepEqual(await found(), ['apple', 'pear']);
    await changePost(org, id, { title: 'plum' });
    assert.deepEqual(await found(), ['pear', 'plum']);
    await changePost(org, id, { caption: 'fig' });
    assert.deepEqual(await found(), ['plum', 'fig']);
    await changePost(org, id, { hashtags: '#cherry' });
    assert.deepEqual(await found(), ['plum', 'fig', 'cherry']);
    await changePost(org, id, { caption: null, hashtags: null });
    assert.deepEqual(await found(), ['plum']);
    assert.equal((await org.call('DELETE', `/api/v1/posts/${id}`)).status, 204);
    assert.deepEqual(await found(), []);
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
