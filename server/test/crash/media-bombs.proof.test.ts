// Every hostile file over HTTP to a real service: each is answered after at most 10 seconds of CPU time, which is what it takes on a
// machine without other work, with at most 150 MB above the memory of the idle service and its readers. The service lives on,
// restarts, and its counters are right.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Medium } from '../../src/assets/media/tasks.js';
import { clientAt, newTenant } from '../support/hostile/tenant-client.js';
import { HOSTILE, type Hostile } from '../support/media/hostile-media.js';
import { fixture } from '../support/media/parts.js';
import { PROGRAM } from '../support/programs/joined-programs.js';
import { type Program, startProgram } from '../support/programs/start-program.js';
import { until } from '../support/runner/until.js';
import { ADMIN_TOKEN, TEST_KEY } from '../support/service/harness.js';

const MAX_MB = 150;
const MAX_MS = 10_000;
/** In which Linux counts CPU time. */
const TICK_MS = 10;
const MIN_OF_A_KIND = 40;
const ENDINGS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
};

/** A reader is kept for each medium. */
const HARMLESS: Record<Medium, [contentType: string, bytes: Buffer]> = {
  picture: ['image/png', fixture('slide.png')],
  video: ['video/mp4', fixture('tiny.mp4')],
};
const mediumOf = (contentType: string): Medium => (contentType.startsWith('video/') ? 'video' : 'picture');
const SETTLES_MS = 200;

const call = clientAt('127.0.3.1');

describe('Bombs and lies', {
  skip: process.platform !== 'linux' && 'the memory of processes is read from /proc',
}, () => {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-bombs-'));
  const env = { DATA_DIR: dir, ENCRYPTION_KEY: TEST_KEY, ADMIN_TOKEN, RATE_LIMIT: 'off', LOG_LEVEL: 'fatal' };
  let service: Program;
  let key = '';
  let accepted = 0;
  before(async () => {
    service = await startProgram('serve', env);
    key = await newTenant(service.url, ADMIN_TOKEN, 'The Attackers');
  });
  after(async () => {
    await service.kill();
    rmSync(dir, { recursive: true, force: true });
  });

  async function send(contentType: string, bytes: Buffer): Promise<number> {
    const post_type = mediumOf(contentType) === 'video' ? 'video' : 'slides';
    const { json } = await call('POST', `${service.url}/api/v1/posts`, {
      key,
      json: { title: 'Bomb', post_type },
    });
    const body = { filename: `bomb.${ENDINGS[contentType]}`, content_type: contentType };
    const granted = await call('POST', `${service.url}/api/v1/posts/${json.data.id}/assets`, {
      key,
      json: body,
    });
    const headers = { 'content-type': contentType };
    return (await call('PUT', granted.json.upload_url, { raw: bytes, headers })).status;
  }

  async function sendCounted(contentType: string, bytes: Buffer): Promise<number> {
    const status = await send(contentType, bytes);
    if (status === 200) accepted += bytes.length;
    return status;
  }

  /** Once the reader that is kept, and the spare, have started. */
  async function settledMemory(): Promise<number> {
    let last = 0;
    await until('the memory has settled', async () => {
      const before = last;
      await delay(SETTLES_MS);
      last = memoryOf(service.pid);
      return Math.abs(last - before) < 1;
    });
    return last;
  }

  it(`are at least ${MIN_OF_A_KIND} of each kind of file`, () => {
    for (const type of Object.keys(ENDINGS))
      assert.ok(HOSTILE.filter(({ contentType }) => contentType === type).length >= MIN_OF_A_KIND, type);
  });

  for (const type of Object.keys(ENDINGS))
    it(`as ${type} take at most ${MAX_MB} MB and ${MAX_MS / 1000} s of CPU time each`, async (test) => {
      const files = HOSTILE.filter(({ contentType }) => contentType === type);
      // The first time, what takes long has a spare reader started, which is none of the file's memory.
      for (const { bytes } of files) await sendCounted(type, bytes());
      const slow: string[] = [];
      let [mostMb, mostMs] = [0, 0];
      for (const { title, bytes, expected } of files) {
        const file = bytes();
        assert.equal(await sendCounted(...HARMLESS[mediumOf(type)]), 200, 'a reader is warm');
        const idle = await settledMemory();
        let peak = idle;
        const sampler = setInterval(() => {
          peak = Math.max(peak, memoryOf(service.pid));
        }, 10);
        const began = cpuMsOf(service.pid);
        const status = await sendCounted(type, file);
        const ms = cpuMsOf(service.pid) - began;
        clearInterval(sampler);
        assert.equal(verdictOf(status, expected), expected, `${title}: ${status}`);
        [mostMb, mostMs] = [Math.max(mostMb, peak - idle), Math.max(mostMs, ms)];
        if (peak - idle > MAX_MB || ms > MAX_MS)
          slow.push(`${title}: ${Math.round(peak - idle)} MB, ${Math.round(ms)} ms`);
      }
      test.diagnostic(`at most ${Math.round(mostMb)} MB and ${Math.round(mostMs)} ms of CPU time`);
      assert.deepEqual(slow, []);
      assert.equal((await call('GET', `${service.url}/healthz`, {})).status, 200);
    });

  it('leave a service that restarts, and exact counters', async () => {
    const used = async () => {
      const { json } = await call('GET', `${service.url}/api/v1/me`, { key });
      return json.data.quotas.bytes.used;
    };
    assert.equal(await used(), accepted);
    assert.equal(await service.stop(), 0);
    const { status, stdout } = spawnSync(process.execPath, [PROGRAM, 'check'], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
    service = await startProgram('serve', env);
    assert.equal(await used(), accepted);
    assert.equal(await send('image/png', fixture('slide.png')), 200);
  });
});

function verdictOf(status: number, expected: Hostile['expected']): Hostile['expected'] | number {
  if (status !== 200 && status !== 422) return status;
  return expected === 'either' ? 'either' : status === 200 ? 'harmless' : 'refused';
}

/** Of a process and its children, in megabytes. */
function memoryOf(pid: number): number {
  let kilobytes = 0;
  for (const id of familyOf(pid))
    kilobytes += Number(/VmRSS:\s+(\d+)/.exec(contentOf(`/proc/${id}/status`))?.[1] ?? 0);
  return kilobytes / 1024;
}

/** Of a process and its children, also of those that have ended. */
function cpuMsOf(pid: number): number {
  let ticks = 0;
  for (const id of familyOf(pid)) {
    // Behind the name of the program, which is in parentheses: its own time, and that of its children.
    const fields = contentOf(`/proc/${id}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    for (const field of fields.slice(11, 15)) ticks += Number(field);
  }
  return ticks * TICK_MS;
}

function familyOf(pid: number): number[] {
  let threads: string[] = [];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    // It has just ended.
  }
  const children = threads.flatMap((thread) =>
    contentOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(familyOf)];
}

/** Nothing of a process that has just ended. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
