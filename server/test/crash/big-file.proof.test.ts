// 4 GB through the disk store: in little memory, and not much slower than a bare copy.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compareBigVideo, sendBigVideo } from '../support/media/big-video.js';
import { readyUrl } from '../support/programs/greeting.js';
import { PROGRAM } from '../support/programs/joined-programs.js';
import { ADMIN_TOKEN, TEST_KEY } from '../support/service/harness.js';
import { type Answer, send } from '../support/service/send.js';

const BARE = fileURLToPath(new URL('./programs/bare-copy.js', import.meta.url));

const MIB = 1024 * 1024;
/** The largest allowed video. */
const SIZE = 4096 * MIB;
const WARM_UP = 256 * MIB;
/** Each round runs both, one after the other; the median of the ratios counts, because other programs use the machine too. */
const ROUNDS = 3;
const MAX_GROWTH_MIB = 64;
const MIN_SHARE = 0.6;

describe('A video of 4 GB in the disk store', () => {
  let dir: string;
  let bare: Program;
  let service: Program;
  let key: string;
  const children: ChildProcess[] = [];

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-big-'));
    const { bavail, bsize } = statfsSync(dir);
    const needed = 2.5 * SIZE;
    assert.ok(
      bavail * bsize > needed,
      `This proof writes two files of 4 GB to ${tmpdir()}: make ${Math.ceil(needed / MIB / 1024)} GB free there, or set TMPDIR.`,
    );
    bare = await launch(BARE, [join(dir, 'bare')]);
    service = await launch(PROGRAM, ['serve'], {
      DATA_DIR: join(dir, 'data'),
      ADMIN_TOKEN,
      ENCRYPTION_KEY: TEST_KEY,
      DEMO: 'off',
    });
    key = await newKey(service.url);
  });
  after(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    rmSync(dir, { recursive: true, force: true });
  });

  it(`grows the process by at most ${MAX_GROWTH_MIB} MB, at ${MIN_SHARE} of a bare copy's speed or more`, async (test) => {
    const idle = memoryOf(service).now;
    await throughService(WARM_UP);
    await throughBare(WARM_UP);
    const warm = memoryOf(service).now;
    forgetPeak(service);

    const shares = { up: [] as number[], down: [] as number[] };
    for (let round = 1; round <= ROUNDS; round++) {
      const copied = await throughBare(SIZE);
      const stored = await throughService(SIZE);
      for (const way of ['up', 'down'] as const) {
        shares[way].push(stored[way] / copied[way]);
        test.diagnostic(`${way}: ${stored[way].toFixed(0)} MB/s, bare copy ${copied[way].toFixed(0)} MB/s`);
      }
    }
    const { peak } = memoryOf(service);
    const share = { up: median(shares.up), down: median(shares.down) };
    test.diagnostic(
      `memory: ${idle} MB idle, ${warm} MB after ${WARM_UP / MIB} MB, ${peak} MB at most since then`,
    );
    test.diagnostic(`share of a bare copy: up ${share.up.toFixed(2)}, down ${share.down.toFixed(2)}`);
    assert.ok(peak - warm <= MAX_GROWTH_MIB, `the process grew by ${peak - warm} MB`);
    assert.ok(share.up >= MIN_SHARE, `uploads run at ${share.up.toFixed(2)} of a bare copy`);
    assert.ok(share.down >= MIN_SHARE, `downloads run at ${share.down.toFixed(2)} of a bare copy`);
  });

  async function throughBare(size: number) {
    const up = await speed(size, () => upload(bare.url, size));
    const down = await speed(size, () => download(bare.url, size));
    rmSync(join(dir, 'bare'));
    return { up, down };
  }

  async function throughService(size: number) {
    const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
      const answer = await send(method, service.url + path, { key, body });
      assert.ok(answer.status < 300, answer.text);
      return answer;
    };
    const post = await call('POST', '/api/v1/posts', { title: 'Long', post_type: 'video' });
    const assets = `/api/v1/posts/${post.json.data.id}/assets`;
    const announced = { filename: 'long.mp4', content_type: 'video/mp4', content_length: size };
    const { json: grant } = await call('POST', assets, announced);
    const up = await speed(size, () => upload(grant.upload_url, size));
    const { json } = await call('GET', assets);
    assert.deepEqual([json.data.length, json.data[0]?.size], [1, size]);
    const down = await speed(size, () => download(json.data[0].url, size));
    await call('DELETE', `${assets}?object_key=${json.data[0].object_key}`);
    return { up, down };
  }

  async function launch(file: string, args: string[], env: Record<string, string> = {}): Promise<Program> {
    const child = spawn(process.execPath, [file, ...args], {
      env: { PATH: process.env.PATH, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error', ...env },
      cwd: dir,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let output = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        output += chunk;
        const ready = readyUrl(output);
        if (ready) resolve(ready);
      });
      child.once('close', () => reject(new Error(`${file} did not start: ${output}`)));
    });
    return { url, pid: child.pid as number };
  }
});

interface Program {
  url: string;
  pid: number;
}

async function newKey(url: string): Promise<string> {
  const admin = `${url}/api/admin/v1/organizations`;
  const body = { name: 'Long films', plan: 'growth' };
  const organization = await send('POST', admin, { key: ADMIN_TOKEN, body });
  const issued = await send('POST', `${admin}/${organization.json.data.id}/keys`, {
    key: ADMIN_TOKEN,
    body: { name: 'Key' },
  });
  return issued.json.data.key;
}

/** Megabytes per second. */
async function speed(size: number, transfer: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await transfer();
  return size / 1e6 / ((performance.now() - startedAt) / 1000);
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;

async function upload(url: string, size: number): Promise<void> {
  const sending = request(url, {
    method: 'PUT',
    headers: { 'content-type': 'video/mp4', 'content-length': size },
  });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  await pipeline(sendBigVideo(size), sending);
  const [response] = await answered;
  assert.equal(response.statusCode, 200, await text(response));
  response.resume();
}

async function download(url: string, size: number): Promise<void> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['content-length'], String(size));
  await pipeline(response, compareBigVideo(size));
}

/** In whole megabytes, as the system counts them: now, and the peak since it was last reset. */
function memoryOf({ pid }: Program): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}

const forgetPeak = ({ pid }: Program) => writeFileSync(`/proc/${pid}/clear_refs`, '5');
