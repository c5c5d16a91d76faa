// What a crash leaves behind between two steps of an upload, and which call repairs it.
import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { uploadKey } from '../../src/object-store/object-keys.js';
import { collectGarbage } from '../../src/worker/worker.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { assertProblem } from '../support/service/posts.js';
import {
  type Bytes,
  bytesOf,
  complete,
  download,
  GRACE_MS,
  grant,
  listAssets,
  listKeys,
  media,
  put,
  slidesAt,
  storedFor,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

onEngines('sqlite', 'An upload that a crash interrupted', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  afterEach(() => service.clock.resume());

  /** The file is in the store, and the database does not know yet. */
  const arrived = async (at: 'upload' | 'object' | 'both', bytes: Bytes = media('slide.png')) => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const granted = await grant(org, id);
    if (at !== 'object') await service.app.store.write(uploadKey(granted.object_key), Buffer.from(bytes));
    if (at !== 'upload') await service.app.store.write(granted.object_key, Buffer.from(bytes));
    return { org, id, ...granted };
  };

  const assertWhole = async (org: Organization, id: string, key: string) => {
    assert.deepEqual(await listKeys(org, id), [key]);
    assert.deepEqual(await storedFor(service, org), slidesAt(key));
    const { url, size } = (await listAssets(org, id)).data[0]!;
    assert.equal(size, media('slide.png').length);
    assert.deepEqual((await download(url)).bytes, media('slide.png'));
  };

  for (const [at, moment] of [
    ['upload', 'after it arrived'],
    ['object', 'after it was moved'],
    ['both', 'while it was moved'],
  ] as const) {
    it(`${moment} is found by listing the assets`, async () => {
      const { org, id, object_key } = await arrived(at);
      await assertWhole(org, id, object_key);
    });

    it(`${moment} is found by complete`, async () => {
      const { org, id, object_key } = await arrived(at);
      const answer = await complete(org, id, object_key);
      assert.equal(answer.status, 200, answer.text);
      await assertWhole(org, id, object_key);
    });

    it(`${moment} is found by the repeated PUT, which answers 409`, async () => {
      const { org, id, object_key, upload_url } = await arrived(at);
      assertProblem(await put(upload_url, media('slide.png'), 'image/png'), 409, 'already_uploaded');
      await assertWhole(org, id, object_key);
    });

    it(`${moment} is found by the sweep, and kept`, async () => {
      const { org, id, object_key, expires_at } = await arrived(at);
      service.clock.stopAt(Date.parse(expires_at) + GRACE_MS);
      await collectGarbage(service.app);
      await assertWhole(org, id, object_key);
    });

    it(`${moment} is found once when many requests come at the same time`, async () => {
      const { org, id, object_key } = await arrived(at);
      const lists = await Promise.all(Array.from({ length: 6 }, () => listKeys(org, id)));
      assert.deepEqual(lists, Array(6).fill([object_key]));
      await assertWhole(org, id, object_key);
    });

    it(`${moment} is still refused if its content is not what was announced`, async () => {
      const { org, id, object_key } = await arrived(at, bytesOf('no picture'));
      const { data, rejected } = await listAssets(org, id);
      assert.deepEqual([data, rejected.map((asset) => asset.object_key)], [[], [object_key]]);
      assertProblem(await complete(org, id, object_key), 422, 'media_rejected');
      assert.deepEqual(await storedFor(service, org), []);
    });
  }

  it('replaces the old video once it is found', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    const old = await grant(org, id, { filename: 'tiny.mp4' });
    assert.equal((await put(old.upload_url, media('tiny.mp4'), 'video/mp4')).status, 200);
    const { object_key } = await grant(org, id, { filename: 'tiny.webm', replace: true });
    await service.app.store.write(uploadKey(object_key), Buffer.from(media('tiny.webm')));
    assert.deepEqual(await listKeys(org, id), [object_key]);
    assert.deepEqual(await storedFor(service, org), [old.object_key, object_key].sort());
  });

  it('has the announced length, or is refused', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { object_key } = await grant(org, id, { content_length: 100 });
    await service.app.store.write(uploadKey(object_key), Buffer.from(media('slide.png')));
    const { data, rejected } = await listAssets(org, id);
    assert.deepEqual([data, rejected.length], [[], 1]);
    assert.match(rejected[0]!.reason, /100 were declared/);
  });

  it('is forgotten once its grant and the grace period have ended if it never came', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { object_key, expires_at } = await grant(org, id);
    const rows = () =>
      service.app.db.read.selectFrom('assets').select('state').where('object_key', '=', object_key).execute();
    service.clock.stopAt(Date.parse(expires_at) + GRACE_MS - 1);
    await collectGarbage(service.app);
    assert.deepEqual(await rows(), [{ state: 'pending' }]);
    service.clock.advance(1);
    await collectGarbage(service.app);
    assert.deepEqual(await rows(), []);
    assertProblem(await complete(org, id, object_key), 404, 'not_found');
  });

  it('is removed from the refused uploads after the grace period', async () => {
    service.clock.stopAt(Date.parse('2030-01-01T12:00:00Z'));
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { upload_url } = await grant(org, id);
    assert.equal((await put(upload_url, bytesOf('no picture'), 'image/png')).status, 422);
    service.clock.advance(GRACE_MS - 1);
    await collectGarbage(service.app);
    assert.equal((await listAssets(org, id)).rejected.length, 1);
    service.clock.advance(1);
    await collectGarbage(service.app);
    assert.deepEqual(await listAssets(org, id), { data: [], rejected: [] });
  });
});
