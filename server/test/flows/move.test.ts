// What a move of an embedded installation refuses, and what it leaves behind.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { NOTE_KEY, parseNote, serializeNote, type Watermark } from '../../src/restore-safety/note.js';
import { ENGINES } from '../support/databases/fresh-databases.js';
import { assertMoved, copyOf, newWorld, type World } from '../support/installations/copied-worlds.js';
import { run, runProgram } from '../support/installations/copying.js';
import { Installation } from '../support/installations/restore.js';
import { everyday } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN } from '../support/service/harness.js';

const STORES = everyday<readonly ('disk' | 's3')[]>(['s3'], ['disk', 's3']);

for (const files of ENGINES.length === 2 ? STORES : [])
  describe(`a move to postgres and ${files}`, () => {
    let world: World;
    let target: Installation;
    before(async () => {
      world = await newWorld('sqlite', 'disk');
      target = await Installation.make('postgres', files);
    });
    after(async () => {
      await world.source.remove();
      await target.remove();
    });
    const from = () => world.folder;
    const move = (more: Record<string, string> = {}, folder = copyOf(world.source)) =>
      run('move', { ...target.environment(), ...more }, '--from', folder);
    const note = (folder: string) => readFileSync(join(folder, 'files/airdate/alive'), 'utf8');

    it('is refused while a process uses the old one, with another key, and without a database', async () => {
      const inUse = copyOf(world.source);
      const running = await world.source.open({ env: { DATA_DIR: inUse } });
      await assert.rejects(move({}, inUse), /A process uses .*airdate\.db\. Stop every process/);
      await running.stop();
      const old = copyOf(world.source);
      const other = { ENCRYPTION_KEY: 'cd'.repeat(32) };
      await assert.rejects(move(other, old), /not the key of the old installation/);
      await assert.rejects(move({ DATABASE_URL: '' }), /needs DATABASE_URL/);
      await assert.rejects(run('move', target.environment(), '--from', '/nowhere'), /no airdate\.db/);
      const same = copyOf(world.source);
      if (files === 'disk') await assert.rejects(move({ DATA_DIR: same }, same), /copied to where they are/);
      assert.doesNotMatch(note(old), /moved_at/);
    });

    it('is refused if the old one keeps its files elsewhere, where no mark would keep it from publishing', async () => {
      const unused = copyOf(world.source);
      rmSync(join(unused, 'files/airdate'), { recursive: true });
      await assert.rejects(move({}, unused), /is not the file store that the old installation used last/);
      const left = copyOf(world.source);
      const before = parseNote(readFileSync(join(left, 'files', NOTE_KEY))) as Watermark;
      writeFileSync(
        join(left, 'files', NOTE_KEY),
        serializeNote({ ...before, counter: before.counter - 1, notedAt: 0 }),
      );
      await assert.rejects(move({}, left), /npm run backup and npm run restore instead/);
      assert.doesNotMatch(note(left), /moved_at/);
    });

    it('is refused where another installation is', async () => {
      const other = await Installation.make('postgres', 'disk');
      try {
        const running = await other.start();
        await other.newOrganization(running);
        await running.stop();
        const old = copyOf(world.source);
        await assert.rejects(run('move', other.environment(), '--from', old), /is not empty/);
        assert.doesNotMatch(note(old), /moved_at/);
      } finally {
        await other.remove();
      }
    });

    it('brings everything along; the old one starts in safe mode, and can be released if the move was a mistake', async () => {
      const output = await runProgram('move', target.environment(), '--from', from());
      assert.match(output, /Moved \d+ rows and \d+ files.*\n.*safe mode only.*\n.*npm run api/);
      assert.match(note(from()), /moved_at/);
      await assertMoved(target, world);
      const old = await world.source.start({ env: { DATA_DIR: from() } });
      assert.equal((await old.request('GET', '/readyz')).json.safe_mode, true);
      const released = await old.request('POST', '/api/admin/v1/release', { key: ADMIN_TOKEN, body: {} });
      assert.equal(released.status, 200, released.text);
      await old.stop();
      await assert.rejects(move({}, copyOf(world.source, from())), /is not empty/);
    });
  });
