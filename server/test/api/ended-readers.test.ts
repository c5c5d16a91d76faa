// A file that ends the processes that read it: each is counted before it reads the first byte, and after two the file is rejected.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, it } from 'node:test';
import { endIdleChildren } from '../../src/assets/media/children.js';
import { uploadKey } from '../../src/object-store/object-keys.js';
import { collectGarbage } from '../../src/worker/worker.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { assertProblem } from '../support/service/posts.js';
import { quotasOf } from '../support/service/quotas.js';
import {
  complete,
  GRACE_MS,
  grant,
  listAssets,
  media,
  put,
  storedFor,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

/** Longer than any reader lives. */
const LATER_MS = 151_000;
const REASON = /^The file couldn't be checked in two tries\. Save it again/;

onEngines('sqlite', 'A file whose readers end', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  afterEach(() => service.clock.resume());

  const granted = async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    return { org, id, ...(await grant(org, id)) };
  };
  const usedBytes = async (org: Organization) => (await quotasOf(org)).bytes.used;
  const countsOf = (key: string) =>
    service.app.db.read
      .selectFrom('assets')
      .select(['inspection_failures', 'state'])
      .where('object_key', '=', key)
      .executeTakeFirstOrThrow();
  const setReaders = (key: string, inspection_failures: number, inspection_began_at: number) =>
    service.app.db.transact((tx) =>
      tx
        .updateTable('assets')
        .set({ inspection_failures, inspection_began_at })
        .where('object_key', '=', key)
        .execute(),
    );

  /** Every process that is to read a file is killed as soon as it asks for its bytes. */
  async function whileReadersDie(work: () => Promise<void>): Promise<number> {
    const { store } = service.app;
    const { read } = store;
    const started: ChildProcess[] = [];
    const seen = (message: unknown) => started.push((message as { process: ChildProcess }).process);
    // Only those that are started from now on are known, and are taken in that order.
    endIdleChildren();
    subscribe('child_process', seen);
    let killed = 0;
    store.read = async (key, range) => {
      const bytes = await read(key, range);
      const reader = range?.end !== undefined && range.end > 4096 ? started.shift() : undefined;
      if (reader?.kill('SIGKILL')) killed++;
      return bytes;
    };
    try {
      await work();
    } finally {
      store.read = read;
      unsubscribe('child_process', seen);
    }
    return killed;
  }

  it('is rejected when the second has ended, and counts no bytes', async () => {
    const { org, id, upload_url, object_key } = await granted();
    const killed = await whileReadersDie(async () => {
      assertProblem(await put(upload_url, media('slide.png'), 'image/png'), 503, 'unavailable');
      assert.equal((await countsOf(object_key)).inspection_failures, 1);
      assertProblem(await complete(org, id, object_key), 422, 'media_rejected');
    });
    assert.equal(killed, 2);
    assertProblem(await complete(org, id, object_key), 422, 'media_rejected');
    const { rejected } = await listAssets(org, id);
    assert.match(rejected[0]?.reason ?? '', REASON);
    assert.deepEqual(await storedFor(service, org), []);
    assert.equal(await usedBytes(org), 0);
  });

  it('is rejected without being read, if the service itself ended twice while it read', async () => {
    for (const way of ['list', 'complete', 'put', 'sweep'] as const) {
      const { org, id, upload_url, object_key, expires_at } = await granted();
      await service.app.store.write(uploadKey(object_key), Buffer.from(media('slide.png')));
      service.clock.stopAt(Date.parse(expires_at) - 1_000);
      await setReaders(object_key, 2, service.clock.now() - LATER_MS);
      let reads = 0;
      const { read } = service.app.store;
      service.app.store.read = (...given) => {
        reads++;
        return read(...given);
      };
      if (way === 'list') await listAssets(org, id);
      else if (way === 'complete') assertProblem(await complete(org, id, object_key), 422, 'media_rejected');
      else if (way === 'put')
        assertProblem(await put(upload_url, media('slide.png'), 'image/png'), 409, 'upload_void');
      else {
        service.clock.stopAt(Date.parse(expires_at) + GRACE_MS);
        await collectGarbage(service.app);
      }
      service.app.store.read = read;
      assert.equal(reads, 0, way);
      const { rejected } = await listAssets(org, id);
      assert.match(rejected[0]?.reason ?? '', REASON, way);
      assert.deepEqual(await storedFor(service, org), [], way);
      assert.equal(await usedBytes(org), 0, way);
      service.clock.resume();
    }
  });

  it('waits while two other processes read it, and is accepted if they end well', async () => {
    const { org, id, object_key } = await granted();
    await service.app.store.write(uploadKey(object_key), Buffer.from(media('slide.png')));
    await setReaders(object_key, 2, service.clock.now());
    assertProblem(await complete(org, id, object_key), 503, 'unavailable');
    assert.equal((await countsOf(object_key)).inspection_failures, 2, 'it has not begun');
    await setReaders(object_key, 1, service.clock.now());
    assert.equal((await complete(org, id, object_key)).status, 200);
  });

  it('does not count those that ended because of the store', async () => {
    const { org, id, object_key } = await granted();
    await service.app.store.write(uploadKey(object_key), Buffer.from(media('slide.png')));
    const { read, move } = service.app.store;
    const away = () => Promise.reject(new Error('the store is away'));
    service.app.store.read = away;
    for (let n = 0; n < 3; n++) assertProblem(await complete(org, id, object_key), 503, 'unavailable');
    service.app.store.read = read;
    service.app.store.move = away;
    for (let n = 0; n < 3; n++) assert.ok((await complete(org, id, object_key)).status >= 500);
    service.app.store.move = move;
    assert.deepEqual(await countsOf(object_key), { inspection_failures: 0, state: 'pending' });
    assert.equal((await complete(org, id, object_key)).status, 200);
  });
});
