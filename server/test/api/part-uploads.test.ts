// Uploads in parts, on disk and in a bucket alike: how they begin, go on, end, and what is refused.
import assert from 'node:assert/strict';
import { after, afterEach, before, it } from 'node:test';
import { removeOrphans } from '../../src/object-deletion/orphans.js';
import { collectGarbage } from '../../src/worker/worker.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { type Organization, startTestService, type TestService } from '../support/service/harness.js';
import {
  askForParts,
  beginUpload,
  bigVideo,
  bucketEnv,
  completeParts,
  giveUp,
  MIB,
  md5Of,
  partOf,
  putPart,
  putParts,
  readUpload,
} from '../support/service/part-uploads.js';
import { assertProblem, assertRefused, setPost, TIMESTAMP } from '../support/service/posts.js';
import { quotasOf, setQuotas } from '../support/service/quotas.js';
import {
  download,
  filesIn,
  GRACE_MS,
  listAssets,
  storeFolder,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';
import { type S3Server, startS3Server } from '../support/storage/s3-server.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const SIZE = 18 * MIB + 5;

const STORES = ['disk', 's3'] as const;

for (const kind of STORES)
  onEngines('sqlite', `An upload in parts on ${kind}`, (engine) => {
    /** A test that one of the stores has on ordinary days. */
    const itOnOneStore = (title: string, run: () => Promise<void>) => {
      if (everyday(1, STORES, title).includes(kind)) it(title, run);
    };
    let bucket: S3Server | null = null;
    let service: TestService;
    let video: Buffer;
    before(async () => {
      video = await bigVideo(SIZE);
      let now = () => Date.now();
      bucket = kind === 's3' ? await startS3Server({ now: () => now() }) : null;
      service = await startTestService(engine, {
        ...WITHOUT_WORKER,
        env: { ...WITHOUT_WORKER.env, ...(bucket ? bucketEnv(bucket) : {}) },
      });
      now = () => service.clock.now();
    });
    afterEach(() => service.clock.resume());
    after(async () => {
      await service.stop();
      await bucket?.stop();
    });

    const aVideoPost = async () => {
      const org = await service.newOrganization();
      return { org, id: await org.addPost({ post_type: 'video' }) };
    };
    /** Everything the store has of an organization: objects, and parts or open uploads. */
    const stored = async (org: Organization): Promise<string[]> =>
      bucket
        ? [
            ...bucket.objects.keys(),
            ...[...bucket.uploads.values()].map(({ key }) => `parts of ${key}`),
          ].filter((key) => key.includes(org.id))
        : (await filesIn(storeFolder(service))).filter((file) => file.includes(org.id));

    it('becomes the video of its post when all parts have arrived, byte for byte', async () => {
      const { org, id } = await aVideoPost();
      const began = service.clock.now();
      const grant = await beginUpload(org, id, SIZE);
      assert.deepEqual(Object.keys(grant).sort(), [
        'expires_at',
        'object_key',
        'part_size',
        'parts',
        'upload_id',
        'urls_expire_at',
      ]);
      assert.deepEqual(
        grant.parts.map(({ number }) => number),
        [1, 2, 3],
      );
      assert.match(grant.expires_at, TIMESTAMP);
      assert.ok(Math.abs(Date.parse(grant.expires_at) - began - 7 * DAY_MS) < 60_000, grant.expires_at);
      assert.ok(Math.abs(Date.parse(grant.urls_expire_at) - began - 2 * HOUR_MS) < 60_000);
      const list = (await org.call('GET', `/api/v1/posts/${id}/assets`)).json;
      assert.deepEqual([list.data, list.pending[0].upload_id], [[], grant.upload_id]);

      await putParts(grant, video);
      const answer = await completeParts(org, id, grant.upload_id);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.json.data.object_key, answer.json.data.size], [grant.object_key, SIZE]);
      const { bytes } = await download(answer.json.data.url);
      assert.ok(video.equals(bytes), 'other bytes than were sent');
      assert.deepEqual(await stored(org), [grant.object_key]);
      assert.equal((await quotasOf(org)).bytes.used, SIZE);
      // After a lost answer.
      assert.equal((await completeParts(org, id, grant.upload_id)).json.data.object_key, grant.object_key);
      const { json } = await readUpload(org, id, grant.upload_id);
      assert.deepEqual([json.data.arrived, json.data.parts], [[1, 2, 3], []]);
    });

    itOnOneStore('says which parts have arrived, and gives new URLs for the others', async () => {
      const { org, id } = await aVideoPost();
      const grant = await beginUpload(org, id, SIZE);
      const url = (number: number) => grant.parts[number - 1]?.upload_url ?? '';
      assert.equal(await putPart(url(2), partOf(video, grant.part_size, 2)), 200);
      service.clock.advance(3 * HOUR_MS);
      assert.equal(await putPart(url(1), partOf(video, grant.part_size, 1)), 403);
      const { json } = await readUpload(org, id, grant.upload_id);
      const { parts, arrived, expires_at } = json.data;
      assert.deepEqual([arrived, parts.map((part: { number: number }) => part.number)], [[2], [1, 3]]);
      assert.equal(expires_at, grant.expires_at);
      const from3 = (await readUpload(org, id, grant.upload_id, '?from=3')).json.data;
      assert.deepEqual(
        [from3.arrived, from3.parts.map((part: { number: number }) => part.number)],
        [[2], [3]],
      );
      assert.deepEqual((await readUpload(org, id, grant.upload_id, '?from=4')).json.data.parts, []);
      assertRefused(await readUpload(org, id, grant.upload_id, '?from=0'), 'from');
      assertProblem(await completeParts(org, id, grant.upload_id), 409, 'upload_incomplete');
      assert.match((await completeParts(org, id, grant.upload_id)).json.detail, /2 of 3 parts.*: 1 and 3/);
      await putParts(json.data, video);
      assert.equal((await completeParts(org, id, grant.upload_id)).status, 200);
    });

    itOnOneStore(
      'refuses a part of another length or with a wrong Content-MD5, and takes one without',
      async () => {
        const { org, id } = await aVideoPost();
        const { parts, part_size, upload_id } = await beginUpload(org, id, SIZE);
        const url = parts[2]?.upload_url ?? '';
        const part = partOf(video, part_size, 3);
        assert.ok((await putPart(url, part.subarray(1))) >= 400);
        assert.ok((await putPart(url, partOf(video, part_size, 1))) >= 400);
        assert.equal(await putPart(url, part, { 'content-md5': md5Of(Buffer.from('other')) }), 400);
        assert.equal(await putPart(url, part, { 'content-md5': 'x' }), 400);
        assert.deepEqual((await readUpload(org, id, upload_id)).json.data.arrived, []);
        assert.equal(await putPart(url, part, {}), 200);
        assert.equal(await putPart(url, part), 200);
        assert.deepEqual((await readUpload(org, id, upload_id)).json.data.arrived, [3]);
      },
    );

    itOnOneStore('lets pages of any origin send the header', async () => {
      const { org, id } = await aVideoPost();
      const { parts } = await beginUpload(org, id, SIZE);
      const preflight = await fetch(parts[0]?.upload_url ?? '', {
        method: 'OPTIONS',
        headers: {
          origin: 'https://app.example.com',
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'content-md5',
        },
      });
      assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /content-md5/i);
      assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PUT/);
    });

    itOnOneStore('needs a video and its length, and at most 4 GB', async () => {
      const { org, id } = await aVideoPost();
      const slides = await org.addPost();
      assertRefused(await askForParts(org, slides, { content_type: 'image/png' }), 'parts');
      assertRefused(await askForParts(org, id, { content_length: undefined }), 'content_length');
      assertRefused(await askForParts(org, id, { parts: 'yes' }), 'parts');
      assertRefused(await askForParts(org, id, { content_type: 'image/png' }), 'content_type');
      assertProblem(await askForParts(org, id, { content_length: 4096 * MIB + 1 }), 413, 'file_too_large');
      await setPost(service, id, { status: 'archived' });
      assertProblem(await askForParts(org, id), 409, 'wrong_state');
      assert.deepEqual(await stored(org), []);
    });

    itOnOneStore('of 4 GB has as many parts as it needs, and gives the first hundred URLs', async () => {
      const { org, id } = await aVideoPost();
      const { parts, part_size, upload_id } = await beginUpload(org, id, 4096 * MIB);
      assert.deepEqual([parts.length, part_size], [100, 8 * MIB]);
      const { json } = await readUpload(org, id, upload_id, '?from=501');
      assert.deepEqual(
        [json.data.parts.length, json.data.parts[0].number, json.data.parts.at(-1).number],
        [12, 501, 512],
      );
    });

    itOnOneStore('holds the place and the bytes of its video for 7 days, and not longer', async () => {
      const { org, id } = await aVideoPost();
      const grant = await beginUpload(org, id, SIZE);
      await putPart(grant.parts[0]?.upload_url ?? '', partOf(video, grant.part_size, 1));
      service.clock.advance(6 * DAY_MS);
      await collectGarbage(service.app);
      assertProblem(await askForParts(org, id), 409, 'video_exists');
      assert.equal((await quotasOf(org)).bytes.used, SIZE);
      assert.deepEqual((await readUpload(org, id, grant.upload_id)).json.data.arrived, [1]);
      service.clock.advance(DAY_MS);
      assertProblem(await readUpload(org, id, grant.upload_id), 409, 'upload_void');
      service.clock.advance(GRACE_MS);
      await collectGarbage(service.app);
      assert.equal((await readUpload(org, id, grant.upload_id)).status, 404);
      assert.equal((await quotasOf(org)).bytes.used, 0);
      assert.deepEqual(await stored(org), []);
    });

    itOnOneStore(
      'that is given up frees its place at once and leaves nothing; a complete one stays',
      async () => {
        const { org, id } = await aVideoPost();
        const grant = await beginUpload(org, id, SIZE);
        await putPart(grant.parts[0]?.upload_url ?? '', partOf(video, grant.part_size, 1));
        assert.equal((await giveUp(org, id, grant.upload_id)).status, 204);
        assert.deepEqual(await stored(org), []);
        assert.equal((await giveUp(org, id, grant.upload_id)).status, 404);
        assert.ok(
          (await putPart(grant.parts[1]?.upload_url ?? '', partOf(video, grant.part_size, 2))) >= 400,
        );
        assert.deepEqual(await stored(org), []);
        const next = await beginUpload(org, id, SIZE);
        await putParts(next, video);
        assert.equal((await completeParts(org, id, next.upload_id)).status, 200);
        assertProblem(await giveUp(org, id, next.upload_id), 409, 'already_uploaded');
        assert.equal((await listAssets(org, id)).data.length, 1);
      },
    );

    itOnOneStore('replaces a video only when it is complete, and voids an upload before it', async () => {
      const { org, id } = await aVideoPost();
      await upload(org, id, 'tiny.mp4');
      assert.equal((await listAssets(org, id)).data.length, 1);
      assertProblem(await askForParts(org, id), 409, 'video_exists');
      const first = await beginUpload(org, id, SIZE, { replace: true });
      await putPart(first.parts[0]?.upload_url ?? '', partOf(video, first.part_size, 1));
      const second = await beginUpload(org, id, SIZE, { replace: true });
      assert.equal((await readUpload(org, id, first.upload_id)).status, 404);
      assert.deepEqual(
        (await listAssets(org, id)).data.map(({ filename }) => filename),
        ['tiny.mp4'],
      );
      await putParts(second, video);
      assert.equal((await completeParts(org, id, second.upload_id)).status, 200);
      assert.deepEqual(
        (await listAssets(org, id)).data.map(({ filename }) => filename),
        ['film.mp4'],
      );
      service.clock.advance(GRACE_MS + 1000);
      await collectGarbage(service.app);
      assert.deepEqual(await stored(org), [second.object_key]);
    });

    itOnOneStore(
      'whose file is no video is rejected with the reason, and nothing of it is kept',
      async () => {
        const { org, id } = await aVideoPost();
        const grant = await beginUpload(org, id, SIZE);
        await putParts(grant, Buffer.alloc(SIZE, 7));
        assertProblem(await completeParts(org, id, grant.upload_id), 422, 'media_rejected');
        assertProblem(await completeParts(org, id, grant.upload_id), 422, 'media_rejected');
        assert.deepEqual(await stored(org), []);
        assert.equal((await listAssets(org, id)).rejected.length, 1);
      },
    );

    itOnOneStore(
      'beyond the quota is refused before it begins, and leaves nothing in the store',
      async () => {
        const { org, id } = await aVideoPost();
        await setQuotas(service, org, { bytes: SIZE - 1 });
        assertProblem(await askForParts(org, id, { content_length: SIZE }), 409, 'quota_exceeded');
        assert.deepEqual(await stored(org), []);
      },
    );

    itOnOneStore('is begun once for an Idempotency-Key, and completed once', async () => {
      const { org, id } = await aVideoPost();
      const body = { filename: 'a.mp4', content_type: 'video/mp4', content_length: SIZE, parts: true };
      const ask = () => org.call('POST', `/api/v1/posts/${id}/assets`, body, { 'idempotency-key': 'one' });
      const [first, again] = [await ask(), await ask()];
      assert.deepEqual([again.status, again.text], [200, first.text]);
      await putParts(first.json, video);
      const end = () => completeParts(org, id, first.json.upload_id, { 'idempotency-key': 'two' });
      const answers = await Promise.all([end(), end(), end()]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200],
      );
      assert.deepEqual(await stored(org), [first.json.object_key]);
    });

    itOnOneStore(
      'is not completed in a post that no longer changes, and is found there again once it does',
      async () => {
        const { org, id } = await aVideoPost();
        const grant = await beginUpload(org, id, SIZE);
        await putParts(grant, video);
        await setPost(service, id, { status: 'archived' });
        assertProblem(await completeParts(org, id, grant.upload_id), 409, 'wrong_state');
        await setPost(service, id, { status: 'draft' });
        assert.equal((await completeParts(org, id, grant.upload_id)).status, 200);
      },
    );

    it('whose parts no row knows is swept, and that of a running upload is not', async () => {
      const { org, id } = await aVideoPost();
      const grant = await beginUpload(org, id, SIZE);
      await putPart(grant.parts[0]?.upload_url ?? '', partOf(video, grant.part_size, 1));
      const orphan = grant.object_key.replace('film', 'orphan');
      const lost = await service.app.store.parts.begin(orphan);
      const bytes = Buffer.from('lost');
      const expiresAt = service.clock.now() + HOUR_MS;
      // Our own routes take no part without a row, so it is stored directly.
      if (kind === 'disk') await service.app.store.write(`parts/${orphan}/1`, bytes);
      else await putPart(service.app.store.signPart(lost, { number: 1, length: 4, expiresAt }), bytes);
      const unfinished = async () => {
        const keys = new Set<string>();
        for await (const { key } of service.app.store.parts.unfinished()) keys.add(key);
        return [grant.object_key, orphan].filter((key) => keys.has(key));
      };
      await removeOrphans(service.app);
      assert.deepEqual(await unfinished(), [grant.object_key, orphan]);
      service.clock.advance(GRACE_MS + HOUR_MS);
      await removeOrphans(service.app);
      assert.deepEqual(await unfinished(), [grant.object_key]);
    });
  });
