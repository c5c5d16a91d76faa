// An acknowledged write survives `kill -9` at any moment; one that was not acknowledged is stored completely or not at all.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Libsql from 'libsql';
import { recount } from '../../src/db/recount.js';
import { openSqlite } from '../../src/db/sqlite/sqlite.js';
import { demoKey, readyUrl } from '../support/programs/greeting.js';
import { PROGRAM } from '../support/programs/joined-programs.js';
import { everyday } from '../support/runner/test-tiers.js';
import { send } from '../support/service/send.js';
import { essence, type Request, Writer } from './clients/writer.js';

const WRITERS = 8;
const KILLS = everyday(1, 80);

describe('The embedded database under kill -9', () => {
  let dir: string;
  let child: ChildProcess | undefined;
  let url = '';
  let apiKey = '';
  let writers: Writer[] = [];

  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-kill-'));
  });
  after(async () => {
    await kill();
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    const env = { PATH: process.env.PATH, DATA_DIR: dir, PORT: '0', HOST: '127.0.0.1' };
    child = spawn(process.execPath, [PROGRAM, 'serve'], {
      env: { ...env, RATE_LIMIT: 'off', LOG_LEVEL: 'error' },
      cwd: dir,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const ready = new Promise<void>((resolve, reject) => {
      const listen = (chunk: Buffer) => {
        output += chunk;
        if (readyUrl(output)) setImmediate(resolve);
      };
      child?.stdout?.on('data', listen);
      child?.stderr?.on('data', listen);
      child?.once('exit', () => reject(new Error(`it did not start again:\n${output}`)));
    });
    await ready;
    url = readyUrl(output) ?? '';
    apiKey ||= demoKey(output) ?? '';
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  const ask = ({ method, path, body, key }: Request) =>
    send(method, url + path, {
      key: apiKey,
      body,
      ...(key ? { headers: { 'idempotency-key': key } } : {}),
    });

  it(`keeps everything acknowledged and nothing half done, ${KILLS} times`, async () => {
    await start();
    writers = Array.from({ length: WRITERS }, (_, i) => new Writer(`w${i}`, ask, rowsTitled));
    for (let round = 0; round < KILLS; round++) {
      let left = 3 + ((round * 7) % 40);
      const onAcknowledged = () => {
        if (--left === 0) child?.kill('SIGKILL');
      };
      await Promise.all(writers.map((writer) => writer.writeUntilItBreaks(onAcknowledged)));
      await kill();
      await start();
      for (const writer of writers) await writer.settle();
      for (const writer of writers) await writer.compareRecent();
      await inspectFile();
    }
  });

  it('still has every row as it was acknowledged at the very end, and no other', async () => {
    const expected = new Map(writers.flatMap((writer) => [...writer.posts]));
    assert.ok(expected.size > 0);
    for (const [id, post] of expected) {
      const answer = await ask({ method: 'GET', path: `/api/v1/posts/${id}` });
      assert.deepEqual([answer.status, essence(answer.json.data)], [200, essence(post)]);
    }
    const { json } = await ask({ method: 'GET', path: '/api/v1/posts' });
    assert.equal(json.pagination.total, expected.size);
    for (const id of writers.flatMap((writer) => writer.deleted))
      assert.equal((await ask({ method: 'GET', path: `/api/v1/posts/${id}` })).status, 404);
  });

  /** Reads the database file while the process runs. */
  async function inspectFile(): Promise<void> {
    const file = join(dir, 'airdate.db');
    const raw = new Libsql(file);
    try {
      assert.deepEqual(raw.prepare('pragma integrity_check').all(), [{ integrity_check: 'ok' }]);
      assert.deepEqual(raw.prepare('pragma foreign_key_check').all(), []);
      const half = raw.prepare('select key from idempotency_records where response is null').all();
      assert.deepEqual(half, [], 'a key was taken without an answer');
    } finally {
      raw.close();
    }
    const db = openSqlite(file);
    try {
      assert.deepEqual(await recount(db, ['posts']), []);
    } finally {
      await db.close();
    }
  }

  function rowsTitled(title: string): { id: string }[] {
    const raw = new Libsql(join(dir, 'airdate.db'));
    try {
      return raw.prepare('select id from posts where title = ?').all(title) as { id: string }[];
    } finally {
      raw.close();
    }
  }
});
