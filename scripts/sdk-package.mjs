// Packs the SDK as it is published, checks the package with publint and attw, and tells a story with it in a folder that has nothing
// else: on this Node and the newer ones, on Bun and on Deno.
//   node scripts/sdk-package.mjs
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, startProduct } from './product.mjs';
import { cannotFetchNode, fetchPackages, nodePackage } from './registry.mjs';

const CHECKS = ['publint@0.3.25', '@arethetypeswrong/cli@0.18.5'];
const NODES = [20, 22, 24, 26];
const ARM = process.arch === 'arm64';
const BUN = `@oven/bun-linux-${ARM ? 'aarch64' : 'x64'}`;
const DENO = `@deno/linux-${process.arch}-glibc`;

async function run(title, cwd, env, command, ...args) {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: 'inherit',
    // Only to notice a hang.
    timeout: 300_000,
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${title} ended with ${code}`);
  process.stdout.write(`the SDK: ${title}\n`);
}

/** Its file, as `npm publish` would send it. */
function pack(dir) {
  const args = ['pack', '--silent', '--pack-destination', dir];
  const name = execFileSync('npm', args, { cwd: join(root, 'sdk'), encoding: 'utf8' })
    .trim()
    .split('\n')
    .at(-1);
  return join(dir, name);
}

/** A project that has the package and nothing else. */
async function makeProject(dir, file) {
  mkdirSync(dir);
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  for (const path of ['scripts/sdk/story.mjs', 'server/test/media/slide.png', 'server/test/media/tiny.mp4'])
    cpSync(join(root, path), join(dir, path.slice(path.lastIndexOf('/') + 1)));
  await fetchPackages(dir, [file]);
}

/** How to start a program on each runtime. */
const runtimesIn = (dir) => {
  const modules = join(dir, 'node_modules');
  return [
    ...NODES.map((major) => [`Node ${major}`, join(modules, `node-${major}`, 'bin/node'), []]),
    ['Bun', join(modules, BUN, 'bin/bun'), ['run']],
    ['Deno', join(modules, DENO, 'deno'), ['run', '--allow-env', '--allow-net', '--allow-read', '--no-lock']],
  ];
};

async function meet(dir) {
  const file = pack(dir);
  const project = join(dir, 'project');
  const tools = join(dir, 'tools');
  mkdirSync(tools);
  await makeProject(project, file);
  await fetchPackages(tools, [
    ...CHECKS,
    ...NODES.map((major) => `node-${major}@npm:${nodePackage(major)}`),
    `${BUN}@1.4.4`,
    `${DENO}@2.9.5`,
  ]);
  const bin = join(tools, 'node_modules');
  const [, node24] = runtimesIn(tools).find(([title]) => title === 'Node 24');
  const publint = join(bin, 'publint/src/cli.js');
  await run(
    'publint',
    dir,
    {},
    node24,
    publint,
    'run',
    join(project, 'node_modules/@airdate/sdk'),
    '--strict',
    '--pack',
    'false',
  );
  const attw = join(bin, '@arethetypeswrong/cli/dist/index.js');
  await run(
    'attw',
    dir,
    {},
    node24,
    attw,
    file,
    '--profile',
    'esm-only',
    '--exclude-entrypoints',
    './openapi.json',
  );
  const product = await startProduct('serve', process.execPath, dir, { SANDBOX_PROCESSING_MS: '0' });
  try {
    const env = { AIRDATE_URL: product.url, AIRDATE_API_KEY: product.key };
    for (const [title, binary, args] of runtimesIn(tools))
      await run(`a story on ${title}`, project, env, binary, ...args, 'story.mjs');
  } finally {
    await product.stop();
  }
}

if (cannotFetchNode) {
  process.stdout.write(`NOT RUN: ${cannotFetchNode}.\n`);
} else {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-sdk-'));
  try {
    await meet(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
