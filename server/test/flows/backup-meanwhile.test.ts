// A file is removed between the copy of its row and its own: the backup has neither.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, it } from 'node:test';
import { type BackupDeps, makeBackup } from '../../src/operator/backup/backup.js';
import { BackupFolder, readLines, verifyBackup } from '../../src/operator/backup/folder.js';
import { newFolder } from '../support/installations/copying.js';
import { Installation, type Running } from '../support/installations/restore.js';
import { onEngines } from '../support/runner/test-tiers.js';
import type { Organization } from '../support/service/harness.js';
import { filesIn, upload } from '../support/service/uploads.js';

async function* cutShort(body: Readable) {
  for await (const chunk of body) {
    yield chunk.subarray(0, 10);
    throw new Error('the connection was reset');
  }
}

onEngines('sqlite', 'a backup while a post is deleted', (engine) => {
  const backups = newFolder();
  let installation: Installation;
  let running: Running;
  let org: Organization;
  before(async () => {
    installation = await Installation.make(engine);
    running = await installation.start();
    org = await installation.newOrganization(running);
  });
  after(async () => {
    await installation.remove();
    backups.remove();
  });

  const backUp = (to: string, store: BackupDeps['store']) =>
    makeBackup({ db: running.app.db, store, keys: null, passphrase: null, report: () => {} }, to);

  it('copies the rows anew, and has no row without its file', async () => {
    const [doomed, kept] = [await org.addPost({ title: 'Doomed' }), await org.addPost({ title: 'Kept' })];
    for (const id of [doomed, kept]) await upload(org, id, 'slide.jpg');
    const { store } = running.app;
    let deleted: Promise<unknown> | undefined;
    const manifest = await backUp(backups.below('anew'), {
      ...store,
      async find(key) {
        deleted ??= org.call('DELETE', `/api/v1/posts/${doomed}`);
        await deleted;
        return store.find(key);
      },
    });
    assert.deepEqual([Object.keys(manifest.lists), manifest.lost], [['1', '2'], []]);
    const { folder } = await BackupFolder.open(backups.below('anew'));
    await verifyBackup(folder, manifest, () => {});
    const ids: string[] = [];
    for await (const page of readLines(folder.tableFile('posts')))
      ids.push(...page.map((line) => JSON.parse(line).id));
    assert.deepEqual(ids, [kept]);
  });

  it('reads a file again if the connection to the store breaks, and ends with the whole file', async () => {
    const { store } = running.app;
    const broken = new Set<string>();
    const manifest = await backUp(backups.below('again'), {
      ...store,
      async read(key, range) {
        const body = await store.read(key, range);
        if (broken.has(key)) return body;
        broken.add(key);
        return Readable.from(cutShort(body));
      },
    });
    assert.deepEqual([broken.size > 0, manifest.lost], [true, []]);
    const { folder } = await BackupFolder.open(backups.below('again'));
    await verifyBackup(folder, manifest, () => {});
    assert.deepEqual(
      (await filesIn(backups.below('again'))).filter((name) => name.endsWith('.draft')),
      [],
    );
  });

  it('is not made if another one is being made', async () => {
    const other = running.app.db.readSnapshot('backup', async () => {
      await assert.rejects(
        backUp(backups.below('second'), running.app.store),
        /Another backup is being made/,
      );
      return 'done';
    });
    assert.equal(await other, 'done');
  });

  it('fails, and leaves no manifest, if files are removed again and again', async () => {
    const { store } = running.app;
    const known = new Set<string>();
    const vanishing: BackupDeps['store'] = {
      ...store,
      // Each round misses a file that the round before did not know.
      async find(key) {
        if (!known.has(key) && !key.startsWith('thumbnails/'))
          await upload(org, await org.addPost({ title: 'Vanishing' }), 'slide.jpg');
        known.add(key);
        return null;
      },
    };
    await assert.rejects(
      backUp(backups.below('never'), vanishing),
      /removed faster than they could be copied/,
    );
    await assert.rejects(BackupFolder.open(backups.below('never')), /no complete backup/);
  });
});
