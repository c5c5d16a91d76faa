// The same call uploads straight to a bucket: the service only signs the addresses.
import assert from 'node:assert/strict';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { Airdate, type Asset } from '@airdate/sdk';
import { compareBigVideo, sendBigVideo } from '../support/media/big-video.js';
import { type Organization, startTestService, type TestService } from '../support/service/harness.js';
import { bucketEnv, MIB } from '../support/service/part-uploads.js';
import { media, WITHOUT_WORKER } from '../support/service/uploads.js';
import { ROOT } from '../support/sources/sdk-sources.js';
import { type S3Server, startS3Server } from '../support/storage/s3-server.js';

const SIZE = 9 * MIB;

describe('posts.upload to a bucket', () => {
  let bucket: S3Server;
  let service: TestService;
  let org: Organization;
  let airdate: Airdate;
  before(async () => {
    bucket = await startS3Server({ now: () => Date.now() });
    service = await startTestService('sqlite', {
      ...WITHOUT_WORKER,
      env: { ...WITHOUT_WORKER.env, ...bucketEnv(bucket) },
    });
    org = await service.newOrganization();
    airdate = new Airdate({ url: service.url, apiKey: org.key });
  });
  after(async () => {
    await service.stop();
    await bucket.stop();
  });

  const isInBucket = ({ url }: Asset) => new URL(url).origin === bucket.url;

  it('sends a slide', async () => {
    const asset = await airdate.posts.upload(await org.addPost(), join(ROOT, 'server/test/media/slide.png'));
    assert.ok(isInBucket(asset), asset.url);
    const bytes = await (await fetch(asset.url)).arrayBuffer();
    assert.deepEqual(Buffer.from(bytes), Buffer.from(media('slide.png')));
  });

  it('sends a video in parts', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'airdate-sdk-bucket-'));
    try {
      const film = join(dir, 'film.mp4');
      await pipeline(sendBigVideo(SIZE), createWriteStream(film));
      const id = await org.addPost({ post_type: 'video' });
      const asset = await airdate.posts.upload(id, film, { parts: true });
      assert.ok(isInBucket(asset), asset.url);
      const { body } = await fetch(asset.url);
      assert.ok(body);
      await pipeline(body, compareBigVideo(SIZE));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
