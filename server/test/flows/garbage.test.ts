import assert from 'node:assert/strict';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, it } from 'node:test';
import { removeOrphans } from '../../src/object-deletion/orphans.js';
import { thumbnailKey, uploadKey } from '../../src/object-store/object-keys.js';
import type { ObjectStore } from '../../src/object-store/object-store.js';
import { collectGarbage } from '../../src/worker/worker.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, useService } from '../support/service/harness.js';
import { addPostIn, assertProblem, setPost, UNKNOWN_ID } from '../support/service/posts.js';
import {
  beginPut,
  filesIn,
  GRACE_MS,
  grant,
  listKeys,
  media,
  put,
  removeOne,
  slidesAt,
  storedFor,
  storeFolder,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

onEngines('sqlite', 'Garbage', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  let repair = () => {};
  afterEach(() => {
    service.clock.resume();
    repair();
    repair = () => {};
  });

  /** Runs something right before a call of the store, for the rest of the test. */
  const before = <Name extends 'remove' | 'write' | 'move' | 'find' | 'read'>(
    name: Name,
    act: (...given: Parameters<ObjectStore[Name]>) => Promise<void>,
  ) => {
    const { store } = service.app;
    const original = store[name] as (...given: unknown[]) => Promise<unknown>;
    const instead = async (...given: unknown[]) => {
      await act(...(given as Parameters<ObjectStore[Name]>));
      return original(...given);
    };
    Object.assign(store, { [name]: instead });
    repair = () => Object.assign(store, { [name]: original });
  };

  /** Objects without a database row, stored so long ago. */
  const plant = async (org: Organization, count: number, ageMs: number) => {
    const keys = Array.from(
      { length: count },
      (_, i) => `orgs/${org.id}/posts/${UNKNOWN_ID}/slides/orphan-${ageMs}-${i}.png`,
    );
    for (const key of keys) {
      await service.app.store.write(key, Buffer.from('orphan'));
      // The store uses its own clock, which is the real one.
      const then = (Date.now() - ageMs) / 1000;
      await utimes(join(storeFolder(service), key), then, then);
    }
    return keys.sort();
  };

  it('removes objects without a row after the grace period, and leaves younger ones and those of others', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { object_key } = await upload(org, id, 'slide.png');
    await grant(org, id);
    const old = await plant(org, 3, GRACE_MS + 60_000);
    const young = await plant(org, 3, GRACE_MS - 600_000);
    const strangers = [
      'notes.txt',
      'orgs/.DS_Store',
      'orgs/notes of mine.txt',
      `orgs/${UNKNOWN_ID}/keep.png`,
    ];
    const elsewhere = `orgs/${UNKNOWN_ID}/posts/${UNKNOWN_ID}/slides/of-another-database.png`;
    await service.app.store.write(elsewhere, Buffer.from('not ours'));
    for (const name of strangers) await writeFile(join(storeFolder(service), name), 'not ours');
    for (const name of [...strangers, elsewhere]) await utimes(join(storeFolder(service), name), 1, 1);
    await removeOrphans(service.app);
    assert.deepEqual(await storedFor(service, org), [...slidesAt(object_key), ...young].sort());
    const files = await filesIn(storeFolder(service));
    for (const name of [...strangers, elsewhere]) assert.ok(files.includes(name), name);
    assert.equal(old.length, 3);
    assert.deepEqual(await listKeys(org, id), [object_key]);
    for (const key of young) await service.app.store.remove(key);
  });

  it('removes an old upload that came a second time, and thumbnails without an image', async () => {
    const org = await service.newOrganization();
    const { object_key } = await upload(org, await org.addPost(), 'slide.png');
    const extra = [uploadKey(object_key), thumbnailKey(`orgs/${org.id}/posts/${UNKNOWN_ID}/slides/gone.png`)];
    for (const key of extra) await service.app.store.write(key, Buffer.from('late'));
    service.clock.advance(GRACE_MS + 60_000);
    await removeOrphans(service.app);
    assert.deepEqual(await storedFor(service, org), slidesAt(object_key));
  });

  it('leaves objects alone that are pending, ready or marked for deletion, however old they are', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    const old = await upload(org, id, 'tiny.mp4');
    service.clock.advance(10 * GRACE_MS);
    const winner = await upload(org, id, 'tiny.mp4', { replace: true });
    const pending = await grant(org, await org.addPost());
    await service.app.store.write(uploadKey(pending.object_key), Buffer.from(media('slide.png')));
    const everything = [old.object_key, winner.object_key, uploadKey(pending.object_key)].sort();
    await removeOrphans(service.app);
    assert.deepEqual(await storedFor(service, org), everything);
  });

  it('removes nothing when there are too many orphans: the database may be an old one', async () => {
    const org = await service.newOrganization();
    const some = await plant(org, 20, 2 * GRACE_MS);
    const more = await plant(org, 1, 3 * GRACE_MS);
    await removeOrphans(service.app);
    assert.deepEqual(await storedFor(service, org), [...some, ...more].sort());
    for (const key of more) await service.app.store.remove(key);
    await removeOrphans(service.app);
    assert.deepEqual(await storedFor(service, org), []);
  });

  it('removes partial files of broken uploads after the grace period', async () => {
    const temporary = join(storeFolder(service), 'drafts', 'broken');
    await writeFile(temporary, 'half a file');
    await collectGarbage(service.app);
    assert.deepEqual(await filesIn(join(storeFolder(service), 'drafts')), ['broken']);
    service.clock.advance(GRACE_MS + 60_000);
    await collectGarbage(service.app);
    assert.deepEqual(await filesIn(join(storeFolder(service), 'drafts')), []);
  });

  for (const [title, act] of [
    ['of a post', (org: Organization, id: string) => org.call('DELETE', `/api/v1/posts/${id}`)],
    ['of an asset', (org: Organization, id: string, key: string) => removeOne(org, id, key)],
  ] as const)
    it(`is retried when the store fails at a removal ${title}`, async () => {
      const org = await service.newOrganization();
      const id = await org.addPost();
      const { object_key } = await upload(org, id, 'slide.png');
      let failures = 0;
      before('remove', async () => {
        if (failures++ < 2) throw new Error('the store is away');
      });
      assert.equal((await act(org, id, object_key)).status, 204);
      assert.deepEqual(await storedFor(service, org), slidesAt(object_key));
      await collectGarbage(service.app);
      assert.deepEqual(await storedFor(service, org), slidesAt(object_key));
      await collectGarbage(service.app);
      assert.deepEqual(await storedFor(service, org), []);
      const waiting = await service.app.db.read.selectFrom('objects_to_delete').selectAll().execute();
      assert.deepEqual(
        waiting.filter((row) => row.object_key === object_key),
        [],
      );
    });

  it('is not left by an upload that the sweep cannot check because its post was published', async () => {
    const org = await service.newOrganization();
    const id = await addPostIn(service, org, 'draft');
    const { object_key, expires_at } = await grant(org, id);
    await service.app.store.write(uploadKey(object_key), Buffer.from(media('slide.png')));
    await setPost(service, id, { status: 'posted', posted_at: service.clock.now() });
    service.clock.stopAt(Date.parse(expires_at) + GRACE_MS);
    await collectGarbage(service.app);
    await collectGarbage(service.app);
    assert.deepEqual(await storedFor(service, org), []);
    assert.deepEqual(await listKeys(org, id), []);
  });

  for (const [moment, name] of [
    ['is looked for', 'find'],
    ['is looked into', 'read'],
    ['gets its thumbnail', 'write'],
    ['is moved into its place', 'move'],
  ] as const)
    for (const [title, act] of [
      ['its post is deleted', (org: Organization, id: string) => org.call('DELETE', `/api/v1/posts/${id}`)],
      ['it is removed', (org: Organization, id: string, key: string) => removeOne(org, id, key)],
    ] as const)
      it(`is not left by an upload when ${title} right before the file ${moment}`, async () => {
        const org = await service.newOrganization();
        const id = await org.addPost();
        const { upload_url, object_key } = await grant(org, id);
        let isDone = false;
        before(name, async () => {
          // Before the body arrives there is nothing to remove yet.
          if (isDone || !(await storedFor(service, org)).some((file) => file.endsWith(object_key))) return;
          isDone = true;
          assert.equal((await act(org, id, object_key)).status, 204);
        });
        assertProblem(await put(upload_url, media('slide.png'), 'image/png'), 409, 'upload_void');
        assert.ok(isDone);
        assert.deepEqual(await storedFor(service, org), []);
      });

  it('is not left by an upload when its post is deleted while the file is sent', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { upload_url } = await grant(org, id);
    const { body, answer } = beginPut(upload_url, 'image/png');
    body.write(media('slide.png').slice(0, 1000));
    await until('the upload has begun', async () => (await storedFor(service, org)).length === 1);
    assert.equal((await org.call('DELETE', `/api/v1/posts/${id}`)).status, 204);
    body.end(media('slide.png').slice(1000));
    assertProblem(await answer, 409, 'upload_void');
    assert.deepEqual(await storedFor(service, org), []);
  });

  it('is not left by uploads and deletions that race', async () => {
    const org = await service.newOrganization();
    for (let i = 0; i < 12; i++) {
      const id = await org.addPost();
      const { upload_url } = await grant(org, id);
      const putting = put(upload_url, media('slide.png'), 'image/png');
      // Ticks of the event loop, not time: each round the deletion starts a little later.
      for (let round = 0; round < i * 4; round++) await new Promise(setImmediate);
      const [uploaded, deleted] = await Promise.all([putting, org.call('DELETE', `/api/v1/posts/${id}`)]);
      assert.equal(deleted.status, 204);
      assert.ok([200, 404, 409].includes(uploaded.status), uploaded.text);
      assert.deepEqual(await storedFor(service, org), []);
    }
  });
});
