// Starts the built product on newer versions of Node than the one that built it, and runs the flow tests of one engine on
// the newest. The binaries are packages of the registry; nothing is installed into the project.
//   node scripts/other-nodes.mjs
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAJORS = [22, 24];
const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'server/dist/src/main.js');

/** The path of the binary. */
function fetchNode(major, dir) {
  const name = `node-linux-${process.arch}`;
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', ['install', ...quiet, '--prefix', dir, `${name}@${major}`], { stdio: 'inherit' });
  return join(dir, 'node_modules', name, 'bin/node');
}

/** Starts the product as `npm start` does, asks it for something, and stops it in order. */
async function tryProduct(node, dir) {
  const env = { PATH: process.env.PATH, PORT: '0', HOST: '127.0.0.1', DATA_DIR: dir, LOG_FORMAT: 'json' };
  const service = spawn(node, [main, 'serve'], { env, cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(service, 'exit');
  let said = '';
  await new Promise((resolve) => {
    service.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      if (/\/enter\S+\n/.test(said)) resolve();
    });
    void exited.then(resolve);
  });
  const url = /is ready at (\S+)/.exec(said)?.[1];
  const key = /Bearer (\S+?)"/.exec(said)?.[1];
  if (!url || !key) throw new Error(`it did not start:\n${said}`);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ title: 'Written on another Node' });
  const made = await fetch(`${url}/api/v1/posts`, { method: 'POST', headers, body });
  const list = await (await fetch(`${url}/api/v1/posts`, { headers })).json();
  const ready = await fetch(`${url}/readyz`);
  const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
  const found = [made.status, list.data?.length, ready.status, page.status].join();
  if (found !== '201,1,200,200') throw new Error(`it answers ${found}`);
  service.kill('SIGTERM');
  const [code] = await exited;
  if (code !== 0) throw new Error(`it stopped with ${code}`);
}

async function runFlows(node) {
  const tests = spawn(node, [join(root, 'server/dist/test/run.js'), 'test/flows/'], {
    env: { ...process.env, TEST_ENGINE: 'sqlite' },
    stdio: 'inherit',
  });
  const [code] = await once(tests, 'exit');
  if (code !== 0) throw new Error(`the flow tests ended with ${code}`);
}

if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
  process.stdout.write('NOT RUN: other versions of Node are fetched for Linux on x64 and arm64 only.\n');
} else {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-nodes-'));
  try {
    for (const major of MAJORS) {
      const node = fetchNode(major, join(dir, String(major)));
      const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
      await tryProduct(node, mkdtempSync(join(dir, 'data-')));
      process.stdout.write(`the product starts on Node ${version}\n`);
      if (major === MAJORS.at(-1)) await runFlows(node);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
