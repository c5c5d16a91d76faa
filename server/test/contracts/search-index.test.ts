// Old posts are found by the index, which follows every change.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { changePost, setPost } from '../support/service/posts.js';
import { addPosts, fillers, SMALL, search, searchIds, settleIndex } from '../support/service/searching.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

onEngines('both', 'The index of the search', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  it('finds posts that are older than those looked through', async () => {
    const org = await service.newOrganization();
    const [old] = await addPosts(service, org, [{ title: 'Zebrawood' }, ...fillers(100)]);
    assert.deepEqual(await searchIds(service, org, 'zebrawood'), [old]);
    await settleIndex(service);
    for (const q of ['zebrawood', 'brawoo', 'zeb', 'wood ZEBRA', 'zebra o']) {
      const { ids, progress } = await search(service, org, q);
      assert.deepEqual(ids, [old], q);
      assert.ok(progress.posts < 40, `${q}: looked at ${progress.posts} posts`);
    }
    assert.deepEqual(await searchIds(service, org, 'zebrawool'), []);
    assert.deepEqual(await searchIds(service, org, 'zebrawood', { withoutIndex: true }), []);
  });

  it('finds them in title, caption and hashtags, by all words in any order', async () => {
    const org = await service.newOrganization();
    const [old] = await addPosts(service, org, [
      { title: 'Packing for one night', caption: 'Straße & 100% fun', hashtags: '#hiking' },
      { title: 'Packing for one day' },
      ...fillers(50),
    ]);
    await settleIndex(service);
    for (const q of ['night packing', 'hiking', '#hiking one', 'strasse', '100% packing', 'fun & night'])
      assert.deepEqual(await searchIds(service, org, q), [old], q);
  });

  it('looks for words without a trigram in the newest posts only, and among what it finds by another word', async () => {
    const org = await service.newOrganization();
    const ids = await addPosts(service, org, [
      { title: '東京 zebra' },
      ...fillers(50),
      { title: '東京' },
      ...fillers(5),
    ]);
    await settleIndex(service);
    assert.deepEqual(await searchIds(service, org, '東京'), [ids[51]]);
    assert.deepEqual(await searchIds(service, org, '東京 zebra'), [ids[0]]);
    assert.deepEqual(await searchIds(service, org, '東京 zebrawood'), []);
  });

  it('finds the newest of many, and ends there', async () => {
    const org = await service.newOrganization();
    const titles = Array.from({ length: 90 }, (_, n) => ({ title: n % 3 === 0 ? 'Zebra' : 'Horse' }));
    const ids = await addPosts(service, org, titles);
    const zebras = ids.filter((_, n) => n % 3 === 0).reverse();
    const limits = { ...SMALL, found: 12 };
    for (const settle of [async () => {}, settleIndex]) {
      await settle(service);
      assert.deepEqual(await searchIds(service, org, 'zebra', { limits }), zebras.slice(0, 12));
      assert.deepEqual(await searchIds(service, org, 'zebra'), zebras);
    }
  });

  it('combines with every filter', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount('reconnect_required');
    const [plain, video, failed, late, soon] = await addPosts(service, org, [
      { title: 'Zebra' },
      { title: 'Zebra', post_type: 'video' },
      { title: 'Zebra' },
      { title: 'Zebra' },
      { title: 'Zebra' },
      ...Array.from({ length: 30 }, () => ({ title: 'Zebra', post_type: 'video' as const })),
      ...fillers(50),
    ]);
    const at = Date.parse('2027-01-01T00:00:00Z');
    const scheduled = {
      status: 'scheduled',
      social_account_id: account,
      privacy_level: 'SELF_ONLY',
    } as const;
    await setPost(service, String(failed), { last_publish_error: 'No.' });
    await setPost(service, String(late), { ...scheduled, scheduled_at: at + 60_000 });
    await setPost(service, String(soon), { ...scheduled, scheduled_at: at });
    await settleIndex(service);
    const found = (input: object) => searchIds(service, org, 'zebra', { input });
    assert.deepEqual(await found({ post_type: 'slides' }), [soon, late, failed, plain]);
    assert.deepEqual(await found({ status: 'scheduled' }), [soon, late]);
    assert.deepEqual(await found({ status: 'scheduled', sort: 'scheduled_at' }), [soon, late]);
    assert.deepEqual(await found({ social_account_id: account }), [soon, late]);
    assert.deepEqual(await found({ needs_attention: true }), [soon, late, failed]);
    assert.deepEqual(await found({ scheduled_from: '2027-01-01T00:00:30Z' }), [late]);
    assert.deepEqual(await found({ scheduled_to: '2027-01-01T00:00:30Z', post_type: 'slides' }), [soon]);
    const bySlot = await found({ sort: 'scheduled_at' });
    assert.deepEqual([...bySlot.slice(0, 2), bySlot.length], [soon, late, 35]);
    assert.equal(bySlot.includes(String(video)), true);
  });

  it('finds nothing of another organization', async () => {
    const [mine, theirs] = [await service.newOrganization(), await service.newOrganization()];
    const [own] = await addPosts(service, mine, [{ title: 'Zebra of mine' }, ...fillers(40)]);
    const [other] = await addPosts(service, theirs, [{ title: 'Zebra of theirs' }, ...fillers(40)]);
    const empty = await service.newOrganization();
    await addPosts(service, empty, fillers(40));
    for (const settle of [async () => {}, settleIndex]) {
      await settle(service);
      assert.deepEqual(await searchIds(service, mine, 'zebra'), [own]);
      assert.deepEqual(await searchIds(service, theirs, 'zebra'), [other]);
      assert.deepEqual(await searchIds(service, mine, 'theirs'), []);
      assert.deepEqual(await searchIds(service, empty, 'zebra'), []);
    }
  });

  it('follows changes and deletions of old posts', async () => {
    const org = await service.newOrganization();
    const [id = ''] = await addPosts(service, org, [
      { title: 'Zebra', caption: 'A caption' },
      ...fillers(50),
    ]);
    const found = async () => {
      const words = ['zebra', 'caption', 'okapi', 'gnu'];
      const before = await Promise.all(words.map((q) => searchIds(service, org, q)));
      await settleIndex(service);
      const hits = await Promise.all(words.map((q) => searchIds(service, org, q)));
      assert.deepEqual(hits, before);
      return words.filter((_, i) => hits[i]?.includes(id));
    };
    assert.deepEqual(await found(), ['zebra', 'caption']);
    await changePost(org, id, { title: 'Okapi' });
    assert.deepEqual(await found(), ['caption', 'okapi']);
    await changePost(org, id, { caption: null, hashtags: '#gnu' });
    assert.deepEqual(await found(), ['okapi', 'gnu']);
    await changePost(org, id, { title: 'OKAPI', privacy_level: 'SELF_ONLY' });
    assert.deepEqual(await found(), ['okapi', 'gnu']);
    assert.equal((await org.call('DELETE', `/api/v1/posts/${id}`)).status, 204);
    assert.deepEqual(await found(), []);
  });

  it('agrees with the text after many changes in any order', async () => {
    const org = await service.newOrganization();
    const known = new Map<string, string>();
    const random = numbers(1);
    const word = () => ['zebra', 'okapi', 'gnu', 'zebu', 'braze', 'kapok'][random(6)] as string;
    const title = () => Array.from({ length: 1 + random(4) }, word).join(' ');
    for (let i = 0; i < 120; i++) {
      const act = random(4);
      const id = [...known.keys()][random(Math.max(1, known.size))];
      if (act < 2 || id === undefined) {
        const text = title();
        known.set(await org.addPost({ title: text }), text);
      } else if (act === 2) {
        known.set(id, title());
        await changePost(org, id, { title: known.get(id) as string });
      } else {
        known.delete(id);
        await org.call('DELETE', `/api/v1/posts/${id}`);
      }
      if (random(5) === 0) await service.app.db.indexPendingBatch();
    }
    await addPosts(service, org, fillers(30));
    await settleIndex(service);
    for (const q of ['zebra', 'okapi', 'gnu', 'zebu', 'braze', 'kapok', 'zeb', 'ebr', 'kap', 'zebra okapi']) {
      const expected = [...known].filter(([, text]) => q.split(' ').every((one) => text.includes(one)));
      const ids = expected.map(([id]) => id).sort();
      assert.deepEqual((await searchIds(service, org, q)).sort(), ids, q);
    }
  });
});

onEngines('both', 'A worker', (engine) => {
  const service = useService(engine);

  it('brings the index up to date', async () => {
    const org = await service.newOrganization();
    await addPosts(service, org, [{ title: 'Gnu', hashtags: '#kudu' }]);
    await until('nothing waits for the index', async () => (await service.app.db.countPendingPosts(1)) === 0);
  });
});

/** The same numbers every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}
