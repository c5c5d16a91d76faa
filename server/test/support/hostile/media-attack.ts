// Two attacks on the inspection of files, over HTTP against a service of its own: 24 pictures that take seconds to decode, and ten
// broken videos of 827 bytes. Prints how long another organization waits for its own files, quiet and meanwhile.
//
//   node server/dist/test/support/hostile/media-attack.js [path of main.js]

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fragmentedMp4, run } from '../media/mp4.js';
import { fixture, png } from '../media/parts.js';
import { PROGRAM } from '../programs/joined-programs.js';

const ADMIN_TOKEN = 'operator-token-for-the-attack-on-the-media-lines';
const QUIET_UPLOADS = 10;

interface Attack {
  title: string;
  files: number;
  postType: 'slides' | 'video';
  type: string;
  heavy: Buffer;
  /** What the other organization uploads. */
  own: Buffer;
}

const ATTACKS: Attack[] = [
  {
    title: '24 pictures of 49 megapixels with 16 bits per channel',
    files: 24,
    postType: 'slides',
    type: 'image/png',
    heavy: png({ width: 7000, height: 7000, depth: 16, colour: 6 }),
    own: fixture('slide.png'),
  },
  {
    title: 'ten videos with 2^32-1 samples in a few hundred bytes',
    files: 10,
    postType: 'video',
    type: 'video/mp4',
    heavy: fragmentedMp4([run(0xffffffff)]),
    own: fixture('tiny.mp4'),
  },
];

async function main(): Promise<void> {
  const program = process.argv[2] ?? PROGRAM;
  const service = await start(program);
  try {
    for (const attack of ATTACKS) await report(service.url, attack);
  } finally {
    await service.stop();
  }
}

async function report(url: string, attack: Attack): Promise<void> {
  const [attacker, other] = [await newOrganization(url), await newOrganization(url)];
  const quiet: number[] = [];
  for (let i = 0; i < QUIET_UPLOADS; i++) quiet.push(await uploadOwn(other, attack));
  const urls = [];
  for (let i = 0; i < attack.files; i++) urls.push(await grant(attacker, attack));
  let isOver = false;
  const began = performance.now();
  const attacking = Promise.all(urls.map((address) => put(address, attack, attack.heavy))).finally(() => {
    isOver = true;
  });
  const meanwhile: number[] = [];
  while (!isOver) meanwhile.push(await uploadOwn(other, attack));
  const statuses = await attacking;
  const lasted = performance.now() - began;
  console.log(`${attack.title} (${attack.heavy.length} bytes each), for ${seconds(lasted)} s`);
  console.log(`  the attacker's answers: ${[...new Set(statuses)].join(', ')}`);
  console.log(`  another's upload, quiet:     ${figures(quiet)}`);
  console.log(`  another's upload, meanwhile: ${figures(meanwhile)}`);
}

const seconds = (ms: number) => (ms / 1000).toFixed(2);

function figures(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const [median = 0, longest = 0] = [sorted[sorted.length >> 1], sorted.at(-1)];
  return `median ${seconds(median)} s, longest ${seconds(longest)} s, of ${times.length}`;
}

interface Member {
  url: string;
  key: string;
}

async function uploadOwn(org: Member, attack: Attack): Promise<number> {
  const address = await grant(org, attack);
  const began = performance.now();
  const status = await put(address, attack, attack.own);
  if (status !== 200) throw new Error(`the other organization's upload ended in ${status}`);
  return performance.now() - began;
}

async function grant(org: Member, { postType, type }: Attack): Promise<string> {
  const { data } = await post(org, '/api/v1/posts', { title: 'A post', post_type: postType });
  const filename = postType === 'slides' ? 'slide.png' : 'film.mp4';
  const { upload_url } = await post(org, `/api/v1/posts/${data.id}/assets`, { filename, content_type: type });
  return upload_url;
}

async function put(url: string, { type }: Attack, bytes: Buffer): Promise<number> {
  const body = new Uint8Array(bytes);
  return (await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body })).status;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
async function post({ url, key }: Member, path: string, body: object): Promise<any> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

async function newOrganization(url: string): Promise<Member> {
  const operator = { url, key: ADMIN_TOKEN };
  const path = '/api/admin/v1/organizations';
  const { data } = await post(operator, path, { name: 'Attack', plan: 'growth' });
  const { data: made } = await post(operator, `${path}/${data.id}/keys`, { name: 'Attack' });
  return { url, key: made.key };
}

async function start(program: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'airdate-attack-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: url,
    DATA_DIR: folder,
    ADMIN_TOKEN,
    DEMO: 'off',
    LOG_LEVEL: 'error',
    RATE_LIMIT: 'off',
  };
  const child: ChildProcess = spawn(process.execPath, [program], { env, stdio: 'inherit' });
  while (
    !(await fetch(`${url}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false))
  )
    await delay(50);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

await main();
