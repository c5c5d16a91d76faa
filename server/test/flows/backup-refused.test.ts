// What a restore refuses before it writes anything, and how the encryption key travels.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { restore } from '../../src/backup-commands.js';
import { readConfig } from '../../src/config/config.js';
import { type Filled, fillInstallation, newFolder, run } from '../support/installations/copying.js';
import { Installation } from '../support/installations/restore.js';
import { everyday } from '../support/runner/test-tiers.js';
import { TEST_KEY } from '../support/service/harness.js';
import { filesIn } from '../support/service/uploads.js';

const PASSPHRASE = 'a passphrase of enough length';

describe('a backup', () => {
  const backups = newFolder();
  const good = backups.below('good');
  let source: Installation;
  let filled: Filled;
  let targets = 0;

  before(async () => {
    source = await Installation.make('sqlite', 'disk');
    const running = await source.start();
    filled = await fillInstallation(source, running);
    await running.stop();
    await run('backup', { ...source.environment(), BACKUP_PASSPHRASE: PASSPHRASE }, '--to', good);
  });
  after(async () => {
    await source.remove();
    backups.remove();
  });

  /** The environment of an installation that does not exist yet. */
  const newTarget = (more: Record<string, string> = {}) => {
    const DATA_DIR = backups.below(`target-${++targets}`);
    return { ...source.environment(), DATA_DIR, ENCRYPTION_KEY: TEST_KEY, ...more };
  };
  async function assertNothingWritten(DATA_DIR: string): Promise<void> {
    const files = await filesIn(DATA_DIR).catch(() => []);
    assert.deepEqual(
      files.filter((name) => !name.startsWith('files/drafts')),
      [],
    );
  }
  async function assertRefused(from: string, why: RegExp, env = newTarget()): Promise<void> {
    await assert.rejects(run('restore', env, '--from', from), why);
    await assertNothingWritten(env.DATA_DIR);
  }
  /** A copy of the good backup, damaged. */
  function damaged(name: string, damage: (folder: string) => void): string {
    const folder = backups.below(name);
    cpSync(good, folder, { recursive: true });
    damage(folder);
    return folder;
  }
  const flipByte = (file: string) => {
    const bytes = readFileSync(file);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  };
  const anyFileIn = (folder: string) =>
    (readdirSync(join(folder, 'files'), { recursive: true }) as string[])
      .map((name) => join(folder, 'files', name))
      .filter((name) => statSync(name).isFile())[0] as string;

  const DAMAGES: [what: string, damage: (folder: string) => void][] = [
    ['a table with another byte', (folder) => flipByte(join(folder, 'tables/posts.ndjson.gz'))],
    [
      'a table that ends too early',
      (folder) => {
        const file = join(folder, 'tables/posts.ndjson.gz');
        writeFileSync(file, readFileSync(file).subarray(0, -20));
      },
    ],
    ['a missing table', (folder) => rmSync(join(folder, 'tables/assets.ndjson.gz'))],
    [
      'a table of other rows',
      (folder) => cpSync(join(folder, 'tables/audit.ndjson.gz'), join(folder, 'tables/events.ndjson.gz')),
    ],
    ['a file with another byte', (folder) => flipByte(anyFileIn(folder))],
    ['a missing file', (folder) => rmSync(anyFileIn(folder))],
    ['a list with another byte', (folder) => flipByte(join(folder, 'lists/1.ndjson.gz'))],
  ];
  for (const [what, damage] of everyday(3, DAMAGES, 'damages'))
    it(`with ${what} is refused before anything is written`, async () => {
      await assertRefused(damaged(what.replaceAll(' ', '-'), damage), /backup is damaged/);
    });

  it('without its manifest is incomplete, and a damaged manifest is refused', async () => {
    await assertRefused(
      damaged('incomplete', (folder) => rmSync(join(folder, 'manifest.json'))),
      /no complete backup/,
    );
    await assertRefused(
      damaged('odd', (folder) => writeFileSync(join(folder, 'manifest.json'), '{')),
      /damaged, or of a newer version/,
    );
  });

  it('of a newer version is refused', async () => {
    const newer = damaged('newer', (folder) => {
      const file = join(folder, 'manifest.json');
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(/"schema_version": \d+/, '"schema_version": 9999'),
      );
    });
    await assertRefused(newer, /newer version of Airdate/);
  });

  it('is never written into a folder that holds something', async () => {
    await assert.rejects(run('backup', source.environment(), '--to', good), /holds a backup/);
    const other = backups.below('taken');
    cpSync(join(good, 'lists'), other, { recursive: true });
    await assert.rejects(
      run('backup', source.environment(), '--to', other),
      /delete the folder and begin again/,
    );
  });

  it('does not reveal the encryption key', () => {
    const manifest = readFileSync(join(good, 'manifest.json'), 'utf8');
    assert.ok(!manifest.includes(TEST_KEY));
    assert.match(manifest, /"key_id": "[0-9a-f]{8}"/);
  });

  it('needs its key: another one, none, or a wrong passphrase is refused', async () => {
    await assertRefused(good, /not the key of this backup/, newTarget({ ENCRYPTION_KEY: 'cd'.repeat(32) }));
    await assertRefused(good, /Set BACKUP_PASSPHRASE/, newTarget({ ENCRYPTION_KEY: '' }));
    const wrong = { ENCRYPTION_KEY: '', BACKUP_PASSPHRASE: 'another one of enough length' };
    await assertRefused(good, /not the passphrase of this backup/, newTarget(wrong));
  });

  it('is not made with a key that is not that of the database', async () => {
    const wrong = { ENCRYPTION_KEY: 'cd'.repeat(32), BACKUP_PASSPHRASE: PASSPHRASE };
    const to = backups.below('wrong-key');
    await assert.rejects(
      run('backup', { ...source.environment(), ...wrong }, '--to', to),
      /is not the key of this database, which has the id [0-9a-f]{8}/,
    );
    assert.ok(!existsSync(join(to, 'manifest.json')));
  });

  it('that was made while its key was replaced brings both keys along, also if the restore is interrupted', async () => {
    const [next, to] = ['ef'.repeat(32), backups.below('rotating')];
    const rotating = { ENCRYPTION_KEY: next, ENCRYPTION_KEYS_OLD: TEST_KEY, BACKUP_PASSPHRASE: PASSPHRASE };
    await run('backup', { ...source.environment(), ...rotating }, '--to', to);
    const env = newTarget({ ENCRYPTION_KEY: '', BACKUP_PASSPHRASE: PASSPHRASE });
    const interrupted = restore(readConfig('restore', env), ['--from', to], {
      say: () => {},
      report(step) {
        if (step === 'the schema is there') throw new Error('interrupted');
      },
    });
    await assert.rejects(interrupted, /interrupted/);
    const output = await run('restore', env, '--from', to);
    const [current, old] = ['encryption.key', 'encryption-old.keys'].map((name) => join(env.DATA_DIR, name));
    assert.ok(output.includes(`set ENCRYPTION_KEYS_OLD to what ${old} holds`), output);
    assert.deepEqual(
      [current, old].map((file) => readFileSync(file as string, 'utf8').trim()),
      [next, TEST_KEY],
    );
  });

  it('brings its key along, opened by the passphrase, for its owner alone', async () => {
    const env = newTarget({ ENCRYPTION_KEY: '', BACKUP_PASSPHRASE: PASSPHRASE });
    await run('restore', env, '--from', good);
    const file = join(env.DATA_DIR, 'encryption.key');
    assert.equal(readFileSync(file, 'utf8').trim(), TEST_KEY);
    assert.equal(statSync(file).mode & 0o077, 0);
  });

  it('is refused by a file store that is not empty', async () => {
    const env = newTarget();
    const foreign = join(env.DATA_DIR, 'files/orgs/a.png');
    cpSync(join(good, 'manifest.json'), foreign, { recursive: true });
    await assert.rejects(run('restore', env, '--from', good), /file store is not empty: it has orgs\/a.png/);
    assert.ok(existsSync(foreign));
  });

  it('says which files the store has lost, and contains everything else', async () => {
    const running = await source.start();
    const org = source.organizationIn(running, filled.org);
    const { json } = await org.call('GET', `/api/v1/posts/${filled.slides}/assets`);
    const key = json.data[0].object_key;
    await running.app.store.remove(key);
    await running.stop();
    const output = await run('backup', source.environment(), '--to', backups.below('lossy'));
    assert.match(output, new RegExp(`are not in the backup: 1\\n  ${key}`));
    const env = newTarget();
    assert.match(await run('restore', env, '--from', backups.below('lossy')), /Missing already .*: 1/);
    assert.ok(existsSync(join(env.DATA_DIR, 'airdate.db')));
  });
});
