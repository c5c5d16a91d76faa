// An installation that is copied or moved, with what its copy must have.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RowsDigest } from '../../../src/operator/backup/digest.js';
import type { Engine } from '../databases/fresh-databases.js';
import { assertConsistent, assertSameRows, digestsOf, type Filled, fillInstallation } from './copying.js';
import { type Files, Installation, type Running } from './restore.js';

type Place = readonly [Engine, Files];

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
