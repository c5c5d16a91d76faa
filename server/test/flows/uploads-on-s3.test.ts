// With a bucket, no request tells the service that a file has arrived: it finds out by itself, and keeps a checked copy.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { ConfigError } from '../../src/config/config.js';
import { removeOrphans } from '../../src/object-deletion/orphans.js';
import { openS3Store } from '../../src/object-store/s3/s3.js';
import { collectGarbage } from '../../src/worker/worker.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { startTestService, type TestService } from '../support/service/harness.js';
import { quotasOf, setQuotas } from '../support/service/quotas.js';
import {
  complete,
  download,
  grant,
  listAssets,
  listKeys,
  media,
  put,
  removeOne,
  upload,
} from '../support/service/uploads.js';
import { type S3Server, startS3Server } from '../support/storage/s3-server.js';

onEngines('sqlite', 'files in a bucket', (engine) => {
  let bucket: S3Server;
  let service: TestService;
  const stored = (id: string) => [...bucket.objects.keys()].filter((key) => key.includes(id)).sort();

  before(async () => {
    let now = () => Date.now();
    bucket = await startS3Server({ now: () => now() });
    service = await startTestService(engine, {
      command: 'api',
      env: {
        SOCIAL_API_URL: 'http://127.0.0.1:9',
        GARBAGE_GRACE_SECONDS: '60',
        S3_BUCKET: bucket.bucket,
        S3_ENDPOINT: bucket.url,
        S3_REGION: bucket.region,
        S3_ACCESS_KEY_ID: bucket.accessKeyId,
        S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
        S3_FORCE_PATH_STYLE: 'true',
      },
    });
    now = () => service.clock.now();
  });
  after(async () => {
    service.clock.resume();
    await service.stop();
    await bucket.stop();
  });

  it('are found when assets are listed, checked, and moved to a key that no signed URL can write', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const granted = await grant(org, id, { filename: 'slide.png' });
    assert.deepEqual(await listKeys(org, id), []);
    assert.equal((await put(granted.upload_url, media('slide.png'), 'image/png')).status, 200);
    assert.deepEqual(stored(id), [`uploads/${granted.object_key}`]);
    const [asset] = (await listAssets(org, id)).data;
    assert.equal(asset?.object_key, granted.object_key);
    assert.equal(asset?.width, 135);
    assert.deepEqual(stored(id), [granted.object_key, `thumbnails/${granted.object_key}.webp`].sort());
    assert.deepEqual((await download(asset?.url ?? '')).bytes, media('slide.png'));
    assert.equal(
      (await download(asset?.thumbnail_url ?? '')).response.headers.get('content-type'),
      'image/webp',
    );
  });

  it('are found by complete, which says what is missing and what is wrong', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    const granted = await grant(org, id, { filename: 'a.mp4', content_type: 'video/mp4' });
    assert.equal((await complete(org, id, granted.object_key)).json.code, 'upload_incomplete');
    await put(granted.upload_url, media('slide.png'), 'video/mp4');
    const answer = await complete(org, id, granted.object_key);
    assert.equal(answer.status, 422);
    assert.match(answer.json.detail, /video\/mp4.*image\/png/);
    assert.deepEqual(stored(id), []);
    const second = await upload(org, id, 'tiny.mp4');
    const { json } = await complete(org, id, second.object_key);
    assert.equal(json.data.duration_ms, 4000);
  });

  it('cannot be changed through the URL that uploaded them', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const granted = await upload(org, id, 'slide.png');
    const [asset] = (await listAssets(org, id)).data;
    await put(granted.upload_url, media('slide.jpg'), 'image/png');
    assert.deepEqual((await download(asset?.url ?? '')).bytes, media('slide.png'));
    assert.deepEqual(await listKeys(org, id), [granted.object_key]);
    service.clock.advance(120_000);
    await removeOrphans(service.app);
    assert.deepEqual(stored(id), [granted.object_key, `thumbnails/${granted.object_key}.webp`].sort());
  });

  it('that change during the check are refused, even if they change back', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const granted = await grant(org, id, { filename: 'slide.png' });
    const bad = new TextEncoder().encode('<html><script>alert(1)</script></html>');
    await put(granted.upload_url, bad, 'image/png');
    const { store } = service.app;
    const { find, read, move } = store;
    store.find = async (key) => {
      const found = await find(key);
      if (found && key.startsWith('uploads/')) await put(granted.upload_url, media('slide.png'), 'image/png');
      return found;
    };
    store.move = async (...given) => {
      await put(granted.upload_url, bad, 'image/png');
      return move(...given);
    };
    try {
      assert.deepEqual((await listAssets(org, id)).data, []);
    } finally {
      Object.assign(store, { find, read, move });
    }
    assert.ok(!stored(id).includes(granted.object_key));
  });

  it('keep none of the headers that the client sent', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const granted = await grant(org, id, { filename: 'slide.png' });
    await put(granted.upload_url, media('slide.png'), 'image/png', { 'content-encoding': 'gzip' });
    assert.deepEqual(await listKeys(org, id), [granted.object_key]);
    assert.equal(bucket.objects.get(granted.object_key)?.contentEncoding, undefined);
    assert.equal(bucket.objects.get(granted.object_key)?.contentType, 'image/png');
  });

  it('are checked for their size afterwards when none was announced', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const granted = await grant(org, id, { filename: 'big.png', content_type: 'image/png' });
    const { status } = await put(granted.upload_url, new Uint8Array(20 * 1024 * 1024 + 1), 'image/png');
    assert.equal(status, 200);
    const list = await listAssets(org, id);
    assert.deepEqual(list.data, []);
    assert.match(list.rejected[0]?.reason ?? '', /20 MB/);
    assert.deepEqual(stored(id), []);
  });

  it('are refused afterwards when no length was announced and they exceed the quota, and nothing stays', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const granted = await grant(org, id, { filename: 'slide.png' });
    await setQuotas(service, org, { bytes: 1000 });
    assert.equal((await put(granted.upload_url, media('slide.png'), 'image/png')).status, 200);
    const answer = await complete(org, id, granted.object_key);
    assert.equal(answer.status, 422);
    assert.match(answer.json.detail, /stores 0 bytes of its 1 kB\. This file is/);
    assert.deepEqual(stored(id), []);
    assert.equal((await quotasOf(org)).bytes.used, 0);
  });

  it('are replaced in one step; the old video is removed after the grace period', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    const old = await upload(org, id, 'tiny.mp4');
    assert.deepEqual(await listKeys(org, id), [old.object_key]);
    const next = await upload(org, id, 'tiny.mov', { replace: true });
    assert.deepEqual(await listKeys(org, id), [next.object_key]);
    await collectGarbage(service.app);
    assert.deepEqual(stored(id), [old.object_key, next.object_key].sort());
    service.clock.advance(61_000);
    await collectGarbage(service.app);
    assert.deepEqual(stored(id), [next.object_key]);
  });

  it('that no client asked about are found by the sweep when their URL has expired', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const granted = await upload(org, id, 'slide.jpg');
    const never = await grant(org, id);
    service.clock.advance(3_600_000 + 61_000);
    await collectGarbage(service.app);
    assert.equal((await complete(org, id, granted.object_key)).status, 200);
    assert.equal((await complete(org, id, never.object_key)).status, 404);
  });

  it('cannot be checked while the S3 server is away: known assets are listed, and the rest is 503', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { object_key } = await upload(org, id, 'slide.png');
    assert.deepEqual(await listKeys(org, id), [object_key]);
    const pending = await grant(org, id);
    const { find } = service.app.store;
    // No server listens on this port.
    const config = { ...bucket, endpoint: 'http://127.0.0.1:9', forcePathStyle: true };
    service.app.store.find = (await openS3Store(config, service.clock)).find;
    try {
      assert.deepEqual(await listKeys(org, id), [object_key]);
      const answer = await complete(org, id, pending.object_key);
      assert.equal(answer.status, 503);
      assert.match(answer.json.detail, /file store does not answer/);
    } finally {
      service.app.store.find = find;
    }
  });

  it('in a bucket that does not exist, or with wrong keys, keep the service from starting', async () => {
    const s3 = { ...bucket, endpoint: bucket.url, forcePathStyle: true };
    const check = async (more: Partial<typeof s3>) =>
      (await openS3Store({ ...s3, ...more }, service.clock)).check();
    await check({});
    await assert.rejects(check({ bucket: 'missing' }), /S3_BUCKET names a bucket/);
    await assert.rejects(check({ secretAccessKey: 'wrong' }), /refuses access/);
    // A server that is away may come back.
    await assert.rejects(
      check({ endpoint: 'http://127.0.0.1:9' }),
      (error) => !(error instanceof ConfigError),
    );
  });

  it('are removed with their post at once, or one by one', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const first = await upload(org, id, 'slide.png');
    const second = await upload(org, id, 'slide.jpg');
    assert.deepEqual(await listKeys(org, id), [first.object_key, second.object_key]);
    assert.equal((await removeOne(org, id, first.object_key)).status, 204);
    assert.deepEqual(await listKeys(org, id), [second.object_key]);
    assert.ok(stored(id).every((key) => key.includes(second.object_key)));
    assert.equal((await org.call('DELETE', `/api/v1/posts/${id}`)).status, 204);
    assert.deepEqual(stored(id), []);
  });

  it('are copied in the bucket with a post, and found first if they have just arrived', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const granted = await grant(org, id, { filename: 'slide.png' });
    assert.equal((await put(granted.upload_url, media('slide.png'), 'image/png')).status, 200);
    const { status, json } = await org.call('POST', `/api/v1/posts/${id}/duplicate`);
    assert.equal(status, 201);
    const [copy] = (await listAssets(org, json.data.id)).data;
    assert.deepEqual(stored(json.data.id), [copy!.object_key, `thumbnails/${copy!.object_key}.webp`]);
    assert.equal((await removeOne(org, id, granted.object_key)).status, 204);
    assert.deepEqual((await download(copy!.url)).bytes, media('slide.png'));
  });
});
