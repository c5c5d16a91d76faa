// Meets the product as strangers' software does: a client that hey-api generates from the document, Prism as a validating
// proxy in between, and the libraries eventsource, arctic, Auth.js and version 1 of MCP's own client. Theirs runs on Node 24,
// because some of it needs that; the product runs on this Node.
//   node scripts/strangers.mjs
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, startProduct } from './product.mjs';
import { cannotFetchNode, fetchPackages, nodeIn, nodePackage } from './registry.mjs';

const STRANGERS = [
  '@hey-api/openapi-ts@0.99.0',
  // What hey-api generates with, and what compiles the result.
  'typescript@5.9.3',
  '@stoplight/prism-http-server@5.16.0',
  '@stoplight/prism-http@5.16.0',
  'eventsource@5.1.4',
  // Its parser drops an id without data; that of version 5 does not.
  'eventsource-4@npm:eventsource@4.1.1',
  '@modelcontextprotocol/sdk@1.32.2',
  'arctic@3.7.0',
  '@auth/core@0.41.3',
];

/** A project as a user would have it: modules, strict types, hey-api's default configuration. */
const PACKAGE = { private: true, type: 'module' };
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    strict: true,
    rootDir: 'client',
    outDir: 'compiled',
  },
  include: ['client'],
};

/** Their files are beside their packages, so that imports are found as in any project. */
function makeProject(dir) {
  cpSync(fileURLToPath(new URL('strangers', import.meta.url)), dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), JSON.stringify(PACKAGE));
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(TSCONFIG));
}

async function run(dir, { env, signal }, file, ...args) {
  const child = spawn(nodeIn(dir), [join(dir, file), ...args], {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: dir, ...env },
    stdio: ['ignore', file.startsWith('node_modules') ? 'ignore' : 'inherit', 'inherit'],
    // Only to notice a hang.
    timeout: 300_000,
    signal,
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${file} ended with ${code}`);
}

async function meet(dir) {
  const adminToken = randomBytes(24).toString('hex');
  const settings = {
    ADMIN_TOKEN: adminToken,
    SIGNUP: 'open',
    SANDBOX_PROCESSING_MS: '0',
    // Where the strangers' own server listens.
    WEBHOOK_ALLOW: '127.0.0.1',
  };
  const running = [];
  const start = async (...given) => {
    const started = await startProduct(...given);
    running.push(started);
    return started;
  };
  const failed = new AbortController();
  try {
    const [product, sandbox] = await allOf(
      start('serve', process.execPath, dir, settings),
      // Alone, it takes any redirect address; the built-in one works for the product only.
      start('sandbox', process.execPath, dir),
      fetchPackages(dir, [...STRANGERS, nodePackage(24)]),
    );
    const env = {
      SERVICE_URL: product.url,
      API_KEY: product.key,
      ENTRY_TOKEN: product.entryToken,
      ADMIN_TOKEN: adminToken,
      SANDBOX_URL: sandbox.url,
      CLI: join(root, 'cli/dist/main.js'),
      CLI_NODE: process.execPath,
      SLIDE: join(root, 'server/test/media/slide.png'),
    };
    const at = { env, signal: failed.signal };
    const operations = async () => {
      const document = `${product.url}/openapi.json`;
      await run(dir, at, 'node_modules/@hey-api/openapi-ts/bin/run.js', '-i', document, '-o', 'client');
      await run(dir, at, 'node_modules/typescript/bin/tsc', '-p', '.');
      await run(dir, at, 'operations.mjs');
    };
    await Promise.all([
      operations(),
      run(dir, at, 'stream.mjs', 'eventsource'),
      run(dir, at, 'stream.mjs', 'eventsource-4'),
      run(dir, at, 'consent.mjs'),
      run(dir, at, 'agents.mjs', 'http'),
      run(dir, at, 'agents.mjs', 'stdio'),
    ]);
  } finally {
    failed.abort();
    await allOf(...running.map(({ stop }) => stop()));
  }
}

/** Waits for all of them, whatever becomes of each, and then fails if one did. */
async function allOf(...promises) {
  const results = await Promise.allSettled(promises);
  const failure = results.find(({ status }) => status === 'rejected');
  if (failure) throw failure.reason;
  return results.map(({ value }) => value);
}

if (cannotFetchNode) {
  process.stdout.write(`NOT RUN: ${cannotFetchNode}.\n`);
} else {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-strangers-'));
  makeProject(dir);
  try {
    await meet(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
