// Packs the SDK and the command line as they are published, checks the SDK's package (files, publint, attw), and tells stories with
// both in a folder that has nothing else: the SDK on every Node, on Bun and on Deno; `airdate` and `airdate mcp` on every Node.
//   node scripts/packages.mjs
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { root, startProduct } from './product.mjs';
import { cannotFetchNode, fetchPackages, nodePackage } from './registry.mjs';

const CHECKS = ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5'];
const NODES = [20, 22, 24, 26];
const ARM = process.arch === 'arm64';
const BUN = `@oven/bun-linux-${ARM ? 'aarch64' : 'x64'}`;
const DENO = `@deno/linux-${process.arch}-glibc`;
const FILES = [
  'scripts/packages/sdk-story.mjs',
  'scripts/packages/cli-story.mjs',
  'server/test/media/slide.png',
  'server/test/media/tiny.mp4',
];

async function run(title, cwd, env, [command, ...args]) {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: 'inherit',
    // Only to notice a hang.
    timeout: 300_000,
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${title} ended with ${code}`);
  process.stdout.write(`${title}\n`);
}

/** The package's file, as `npm publish` would send it. */
function pack(workspace, dir) {
  const args = ['pack', '--silent', '--pack-destination', dir];
  const output = execFileSync('npm', args, { cwd: join(root, workspace), encoding: 'utf8' });
  return join(dir, output.trim().split('\n').at(-1));
}

/** A project that has the packages and nothing else. */
async function makeProject(dir, packages) {
  mkdirSync(dir);
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  for (const path of FILES) cpSync(join(root, path), join(dir, basename(path)));
  await fetchPackages(dir, packages);
}

async function fetchTools(dir) {
  mkdirSync(dir);
  await fetchPackages(dir, [
    ...CHECKS,
    ...NODES.map((major) => `node-${major}@npm:${nodePackage(major)}`),
    `${BUN}@1.4.4`,
    `${DENO}@2.9.5`,
  ]);
  const modules = join(dir, 'node_modules');
  return {
    nodes: NODES.map((major) => [`Node ${major}`, join(modules, `node-${major}`, 'bin/node')]),
    bun: [join(modules, BUN, 'bin/bun'), 'run'],
    deno: [join(modules, DENO, 'deno'), 'run', '--allow-env', '--allow-net', '--allow-read', '--no-lock'],
    publint: join(modules, 'publint/src/cli.js'),
    attw: join(modules, '@arethetypeswrong/cli/dist/index.js'),
  };
}

/** The service tells its document itself, with its own address. */
function checkFiles(installed) {
  const names = readdirSync(installed, { recursive: true }).filter((name) => !name.startsWith('dist'));
  const expected = ['LICENSE', 'README.md', 'package.json'];
  if (names.sort().join() !== expected.join()) throw new Error(`the SDK's package has ${names.join(', ')}`);
}

async function check(dir, { nodes, publint, attw }, sdk, installed) {
  checkFiles(installed);
  const [, node] = nodes.find(([title]) => title === 'Node 24');
  await run('the SDK: publint', dir, {}, [node, publint, 'run', installed, '--strict', '--pack', 'false']);
  await run('the SDK: attw', dir, {}, [node, attw, sdk, '--profile', 'esm-only']);
}

async function tellStories(project, { nodes, bun, deno }, { url, key }) {
  const env = { AIRDATE_URL: url, AIRDATE_API_KEY: key };
  const runtimes = [...nodes.map(([title, node]) => [title, [node]]), ['Bun', bun], ['Deno', deno]];
  for (const [title, command] of runtimes)
    await run(`the SDK: a story on ${title}`, project, env, [...command, 'sdk-story.mjs']);
  for (const [title, node] of nodes) {
    // The installed command finds this Node first. It signs in, instead of reading the key from the environment.
    const mine = { PATH: `${dirname(node)}:${process.env.PATH}`, URL: url, KEY: key };
    await run(`the command line: a story on ${title}`, project, mine, [node, 'cli-story.mjs']);
  }
}

async function meet(dir) {
  const [sdk, cli] = [pack('sdk', dir), pack('cli', dir)];
  const project = join(dir, 'project');
  await makeProject(project, [sdk, cli]);
  const tools = await fetchTools(join(dir, 'tools'));
  await check(dir, tools, sdk, join(project, 'node_modules/@airdate/sdk'));
  const product = await startProduct('serve', process.execPath, dir, { SANDBOX_PROCESSING_MS: '0' });
  try {
    await tellStories(project, tools, product);
  } finally {
    await product.stop();
  }
}

if (cannotFetchNode) {
  process.stdout.write(`NOT RUN: ${cannotFetchNode}.\n`);
} else {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-packages-'));
  try {
    await meet(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
