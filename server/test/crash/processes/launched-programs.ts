// The real program as a process, in a folder of its own for each test: what it prints, where it listens, and how it ends.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'node:test';
import { openSqlite } from '../../../src/db/sqlite/sqlite.js';
import { readyUrl } from '../../support/programs/greeting.js';
import { PROGRAM } from '../../support/programs/joined-programs.js';

/** What one of several processes needs: a platform, and the address of the API (unknown until it listens). */
export const BESIDE = { SOCIAL_API_URL: 'http://127.0.0.1:9/sandbox', PUBLIC_URL: 'http://127.0.0.1:0' };

export const COMMANDS: [command: string, env: Record<string, string>][] = [
  ['serve', {}],
  ['api', BESIDE],
  ['worker', BESIDE],
  ['sandbox', {}],
];

export interface Program {
  /** Everything it wrote, on both streams. */
  output(): string;
  complained(): string;
  /** Its URL, once it says that it is ready. */
  url: Promise<string>;
  exit: Promise<number | string>;
  signal(name: NodeJS.Signals): void;
}

/** The folder of the running test. */
export let dir: string;
let children: ChildProcess[] = [];
let sockets: Socket[] = [];

export function newFolder(): void {
  dir = mkdtempSync(join(tmpdir(), 'airdate-program-'));
}

/** A folder for each test, and an end of all that it started. */
export function useFolder(): void {
  beforeEach(newFolder);
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    children = [];
    sockets = [];
    rmSync(dir, { recursive: true, force: true });
  });
}

export function launch(command: string, env: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, [PROGRAM, command], {
    env: { PATH: process.env.PATH, DATA_DIR: join(dir, 'data'), PORT: '0', HOST: '127.0.0.1', ...env },
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  let complained = '';
  child.stderr.on('data', (chunk) => {
    complained += chunk;
    output += chunk;
  });
  const exit = once(child, 'close').then(([code, signal]) => code ?? signal);
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const ready = readyUrl(output);
      if (ready) resolve(ready);
    });
    exit.then((code) => reject(new Error(`it exited with ${code} before it was ready:\n${output}`)));
  });
  url.catch(() => {}); // not every test waits for it
  return {
    output: () => output,
    complained: () => complained,
    url,
    exit,
    signal: (name) => child.kill(name),
  };
}

/** Collected output is JSON to the last line, and each line names the process that wrote it. */
export function assertJson(program: Program): void {
  const lines = program
    .output()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.ok(lines.length >= 2);
  const { role, instance, version } = lines[0];
  assert.match(instance, /:\d+$/);
  assert.match(version, /^\d+\.\d+\.\d+/);
  for (const line of lines)
    assert.deepEqual([line.role, line.instance, line.version], [role, instance, version]);
  const ready = lines.find(({ msg }) => /is ready at/.test(msg));
  assert.match(ready.msg, new RegExp(`^Airdate \\(${role}\\) is ready at `));
  assert.equal(/is ready at (\S+) after [\d.]+ s$/.exec(ready.msg)?.[1], ready.url);
  assert.match(lines.at(-1).msg, new RegExp(`^Airdate \\(${role}\\) stopped on SIG(TERM|INT)$`));
}

export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

export async function countOf(table: 'organizations' | 'posts'): Promise<number> {
  const db = openSqlite(join(dir, 'data', 'airdate.db'));
  try {
    const rows = await db.read.selectFrom(table).select('id').execute();
    return rows.length;
  } finally {
    await db.close();
  }
}
