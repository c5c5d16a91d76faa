// Backups, restores and moves that are killed (kill -9) in the middle, and then repeated.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/open-app.js';
import type { RowsDigest } from '../../../src/operator/backup/digest.js';
import { tableWithRows } from '../../../src/operator/backup/fill.js';
import { copiedTables } from '../../../src/operator/backup/tables.js';
import { parseNote, type Watermark } from '../../../src/restore-safety/note.js';
import { type Engine, silentLog } from '../databases/fresh-databases.js';
import { everyday } from '../runner/test-tiers.js';
import {
  assertConsistent,
  assertSameRows,
  type CopyCommand,
  digestsOf,
  type Filled,
  fillInstallation,
  newFolder,
  run,
  runMortal,
  runProgram,
} from './copying.js';
import { type Files, Installation, type Running } from './restore.js';

type Place = readonly [Engine, Files];

/** In the proofs, a run that was killed is repeated before the next. */
const isEachRepeated = everyday(false, true);

/** In the proofs: this many, from the first step to the last. */
const MANY = 8;

/** On ordinary days a few steps by the beginning of their text; in the proofs many, by their numbers. */
async function stepsOf(
  command: CopyCommand,
  few: readonly string[],
  env: Record<string, string>,
  ...args: string[]
): Promise<readonly (string | number)[]> {
  if (!isEachRepeated) return few;
  const total = Number(await runMortal(command, 'none', env, ...args));
  return Array.from({ length: MANY }, (_, i) => 1 + Math.round((i * (total - 1)) / (MANY - 1)));
}

export interface World {
  source: Installation;
  /**
   * A copy of its folder, which no connection of this process has used: the driver keeps the lock of a closed one until its
   * statements are garbage.
   */
  folder: string;
  filled: Filled;
  rows: Record<string, RowsDigest>;
}

export async function newWorld(...place: Place): Promise<World> {
  const source = await Installation.make(...place);
  const running: Running = await source.start();
  const filled = await fillInstallation(source, running);
  await running.stop();
  const opened = await source.open();
  const rows = await digestsOf(opened.app.db);
  await opened.stop();
  return { source, filled, rows, folder: copyOf(source) };
}

export function copyOf(source: Installation, folder = dataDirOf(source)): string {
  const copy = join(dataDirOf(source), `copy-${randomUUID()}`);
  for (const name of ['airdate.db', 'files'])
    if (existsSync(join(folder, name))) cpSync(join(folder, name), join(copy, name), { recursive: true });
  return copy;
}

const dataDirOf = (installation: Installation) => installation.environment().DATA_DIR as string;

/** Whether the database has rows, without a start that would write some. */
async function hasRows(env: Record<string, string>): Promise<boolean> {
  const { db } = await openDatabase(readConfig('check', env), silentLog);
  try {
    return (await tableWithRows(db.read, await copiedTables(db.read, db.engine))) !== null;
  } finally {
    await db.close();
  }
}

export function killedBackups(place: Place, target: Place): void {
  describe(`killed in the middle (${place.join(' and ')} to ${target.join(' and ')})`, () => {
    const folder = newFolder();
    let world: World;
    before(async () => {
      world = await newWorld(...place);
    });
    after(async () => {
      await world?.source.remove();
      folder.remove();
    });

    it('a backup is incomplete, says so, and can be begun again', async () => {
      const env = world.source.environment();
      const few = ['files: 2'];
      for (const step of await stepsOf('backup', few, env, '--to', folder.below('count'))) {
        const to = folder.below('killed');
        assert.equal(await runMortal('backup', step, env, '--to', to), 'killed');
        await assert.rejects(run('restore', env, '--from', to), /no complete backup/);
        await assert.rejects(run('backup', env, '--to', to), /delete the folder and begin again/);
        rmSync(to, { recursive: true });
      }
      await run('backup', env, '--to', folder.below('good'));
    });

    it('a restore has written all rows or none, and goes on when it is repeated', async () => {
      const few = ['posts: ', 'the rows are committed'];
      const counted = await Installation.make(...target);
      const from = ['--from', folder.below('good')] as const;
      const steps = await stepsOf('restore', few, counted.environment(), ...from);
      await counted.remove();
      let restored = await Installation.make(...target);
      try {
        for (const step of steps) {
          assert.equal(
            await runMortal('restore', step, restored.environment(), ...from),
            'killed',
            String(step),
          );
          if (!isEachRepeated) continue;
          await run('restore', restored.environment(), ...from);
          await assertRestored(restored, world);
          await restored.remove();
          restored = await Installation.make(...target);
        }
        await run('restore', restored.environment(), ...from);
        await assertRestored(restored, world);
      } finally {
        await restored.remove();
      }
    });
  });
}

async function assertRestored(restored: Installation, world: World): Promise<void> {
  const opened = await restored.open();
  assert.equal(opened.app.safety.mode.kind, 'safe');
  assertSameRows(await digestsOf(opened.app.db), world.rows);
  assert.ok((await assertConsistent(opened)) > 0);
  await opened.stop();
}

export function killedMoves(files: Files): void {
  describe(`killed in the middle of a move (to postgres and ${files})`, () => {
    let world: World;
    let target: Installation;
    const worlds: World[] = [];
    const targets: Installation[] = [];
    const begin = async () => {
      world = await newWorld('sqlite', 'disk');
      target = await Installation.make('postgres', files);
      worlds.push(world);
      targets.push(target);
    };
    before(begin);
    after(async () => {
      for (const { source } of worlds) await source.remove();
      for (const one of targets) await one.remove();
    });
    const from = () => world.folder;
    const noteOfOld = () => parseNote(readFileSync(join(from(), 'files/airdate/alive'))) as Watermark;

    it('the old one cannot publish as soon as the new one could, and the move goes on when it is repeated', async () => {
      const few = ['files: 2', 'the old one is marked', 'the rows are committed'];
      const steps = await stepsOf('move', few, target.environment(), '--from', from());
      for (const step of steps) {
        if (isEachRepeated) await begin();
        assert.equal(
          await runMortal('move', step, target.environment(), '--from', from()),
          'killed',
          String(step),
        );
        if (await hasRows(target.environment()))
          assert.ok(noteOfOld().movedAt, `both could publish: ${step}`);
        if (!isEachRepeated) continue;
        await runProgram('move', target.environment(), '--from', from());
        await assertMoved(target, world);
      }
      if (!isEachRepeated)
        assert.match(
          await runProgram('move', target.environment(), '--from', from()),
          /An earlier run had moved/,
        );
      await assertMoved(target, world);
    });
  });
}

/** The new one goes on, the old one starts in safe mode, and nothing else of it has changed. */
export async function assertMoved(
  target: Installation,
  { source, rows, filled, folder }: World,
): Promise<void> {
  const moved = await target.open();
  assert.equal(moved.app.safety.mode.kind, 'normal');
  assertSameRows(await digestsOf(moved.app.db), rows);
  assert.ok((await assertConsistent(moved)) > 0);
  await moved.stop();
  const running = await target.start();
  const org = target.organizationIn(running, filled.org);
  assert.equal((await org.call('GET', '/api/v1/posts?q=crocodile')).json.data.length, 1);
  await running.stop();
  const old = await source.open({ env: { DATA_DIR: folder } });
  const { mode } = old.app.safety;
  assert.match(mode.kind === 'safe' ? mode.reason : mode.kind, /moved to another database/);
  assertSameRows(await digestsOf(old.app.db), rows);
  await old.stop();
}
