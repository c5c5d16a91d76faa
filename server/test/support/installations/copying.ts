// Installations that the operator backs up, restores and moves: how they are filled, and how a copy is compared.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { backUp, move, restore } from '../../../src/backup-commands.js';
import { readConfig } from '../../../src/config/config.js';
import type { Database } from '../../../src/db/database.js';
import { recount } from '../../../src/db/recount.js';
import { DigestBuilder, type RowsDigest } from '../../../src/operator/backup/digest.js';
import { linesOfTable } from '../../../src/operator/backup/rows.js';
import { copiedTables } from '../../../src/operator/backup/tables.js';
import { ENGINES, type Engine } from '../databases/fresh-databases.js';
import { killableProgram, PROGRAM } from '../programs/joined-programs.js';
import { addFactor } from '../service/factors.js';
import type { Organization } from '../service/harness.js';
import { newPerson, type TestPerson } from '../service/people.js';
import { media, put, upload } from '../service/uploads.js';
import { book, type Files, type Installation, type Process, type Running } from './restore.js';

const COMMANDS = { backup: backUp, restore, move };
export type CopyCommand = keyof typeof COMMANDS;
type Env = Record<string, string>;

/** Where an installation keeps its rows and its files. */
export type Place = readonly [Engine, Files];

export const EVERY_PLACE: readonly Place[] = ENGINES.flatMap((engine) =>
  (['disk', 's3'] as const).map((files) => [engine, files] as const),
);

/** Runs a command in this process. Returns what it says. */
export async function run(command: CopyCommand, env: Env, ...args: string[]): Promise<string> {
  const output: string[] = [];
  const terminal = { say: (text: string) => void output.push(text), report: () => {} };
  await COMMANDS[command](readConfig(command, env), args, terminal);
  return output.join('\n');
}

/**
 * Runs a command as the program itself. A move needs that if its source is used afterwards: the driver keeps the lock of a
 * database that this process has closed until its statements are garbage.
 */
export async function runProgram(command: CopyCommand, env: Env, ...args: string[]): Promise<string> {
  const options = { env, cwd: tmpdir() };
  return (await promisify(execFile)(process.execPath, [PROGRAM, command, ...args], options)).stdout;
}

const MORTAL = killableProgram('killable-command');

/** Runs it in a process that kills itself at the given step, if there is one. Returns how many steps it made if not. */
export async function runMortal(
  command: CopyCommand,
  step: number | string,
  env: Env,
  ...args: string[]
): Promise<number | 'killed'> {
  const child = spawn(process.execPath, [MORTAL, command, String(step), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code, signal] = await once(child, 'close');
  if (signal === 'SIGKILL') return 'killed';
  assert.equal(code, 0, `${command} failed`);
  return Number(output);
}

/** A folder for backups, and how to remove it. */
export function newFolder(): { path: string; below(name: string): string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'airdate-copies-'));
  return {
    path,
    below: (name) => join(path, name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export interface Filled {
  org: Organization;
  accountId: string;
  /** Has a password and an authenticator app. */
  person: TestPerson;
  /** A post with one slide. */
  slides: string;
  /** A post whose video was replaced, so that another object is marked for deletion. */
  video: string;
}

/** A bit of everything: posts in several states, files, counters, a search index, an attempt and events. */
export async function fillInstallation(installation: Installation, running: Running): Promise<Filled> {
  const org = await installation.newOrganization(running);
  const accountId = await org.connectAccount('copied');
  const slides = await org.addPost({
    title: 'Findable crocodile',
    caption: 'Ünïcode ✓ 𝄞 "quoted" \\ line\nbreak',
  });
  await upload(org, slides, 'slide.jpg');
  const video = await org.addPost({ title: 'Video', post_type: 'video' });
  await upload(org, video, 'tiny.mp4');
  const body = { filename: 'other.mp4', content_type: 'video/mp4', replace: true };
  const { json } = await org.call('POST', `/api/v1/posts/${video}/assets`, body);
  assert.equal((await put(json.upload_url, media('tiny.mp4'), 'video/mp4')).status, 200);
  // The bucket does not say by itself that a file has arrived.
  for (const id of [slides, video]) await org.call('GET', `/api/v1/posts/${id}/assets`);
  await book(installation, org, accountId, 'Published', 60_000);
  installation.advance(61_000);
  await running.runOnce();
  await book(installation, org, accountId, 'Scheduled', 3_600_000);
  const waiting = await org.addPost({ title: 'Its upload has not come' });
  await org.call('POST', `/api/v1/posts/${waiting}/assets`, { filename: 'a.png', content_type: 'image/png' });
  const label = await org.call('POST', '/api/v1/labels', { name: 'Label', colour: 'red' });
  assert.equal(label.status, 201, label.text);
  const person = await newPerson(running, org.id, 'viewer', { withPassword: true });
  await addFactor(running, person);
  return { org, accountId, person, slides, video };
}

/** Creates and deletes posts with files until it is stopped. Returns how many it has created. */
export function writeMeanwhile(org: Organization): { stop(): Promise<number> } {
  let isStopped = false;
  let created = 0;
  const writing = (async () => {
    while (!isStopped) {
      const id = await org.addPost({ title: `Meanwhile ${++created}` });
      await upload(org, id, 'slide.jpg');
      await org.call('GET', `/api/v1/posts/${id}/assets`);
      if (created % 2 === 0) await org.call('DELETE', `/api/v1/posts/${id}`);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await writing;
      return created;
    },
  };
}

/** What the rows of each table add up to. */
export async function digestsOf(db: Database): Promise<Record<string, RowsDigest>> {
  const digests: Record<string, RowsDigest> = {};
  for (const table of await copiedTables(db.read, db.engine)) {
    const building = new DigestBuilder();
    for await (const page of linesOfTable(db.read, table)) building.add(page);
    digests[table.name] = building.digest;
  }
  return digests;
}

/** What a start and safe mode change. */
const CHANGED_BY_SAFETY = ['installation', 'audit', 'event_epochs'];

export function assertSameRows(copy: Record<string, RowsDigest>, original: Record<string, RowsDigest>): void {
  const rest = (all: Record<string, RowsDigest>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !CHANGED_BY_SAFETY.includes(name)));
  assert.deepEqual(rest(copy), rest(original));
}

/** Counters are right, and every file that a post refers to is there, with the length that its row says. */
export async function assertConsistent({ app }: Process): Promise<number> {
  const { db, store } = app;
  assert.deepEqual(await recount(db), []);
  const ready = await db.read.selectFrom('assets').selectAll().where('state', '=', 'ready').execute();
  const expected = new Set(['slide.jpg', 'tiny.mp4'].map((name) => hashOf(media(name))));
  for (const { object_key, size } of ready) {
    const bytes = await store.load(object_key);
    assert.equal(bytes?.length, size, object_key);
    assert.ok(bytes && expected.has(hashOf(bytes)), object_key);
  }
  return ready.length;
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
