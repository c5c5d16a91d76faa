import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  assertProblem,
  assertRefused,
  at,
  readPost,
  setPost,
  slot,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import {
  askForUpload,
  bytesOf,
  complete,
  download,
  grant,
  listAssets,
  listKeys,
  media,
  put,
  removeOne,
  reorder,
  slidesAt,
  storedFor,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

onEngines('sqlite', 'Changing the assets of a post', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  afterEach(() => service.clock.resume());

  const newPost = async (slides = 0) => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const keys: string[] = [];
    for (let i = 0; i < slides; i++) keys.push((await upload(org, id, 'slide.png')).object_key);
    return { org, id, keys };
  };

  it('PATCH reorders the slides', async () => {
    const { org, id, keys } = await newPost(3);
    const [a, b, c] = keys as [string, string, string];
    const answer = await reorder(org, id, [c, a, b]);
    assert.equal(answer.status, 200, answer.text);
    const positions = answer.json.data.map((asset: { object_key: string; position: number }) => [
      asset.object_key,
      asset.position,
    ]);
    assert.deepEqual(positions, [
      [c, 1],
      [a, 2],
      [b, 3],
    ]);
    assert.deepEqual(await listKeys(org, id), [c, a, b]);
    assert.equal((await reorder(org, id, [c, a, b])).status, 200);
    assert.deepEqual(await listKeys(org, id), [c, a, b]);
    const added = await upload(org, id, 'slide.png');
    assert.deepEqual(await listKeys(org, id), [c, a, b, added.object_key]);
  });

  it('PATCH names a key that is not an uploaded file of this post', async () => {
    const { org, id, keys } = await newPost(2);
    const [a, b] = keys as [string, string];
    const sibling = (await upload(org, await org.addPost(), 'slide.png')).object_key;
    const foreign = (await newPost(1)).keys[0]!;
    const pending = (await grant(org, id)).object_key;
    for (const wrong of ['nonsense', sibling, foreign, pending]) {
      assertRefused(await reorder(org, id, [b, wrong]), 'order/1');
      assertRefused(await reorder(org, id, [b, a, wrong]), 'order/2');
    }
    assert.deepEqual(await listKeys(org, id), [a, b]);
  });

  it('PATCH refuses an order that leaves one out, names one twice, or is not a list', async () => {
    const { org, id, keys } = await newPost(2);
    const [a, b] = keys as [string, string];
    for (const order of [[a], [a, a], [a, b, a], [], 'a', undefined])
      assertRefused(await reorder(org, id, order), 'order');
    assertRefused(await reorder(org, id, [a, 7]), 'order/1');
    const more = await org.call('PATCH', `/api/v1/posts/${id}/assets`, { order: [b, a], extra: 1 });
    assertRefused(more, 'extra');
    assert.deepEqual(await listKeys(org, id), [a, b]);
  });

  it('PATCH puts pending uploads after the ordered ones, in the order of their grants', async () => {
    const { org, id } = await newPost();
    const early = await grant(org, id);
    const a = await upload(org, id, 'slide.png');
    const late = await grant(org, id);
    const b = await upload(org, id, 'slide.png');
    assert.equal((await reorder(org, id, [b.object_key, a.object_key])).status, 200);
    for (const { upload_url } of [late, early])
      assert.equal((await put(upload_url, media('slide.png'), 'image/png')).status, 200);
    assert.deepEqual(
      await listKeys(org, id),
      [b, a, early, late].map(({ object_key }) => object_key),
    );
  });

  it('DELETE removes one file at once, from the store too', async () => {
    const { org, id, keys } = await newPost(3);
    const [a, b, c] = keys as [string, string, string];
    const { url, thumbnail_url } = (await listAssets(org, id)).data[1]!;
    const answer = await removeOne(org, id, b);
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.deepEqual(await listKeys(org, id), [a, c]);
    assert.deepEqual(await storedFor(service, org), slidesAt(a, c));
    for (const address of [url, thumbnail_url!]) assert.equal((await download(address)).response.status, 404);
    assertProblem(await removeOne(org, id, b), 404, 'not_found');
    const { data } = await listAssets(org, id);
    assert.deepEqual(
      data.map(({ position }) => position),
      [1, 2],
    );
  });

  it('DELETE cancels a pending upload', async () => {
    const { org, id } = await newPost();
    const { object_key, upload_url } = await grant(org, id);
    assert.equal((await removeOne(org, id, object_key)).status, 204);
    assertProblem(await put(upload_url, media('slide.png'), 'image/png'), 409, 'upload_void');
    assert.deepEqual(await storedFor(service, org), []);
  });

  it('DELETE answers 404 for an unknown key and for that of another post', async () => {
    const { org, id, keys } = await newPost(1);
    const other = await newPost(1);
    const sibling = await org.addPost();
    assertProblem(await removeOne(org, id, 'nonsense'), 404, 'not_found');
    assertProblem(await removeOne(org, id, other.keys[0]!), 404, 'not_found');
    assertProblem(await removeOne(org, sibling, keys[0]!), 404, 'not_found');
    assertProblem(await removeOne(org, other.id, other.keys[0]!), 404, 'not_found');
    assertRefused(await org.call('DELETE', `/api/v1/posts/${id}/assets`), 'object_key');
    assert.deepEqual(await listKeys(org, id), keys);
    assert.deepEqual(await listKeys(other.org, other.id), other.keys);
  });

  it('complete answers with the finished asset, as the list shows it', async () => {
    service.clock.stopAt(Date.parse('2030-01-01T12:00:00Z'));
    const { org, id, keys } = await newPost(2);
    for (const [i, key] of keys.entries()) {
      const answer = await complete(org, id, key);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json, { data: (await listAssets(org, id)).data[i] });
    }
  });

  it('complete answers 409 before the file has arrived, and 422 when it was refused', async () => {
    const { org, id } = await newPost();
    const { object_key, upload_url } = await grant(org, id);
    assertProblem(await complete(org, id, object_key), 409, 'upload_incomplete');
    const refused = await put(upload_url, bytesOf('no picture'), 'image/png');
    const answer = await complete(org, id, object_key);
    assertProblem(answer, 422, 'media_rejected');
    assert.equal(answer.json.detail, refused.json.detail);
  });

  it('complete answers 404 for an unknown key, and for another post, organization or id', async () => {
    const { org, id, keys } = await newPost(1);
    const other = await newPost(1);
    assertProblem(await complete(org, id, 'nonsense'), 404, 'not_found');
    assertProblem(await complete(org, id, other.keys[0]!), 404, 'not_found');
    assertProblem(await complete(org, await org.addPost(), keys[0]!), 404, 'not_found');
    for (const wrong of [other.id, UNKNOWN_ID, 'malformed']) {
      assertProblem(await complete(org, wrong, keys[0]!), 404, 'not_found');
      assertProblem(await reorder(org, wrong, keys), 404, 'not_found');
      assertProblem(await removeOne(org, wrong, keys[0]!), 404, 'not_found');
    }
    assertRefused(await org.call('POST', `/api/v1/posts/${id}/assets/complete`, {}), 'object_key');
  });

  it('takes an id in capital letters like any other', async () => {
    const { org, id, keys } = await newPost(1);
    const loud = id.toUpperCase();
    assert.deepEqual(await listKeys(org, loud), keys);
    assert.equal((await complete(org, loud, keys[0]!)).status, 200);
    assert.equal((await reorder(org, loud, keys)).status, 200);
    assert.equal((await removeOne(org, loud, keys[0]!)).status, 204);
  });

  it('is allowed in draft and scheduled', async () => {
    const { org, id, keys } = await newPost(2);
    const [a, b] = keys as [string, string];
    assert.equal((await org.call('PATCH', `/api/v1/posts/${id}`, await slot(service, org))).status, 200);
    assert.equal((await reorder(org, id, [b, a])).status, 200);
    assert.equal((await removeOne(org, id, b)).status, 204);
    assert.equal((await complete(org, id, a)).status, 200);
    assert.deepEqual(await listKeys(org, id), [a]);
    assert.equal((await readPost(org, id)).status, 'scheduled');
  });

  for (const status of ['publishing', 'posted', 'archived'] as const)
    it(`answers 409 once the post is ${status}, and leaves everything as it was`, async () => {
      const { org, id, keys } = await newPost(2);
      const pending = await grant(org, id);
      await setPost(service, id, { status });
      assertProblem(await reorder(org, id, [...keys].reverse()), 409, 'wrong_state');
      for (const key of [keys[0]!, pending.object_key])
        assertProblem(await removeOne(org, id, key), 409, 'wrong_state');
      assert.deepEqual(await listKeys(org, id), keys);
      assert.equal((await complete(org, id, keys[0]!)).status, 200);
      assertProblem(await complete(org, id, pending.object_key), 409, 'upload_incomplete');
      assert.deepEqual(await storedFor(service, org), slidesAt(...keys));
    });

  it('moves updated_at of the post', async () => {
    const start = Date.parse('2030-01-01T12:00:00Z');
    service.clock.stopAt(start);
    const { org, id } = await newPost();
    const { upload_url, object_key } = await grant(org, id);
    const changes = [
      () => put(upload_url, media('slide.png'), 'image/png'),
      () => reorder(org, id, [object_key]),
      () => removeOne(org, id, object_key),
    ];
    for (const [i, change] of changes.entries()) {
      service.clock.advance(60_000);
      const { status } = await change();
      assert.ok(status === 200 || status === 204);
      assert.equal((await readPost(org, id)).updated_at, at(start + (i + 1) * 60_000));
    }
  });

  it('is replayed to the same Idempotency-Key', async () => {
    const { org, id, keys } = await newPost(2);
    const key = { 'idempotency-key': 'order-1' };
    const body = { order: [...keys].reverse() };
    const path = `/api/v1/posts/${id}/assets`;
    const first = await org.call('PATCH', path, body, key);
    assert.equal((await reorder(org, id, keys)).status, 200);
    const again = await org.call('PATCH', path, body, key);
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
    assert.deepEqual(await listKeys(org, id), keys);
  });

  it('DELETE of the post removes its files from the store at once', async () => {
    for (const status of ['draft', 'archived'] as const) {
      const { org, id } = await newPost(2);
      const pending = await grant(org, id);
      const lie = await grant(org, id);
      assert.equal((await put(lie.upload_url, bytesOf('no picture'), 'image/png')).status, 422);
      await setPost(service, id, { status });
      assert.equal((await org.call('DELETE', `/api/v1/posts/${id}`)).status, 204);
      assert.deepEqual(await storedFor(service, org), []);
      assertProblem(await put(pending.upload_url, media('slide.png'), 'image/png'), 409, 'upload_void');
      assert.deepEqual(await storedFor(service, org), []);
      const video = await org.addPost({ post_type: 'video' });
      await upload(org, video, 'tiny.mp4');
      assert.equal((await org.call('DELETE', `/api/v1/posts/${video}`)).status, 204);
      assert.deepEqual(await storedFor(service, org), []);
      assertProblem(
        await askForUpload(org, id, { filename: 'a.png', content_type: 'image/png' }),
        404,
        'not_found',
      );
    }
  });
});
