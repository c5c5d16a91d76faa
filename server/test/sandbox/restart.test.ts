// The sandbox's data survives a restart, and interrupted work continues.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fixture } from '../support/media/parts.js';
import { CLIENT, freePort, OtherServer, TestPlatform } from '../support/platform/test-platform.js';
import { PROGRAM } from '../support/programs/joined-programs.js';
import { until } from '../support/runner/until.js';

const CLIP = fixture('tiny.mp4');
const LONG_MS = 3_600_000;

describe('after a restart', () => {
  let platform: TestPlatform;
  beforeEach(async () => {
    platform = await new TestPlatform().start();
  });
  afterEach(() => platform.stop());

  it('tokens, codes, posts, faults and settings still exist', async () => {
    const code = (await platform.allow('ada')).get('code') as string;
    const tokens = await platform.connect('ada');
    const published = await platform.upload(tokens, CLIP);
    const before = await platform.settled(tokens, published);
    await platform.control('settings', { unknown_after_init: 0, post_ids: 'never' });
    await platform.control('faults', { on: 'creator_info', kind: 'http_500' });
    await platform.restart();
    assert.ok((await platform.exchange(code)).json.access_token);
    assert.equal((await platform.api('creator_info/query', tokens)).status, 500);
    assert.deepEqual((await platform.status(tokens, published)).publicaly_available_post_id, []);
    await platform.control('settings', { post_ids: 'at_once' });
    assert.deepEqual(await platform.status(tokens, published), before);
    assert.match((await platform.request('GET', '/')).text, /A video/);
  });

  it('an upload continues where it was', async () => {
    const tokens = await platform.connect('ada');
    const size = 11_000_000;
    const { publish_id, upload_url } = await platform.initUpload(tokens, size, {
      source_info: { source: 'FILE_UPLOAD', video_size: size, chunk_size: 5_000_000, total_chunk_count: 2 },
    });
    const bytes = Buffer.alloc(size, 1);
    assert.equal((await platform.put(upload_url, bytes.subarray(0, 5_000_000), 0, size)).status, 206);
    await platform.restart();
    assert.equal((await platform.status(tokens, publish_id)).uploaded_bytes, 5_000_000);
    assert.equal((await platform.put(upload_url, bytes.subarray(5_000_000), 5_000_000, size)).status, 201);
  });

  it('processing continues', async () => {
    await platform.restart({ processingMs: LONG_MS });
    const tokens = await platform.connect('ada');
    const id = await platform.upload(tokens, CLIP);
    assert.equal((await platform.status(tokens, id)).status, 'PROCESSING_UPLOAD');
    platform.clock.advance(LONG_MS);
    await platform.restart({ processingMs: LONG_MS });
    const later = await platform.token({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    });
    assert.equal((await platform.settled(later.json, id)).status, 'PUBLISH_COMPLETE');
  });

  it('pulling continues with the missing photos', async () => {
    let answersSecond = false;
    const files = new OtherServer((path, response) => {
      if (path === '/1' || answersSecond) response.end(fixture('slide.jpg'));
    });
    await files.start();
    try {
      const tokens = await platform.connect('ada');
      const { json } = await platform.photos(tokens, [`${files.url}/1`, `${files.url}/2`]);
      await until('the second is asked for', () => files.seen.some(({ path }) => path === '/2'));
      answersSecond = true;
      await platform.restart();
      const { status } = await platform.settled(tokens, json.data.publish_id);
      assert.equal(status, 'PUBLISH_COMPLETE');
      assert.deepEqual(
        files.seen.map(({ path }) => path),
        ['/1', '/2', '/2'],
      );
    } finally {
      await files.stop();
    }
  });
});

describe('after kill -9 of its process', () => {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-sandbox-kill-'));
  let running: ChildProcess | undefined;

  async function start(port: number, processingMs: number): Promise<void> {
    const env = {
      PORT: String(port),
      HOST: '127.0.0.1',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: dir,
      SANDBOX_CONTROL: 'on',
      SANDBOX_PROCESSING_MS: String(processingMs),
      SOCIAL_CLIENT_KEY: CLIENT.client_key,
      SOCIAL_CLIENT_SECRET: CLIENT.client_secret,
    };
    const child = spawn(process.execPath, [PROGRAM, 'sandbox'], {
      env,
      cwd: dir,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running = child;
    for await (const line of createInterface({ input: child.stdout })) if (/is ready at/.test(line)) break;
    child.stdout.resume();
  }

  async function kill(): Promise<void> {
    const child = running;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  afterEach(async () => {
    await kill();
    rmSync(dir, { recursive: true, force: true });
  });

  it('nothing accepted is lost: chunks, and posts that were being processed', async () => {
    const port = await freePort();
    await start(port, LONG_MS);
    const client = new TestPlatform();
    client.url = `http://127.0.0.1:${port}`;
    const tokens = await client.connect('ada');
    const whole = await client.upload(tokens, CLIP);
    const size = 11_000_000;
    const half = await client.initUpload(tokens, size, {
      source_info: { source: 'FILE_UPLOAD', video_size: size, chunk_size: 5_000_000, total_chunk_count: 2 },
    });
    assert.equal((await client.put(half.upload_url, Buffer.alloc(5_000_000), 0, size)).status, 206);
    await kill();
    await start(port, 0);
    assert.equal((await client.settled(tokens, whole)).status, 'PUBLISH_COMPLETE');
    assert.equal((await client.status(tokens, half.publish_id)).uploaded_bytes, 5_000_000);
    await client.stop();
  });
});
