// Starts the built product on newer versions of Node than the one that built it, and runs a ninth of the flow tests on the
// newest, on one engine. The binaries are packages of the registry; nothing is installed into the project.
//   node scripts/other-nodes.mjs
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, startProduct } from './product.mjs';
import { cannotFetchNode, fetchPackages, nodeIn, nodePackage } from './registry.mjs';

const MAJORS = [22, 24];

/** Starts the product as `npm start` does, asks it for something, and stops it in order. */
async function tryProduct(node, dir) {
  const { url, key, stop } = await startProduct('serve', node, dir);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ title: 'Written on another Node' });
  const made = await fetch(`${url}/api/v1/posts`, { method: 'POST', headers, body });
  const list = await (await fetch(`${url}/api/v1/posts`, { headers })).json();
  const ready = await fetch(`${url}/readyz`);
  const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
  const found = [made.status, list.data?.length, ready.status, page.status].join();
  if (found !== '201,1,200,200') throw new Error(`it answers ${found}`);
  await stop();
}

async function runFlows(node) {
  const tests = spawn(node, [join(root, 'server/dist/test/run.js'), '--every=9', 'test/flows/'], {
    env: { ...process.env, TEST_ENGINE: 'sqlite' },
    stdio: 'inherit',
  });
  const [code] = await once(tests, 'exit');
  if (code !== 0) throw new Error(`the flow tests ended with ${code}`);
}

if (cannotFetchNode) {
  process.stdout.write(`NOT RUN: ${cannotFetchNode}.\n`);
} else {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-nodes-'));
  try {
    for (const major of MAJORS) {
      const own = join(dir, String(major));
      mkdirSync(own);
      await fetchPackages(own, [nodePackage(major)]);
      const node = nodeIn(own);
      const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
      await tryProduct(node, dir);
      process.stdout.write(`the product starts on Node ${version}\n`);
      if (major === MAJORS.at(-1)) await runFlows(node);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
