// Backups, restores and moves that are killed (kill -9) in the middle, and then repeated.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/open-app.js';
import { tableWithRows } from '../../src/operator/backup/fill.js';
import { copiedTables } from '../../src/operator/backup/tables.js';
import { parseNote, type Watermark } from '../../src/restore-safety/note.js';
import { ENGINES, silentLog } from '../support/databases/fresh-databases.js';
import { assertMoved, newWorld, type World } from '../support/installations/copied-worlds.js';
import {
  assertConsistent,
  assertSameRows,
  type CopyCommand,
  digestsOf,
  EVERY_PLACE,
  newFolder,
  type Place,
  run,
  runMortal,
  runProgram,
} from '../support/installations/copying.js';
import { type Files, Installation } from '../support/installations/restore.js';
import { everyday } from '../support/runner/test-tiers.js';

/** Nothing moves to another engine if the tests run on one only. */
const hasBoth = ENGINES.length === 2;

/** From where, and into what. */
const BACKUPS: readonly (readonly [from: Place, target: Place])[] = everyday(
  hasBoth
    ? [
        [
          ['sqlite', 'disk'],
          ['postgres', 'disk'],
        ],
      ]
    : [],
  EVERY_PLACE.map((place) => [place, place] as const),
);
/** To Postgres, with files there. */
const MOVES: readonly Files[] = hasBoth ? everyday<readonly Files[]>(['disk'], ['disk', 's3']) : [];

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

for (const [place, target] of BACKUPS)
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

for (const files of MOVES)
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

async function assertRestored(restored: Installation, world: World): Promise<void> {
  const opened = await restored.open();
  assert.equal(opened.app.safety.mode.kind, 'safe');
  assertSameRows(await digestsOf(opened.app.db), world.rows);
  assert.ok((await assertConsistent(opened)) > 0);
  await opened.stop();
}

/** Whether the database has rows, without a start that would write some. */
async function hasRows(env: Record<string, string>): Promise<boolean> {
  const { db } = await openDatabase(readConfig('check', env), silentLog);
  try {
    return (await tableWithRows(db.read, await copiedTables(db.read, db.engine))) !== null;
  } finally {
    await db.close();
  }
}
