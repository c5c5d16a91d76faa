// A full disk: the work that the sandbox does by itself waits, and goes on once there is room. SQLite reports a full database
// the same way as a full disk, and rolls the transaction back by itself.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { loadSettings, type Platform } from './platform.js';
import { createProcessing } from './processing.js';
import { createPulling } from './pulling.js';
import { Store } from './store.js';
import { createWebhooks } from './webhooks.js';

const MAX_PAGES = 1_000_000;

describe('on a full disk', () => {
  let dir: string;
  let store: Store;
  let platform: Platform;
  let logged: string[];
  let received: number;
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  const server = createServer((_request, response) => {
    received++;
    response.end();
  });

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-full-'));
    store = new Store(dir);
    logged = [];
    received = 0;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const log = (_details: object, message: string) => void logged.push(message);
    platform = {
      options: {
        dataDir: dir,
        publicUrl: () => url,
        clientKey: 'key',
        clientSecret: 'secret',
        strict: false,
        control: false,
        processingMs: 0,
        webhookUrl: () => url,
        retryMs: 10,
      },
      store,
      settings: loadSettings(store),
      log: { info: log, warn: log, error: log },
      now: () => Date.now(),
    };
    process.on('unhandledRejection', note);
  });

  afterEach(async () => {
    process.off('unhandledRejection', note);
    store.close();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    rmSync(dir, { recursive: true, force: true });
    assert.deepEqual(unhandled.splice(0), []);
  });

  const limitPages = (pages: number) => store.all(`pragma max_page_count = ${pages}`);

  /** Rows of webhooks until none fits, and then nothing more of that size. */
  function fill(): void {
    limitPages(1);
    const row = () =>
      store.run(
        "insert into webhooks (event, body, at, copies, state) values ('x', ?, 0, 0, 'given_up')",
        'x'.repeat(100),
      );
    assert.throws(() => {
      for (;;) row();
    }, /full/);
  }

  const newPost = (source: string, stage: string) =>
    store.run(
      `insert into publishes (publish_id, digits, username, kind, mode, source, at, request, status, title, stage)
       values ('p1', '71', 'ada', 'photo', 'direct', ?, 0, '{}', 'PROCESSING_DOWNLOAD', 'T', ?)`,
      source,
      stage,
    );
  const stageOf = () => store.get<{ stage: string }>('select stage from publishes')?.stage;

  async function until(what: string, isSo: () => boolean): Promise<void> {
    for (const end = Date.now() + 60_000; !isSo(); await delay(5))
      if (Date.now() > end) assert.fail(`never came true: ${what}`);
  }

  function addAccount(): void {
    store.run("insert into accounts (username, open_id, nickname) values ('ada', 'open', 'Ada')");
  }

  it('a transaction fails with what was wrong, and the next one works', () => {
    addAccount();
    fill();
    const tell = () =>
      store.run("insert into webhooks (event, body, at, copies) values ('x', ?, 0, 0)", 'x'.repeat(9_000));
    assert.throws(() => store.transact(tell), /full/);
    limitPages(MAX_PAGES);
    store.transact(tell);
  });

  it('processing waits for room, and nothing ends the process', async () => {
    addAccount();
    newPost('FILE_UPLOAD', 'transfer');
    const webhooks = createWebhooks(platform);
    const processing = createProcessing(platform, webhooks);
    fill();
    processing.begin('p1');
    await until('it is tried again', () => logged.length >= 3);
    assert.equal(stageOf(), 'processing');
    limitPages(MAX_PAGES);
    await until('it has gone on', () => stageOf() === 'done' && received > 0);
    await processing.close();
    await webhooks.close();
  });

  it('a post that cannot be pulled is pulled once there is room', async () => {
    addAccount();
    newPost('PULL_FROM_URL', 'transfer');
    store.run(
      'insert into media (digits, position, url) values (?, 0, ?)',
      '71',
      platform.options.publicUrl(),
    );
    const webhooks = createWebhooks(platform);
    const processing = createProcessing(platform, webhooks);
    const pulling = createPulling(platform, processing);
    // A file where its folder should be: no byte can be written.
    mkdirSync(join(dir, 'media'), { recursive: true });
    writeFileSync(store.mediaFolder('71'), '');
    pulling.begin('p1');
    await until('it is tried again', () => logged.length >= 2);
    rmSync(store.mediaFolder('71'));
    await until('it has gone on', () => stageOf() === 'done');
    await pulling.close();
    await processing.close();
    await webhooks.close();
  });
});
