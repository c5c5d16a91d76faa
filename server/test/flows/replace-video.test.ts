import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { collectGarbage } from '../../src/worker/worker.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { assertProblem } from '../support/service/posts.js';
import {
  askForUpload,
  beginPut,
  bytesOf,
  download,
  GRACE_MS,
  grant,
  listAssets,
  listKeys,
  media,
  put,
  storedFor,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

const VIDEO = { filename: 'new.mp4', content_type: 'video/mp4' as const, replace: true };

onEngines('sqlite', 'Replacing a video', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  afterEach(() => service.clock.resume());

  const postWithVideo = async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    return { org, id, old: await upload(org, id, 'tiny.mp4') };
  };

  const bytesOfVideo = async (org: Organization, id: string) => {
    const { data } = await listAssets(org, id);
    assert.equal(data.length, 1);
    return (await download(data[0]!.url)).bytes;
  };

  it('leaves nothing when the post is deleted: all its videos go at once, replaced ones too', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    await upload(org, id, 'tiny.mp4');
    await upload(org, id, 'tiny.mov', { replace: true });
    assert.equal((await storedFor(service, org)).length, 2);
    assert.equal((await org.call('DELETE', `/api/v1/posts/${id}`)).status, 204);
    assert.deepEqual(await storedFor(service, org), []);
  });

  it('keeps the old one until the new one is complete, and then has only the new one', async () => {
    const { org, id, old } = await postWithVideo();
    const replacement = await grant(org, id, { ...VIDEO, filename: 'new.webm', content_type: 'video/webm' });
    assert.deepEqual(await listKeys(org, id), [old.object_key]);
    const bytes = media('tiny.webm');
    const { body, answer } = beginPut(replacement.upload_url, 'video/webm');
    body.write(bytes.slice(0, 10_000));
    assert.deepEqual(await bytesOfVideo(org, id), media('tiny.mp4'));
    body.end(bytes.slice(10_000));
    assert.equal((await answer).status, 200);
    assert.deepEqual(await listKeys(org, id), [replacement.object_key]);
    assert.deepEqual(await bytesOfVideo(org, id), bytes);
  });

  it('leaves the old one when the new one is refused', async () => {
    const { org, id, old } = await postWithVideo();
    const lie = await grant(org, id, VIDEO);
    assertProblem(await put(lie.upload_url, bytesOf('no video'), 'video/mp4'), 422, 'media_rejected');
    const { data, rejected } = await listAssets(org, id);
    assert.deepEqual(
      [data.map(({ object_key }) => object_key), rejected.map(({ object_key }) => object_key)],
      [[old.object_key], [lie.object_key]],
    );
    assert.deepEqual(await bytesOfVideo(org, id), media('tiny.mp4'));
    assert.deepEqual(await storedFor(service, org), [old.object_key]);
    const next = await upload(org, id, 'tiny.mp4', { replace: true });
    assert.deepEqual(await listKeys(org, id), [next.object_key]);
  });

  it('leaves the old one when the new one breaks off, never comes, or is withdrawn', async () => {
    const { org, id, old } = await postWithVideo();
    const broken = await grant(org, id, VIDEO);
    const { body } = beginPut(broken.upload_url, 'video/mp4');
    body.write(new Uint8Array(1000));
    body.destroy();
    await grant(org, id, VIDEO);
    const last = await grant(org, id, VIDEO);
    const path = `/api/v1/posts/${id}/assets?object_key=${encodeURIComponent(last.object_key)}`;
    assert.equal((await org.call('DELETE', path)).status, 204);
    assert.deepEqual(await listKeys(org, id), [old.object_key]);
    assert.deepEqual(await bytesOfVideo(org, id), media('tiny.mp4'));
  });

  it('ends with one video when two uploads replace it at the same time', async () => {
    const { org, id } = await postWithVideo();
    const answers = await Promise.all([1, 2].map(() => askForUpload(org, id, VIDEO)));
    const outcomes = await Promise.all(
      answers.map(({ json }) => put(json.upload_url, media('tiny.mp4'), 'video/mp4')),
    );
    // The later grant voids the earlier one, in whatever order they were made.
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), [200, 409]);
    const winner = answers[outcomes.findIndex(({ status }) => status === 200)]!;
    assert.deepEqual(await listKeys(org, id), [winner.json.object_key]);
    service.clock.advance(GRACE_MS);
    await collectGarbage(service.app);
    assert.deepEqual(await storedFor(service, org), [winner.json.object_key]);
  });

  it('ends with one video when uploads and new grants come in any order', async () => {
    const { org, id } = await postWithVideo();
    const late = await grant(org, id, VIDEO);
    const { body, answer } = beginPut(late.upload_url, 'video/mp4');
    body.write(media('tiny.mp4').slice(0, 100));
    const winner = await upload(org, id, 'tiny.mp4', { replace: true });
    body.end(media('tiny.mp4').slice(100));
    assertProblem(await answer, 409, 'upload_void');
    assert.deepEqual(await listKeys(org, id), [winner.object_key]);
    service.clock.advance(GRACE_MS);
    await collectGarbage(service.app);
    assert.deepEqual(await storedFor(service, org), [winner.object_key]);
  });

  it('always shows readers exactly one complete video', async () => {
    const { org, id } = await postWithVideo();
    const [old, replacement] = [media('tiny.mp4'), media('clip-12s-moov-at-end.mp4')];
    let isDone = false;
    const reader = async () => {
      let reads = 0;
      while (!isDone || reads === 0) {
        const bytes = Buffer.from(await bytesOfVideo(org, id));
        assert.ok(bytes.equals(old) || bytes.equals(replacement));
        reads++;
      }
    };
    const readers = Promise.all([reader(), reader()]);
    try {
      for (let i = 0; i < everyday(2, 4); i++)
        await upload(org, id, i % 2 === 0 ? 'clip-12s-moov-at-end.mp4' : 'tiny.mp4', { replace: true });
    } finally {
      isDone = true;
      await readers;
    }
  });

  it('removes the old object after GARBAGE_GRACE_SECONDS, not before', async () => {
    const start = Date.parse('2030-01-01T12:00:00Z');
    service.clock.stopAt(start);
    const { org, id, old } = await postWithVideo();
    const { url } = (await listAssets(org, id)).data[0]!;
    const winner = await upload(org, id, 'tiny.mov', { replace: true });
    const both = [old.object_key, winner.object_key].sort();
    await collectGarbage(service.app);
    assert.deepEqual((await download(url)).bytes, media('tiny.mp4'));
    service.clock.advance(GRACE_MS - 1);
    await collectGarbage(service.app);
    assert.deepEqual(await storedFor(service, org), both);
    service.clock.advance(1);
    await collectGarbage(service.app);
    assert.deepEqual(await storedFor(service, org), [winner.object_key]);
    assert.deepEqual(await listKeys(org, id), [winner.object_key]);
  });

  it('returns the same grant for the same Idempotency-Key, even after its use', async () => {
    const { org, id } = await postWithVideo();
    const key = { 'idempotency-key': 'replace-1' };
    const first = await askForUpload(org, id, VIDEO, key);
    assert.equal((await put(first.json.upload_url, media('tiny.mp4'), 'video/mp4')).status, 200);
    const again = await askForUpload(org, id, VIDEO, key);
    assert.equal(again.text, first.text);
    assert.deepEqual(await listKeys(org, id), [first.json.object_key]);
  });
});
