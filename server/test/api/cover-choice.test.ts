import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import {
  assertProblem,
  assertRefused,
  changePost,
  dispatchesOf,
  listPosts,
  onlyDispatch,
  publish,
  published,
  readPost,
  readyPost,
} from '../support/service/posts.js';
import { removeOne, upload } from '../support/service/uploads.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'The cover of a post', (engine) => {
  const world = useTidyWorld(engine);

  it('is chosen with POST or PATCH, cleared with null, and unchanged if left out', async () => {
    const { org } = await world.creator();
    for (const [type, field, values] of [
      ['slides', 'cover_index', [34, 0]],
      ['video', 'cover_ms', [2_147_483_647, 0]],
    ] as const) {
      const id = await org.addPost({ post_type: type, [field]: values[0] });
      assert.equal((await readPost(org, id))[field], values[0]);
      const before = (await org.call('GET', `/api/v1/posts/${id}`)).headers.get('etag');
      assert.equal((await changePost(org, id, { [field]: values[1] }))[field], values[1]);
      assert.notEqual((await org.call('GET', `/api/v1/posts/${id}`)).headers.get('etag'), before);
      assert.equal((await changePost(org, id, { title: 'Another' }))[field], values[1]);
      assert.equal((await changePost(org, id, { [field]: null }))[field], null);
      const plain = await readPost(org, await org.addPost({ post_type: type }));
      assert.deepEqual([plain.cover_index, plain.cover_ms], [null, null]);
    }
  });

  for (const type of ['slides', 'video'] as const)
    it(`is sent with ${type}, as it was when the attempt began`, async () => {
      const { org, accountId } = await world.creator();
      const id = await readyPost(org, type);
      if (type === 'slides') await upload(org, id, 'slide.jpg');
      await changePost(org, id, type === 'slides' ? { cover_index: 1 } : { cover_ms: 40 });
      await published(org, id, accountId);
      const [sent] = await world.publishesOf(accountId);
      const { photo_cover_index: index } = sent?.request.source_info ?? {};
      const { video_cover_timestamp_ms: ms } = sent?.request.post_info ?? {};
      assert.deepEqual([index, ms], type === 'slides' ? [1, undefined] : [undefined, 40]);
      const { draft } = JSON.parse((await world.dispatchRow(id)).snapshot);
      assert.deepEqual([draft.coverIndex, draft.coverMs], type === 'slides' ? [1, null] : [null, 40]);
    });

  it('beyond the slides is named by preflight, refused by publish now, and never sent at a slot', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    await changePost(org, id, { cover_index: 1 });
    const data = await org.sdk.posts.preflight(id);
    assert.equal(data.ready, false);
    assert.deepEqual(
      data.problems.map(({ level, code, pointer, detail }) => [level, code, pointer, detail]),
      [
        [
          'error',
          'cover_out_of_range',
          '/cover_index',
          'The cover is slide 2, but the post has 1. Choose another cover.',
        ],
      ],
    );
    const refused = await publish(org, id, accountId);
    assertProblem(refused, 422, 'cover_out_of_range');
    assert.equal(refused.json.errors[0].pointer, '/cover_index');
    assert.deepEqual(await dispatchesOf(org, id), []);
    world.advance(HOUR_MS);
    await world.runOnce();
    const { outcome, error_code } = await onlyDispatch(org, id);
    assert.deepEqual([outcome, error_code], ['failed', 'cover_out_of_range']);
    const { status, last_publish_error } = await readPost(org, id);
    assert.equal(status, 'draft');
    assert.match(last_publish_error ?? '', /Choose another cover.*\(cover_out_of_range\)$/);
    assert.deepEqual(await world.publishesOf(accountId), []);
  });

  it('in a list is the thumbnail of the chosen slide, and of the first if there is no such slide', async () => {
    const { org } = await world.creator();
    const id = await org.addPost({ cover_index: 2 });
    const other = await org.addPost();
    const keys: string[] = [];
    for (const name of ['slide.png', 'slide.jpg', 'slide.png'])
      keys.push((await upload(org, id, name)).object_key);
    const first = (await upload(org, other, 'slide.png')).object_key;
    const thumbnails = async () =>
      (await listPosts(org, { include: 'cover' })).data.map(({ cover_url }) => new URL(cover_url!).pathname);
    const at = (...shown: (string | undefined)[]) => shown.map((key) => `/storage/thumbnails/${key}.webp`);
    assert.deepEqual(await thumbnails(), at(first, keys[2]));
    await changePost(org, id, { cover_index: 1 });
    assert.deepEqual(await thumbnails(), at(first, keys[1]));
    const one = await org.call('GET', `/api/v1/posts/${id}?include=cover`);
    assert.deepEqual([new URL(one.json.data.cover_url).pathname], at(keys[1]));
    await removeOne(org, id, keys[1] as string);
    assert.deepEqual(await thumbnails(), at(first, keys[2]));
    await removeOne(org, id, keys[2] as string);
    assert.deepEqual(await thumbnails(), at(first, keys[0]));
    await changePost(org, id, { cover_index: null });
    assert.deepEqual(await thumbnails(), at(first, keys[0]));
  });
});

onEngines('sqlite', 'The fields of a cover', (engine) => {
  const world = useTidyWorld(engine);

  it('belong to one type of post each, and have limits', async () => {
    const { org } = await world.creator();
    const wrong: [type: 'slides' | 'video', fields: Record<string, unknown>, ...named: string[]][] = [
      ['slides', { cover_ms: 0 }, 'cover_ms'],
      ['video', { cover_index: 0 }, 'cover_index'],
      ['video', { cover_index: 1, cover_ms: 1 }, 'cover_index'],
      ['slides', { cover_index: 35 }, 'cover_index'],
      ['slides', { cover_index: -1 }, 'cover_index'],
      ['slides', { cover_index: 0.5 }, 'cover_index'],
      ['slides', { cover_index: '1' }, 'cover_index'],
      ['video', { cover_ms: -1 }, 'cover_ms'],
      ['video', { cover_ms: 2_147_483_648 }, 'cover_ms'],
    ];
    for (const [post_type, fields, ...named] of wrong) {
      assertRefused(await org.call('POST', '/api/v1/posts', { title: 'x', post_type, ...fields }), ...named);
      const id = await org.addPost({ post_type });
      assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, fields), ...named);
      const cleared = await org.call('PATCH', `/api/v1/posts/${id}`, { cover_index: null, cover_ms: null });
      assert.equal(cleared.status, 200);
    }
  });

  it('of a video warn if they have no effect', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org, 'video', { cover_ms: 600_000 });
    await changePost(org, id, { social_account_id: accountId, privacy_level: 'PUBLIC_TO_EVERYONE' });
    const codes = async () => {
      const { ready, problems } = await org.sdk.posts.preflight(id);
      assert.equal(ready, true);
      return problems.map(({ code }) => code);
    };
    assert.deepEqual(await codes(), ['cover_beyond_video']);
    await changePost(org, id, { publish_mode: 'inbox' });
    assert.deepEqual(
      (await codes()).filter((code) => code.startsWith('cover')),
      ['cover_not_sent'],
    );
    await changePost(org, id, { publish_mode: 'direct', cover_ms: 0 });
    assert.deepEqual(await codes(), []);
  });
});
