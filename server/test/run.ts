// Runs the tests: finds the files, brings a Postgres, hands both to Node's own test runner.
//   node dist/test/run.js [--proof] [--every=9] [--tiers] [words that the file's path must contain…]
// With --every=9 only every ninth of the files that match.
// With --proof the proofs too, and everything on both engines.
// With --tiers nothing runs: it prints what runs every day, and what only in the proofs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BrowserName, browserVariables, ensureBrowser } from './support/browser/installed-browsers.js';
import { createTemplate } from './support/databases/fresh-databases.js';
import { startPostgres } from './support/databases/postgres.js';
import { joinPrograms } from './support/programs/joined-programs.js';
import { folderInMemory } from './support/runner/memory-folder.js';
import { printTiers } from './support/runner/tiers.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const sandbox = fileURLToPath(new URL('../../../sandbox/dist', import.meta.url));
/** Tests of what the dashboard calculates; what it shows is tested in a browser. */
const web = fileURLToPath(new URL('../../../web/dist-test', import.meta.url));
const docs = fileURLToPath(new URL('../../../docs/dist', import.meta.url));

function testFiles(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return testFiles(path);
    return name.endsWith('.test.js') && hasSource(path) ? [path] : [];
  });
}

/** The compiler leaves behind what it made of a file that was deleted since. */
function hasSource(compiled: string): boolean {
  const { sources } = JSON.parse(readFileSync(`${compiled}.map`, 'utf8')) as { sources: [string] };
  return existsSync(join(dirname(compiled), sources[0]));
}

const isProof = (file: string) => file.endsWith('.proof.test.js');
const needsBrowser = (file: string) => relative(root, file).startsWith(join('test', 'browser'));
const HOW: Record<BrowserName, string> = {
  chromium: 'Install Chromium, or name one in CHROMIUM_PATH.',
  firefox: 'Install firefox-esr, or name a Firefox in FIREFOX_PATH.',
};

function chosenFiles(proof: boolean, words: string[]): string[] {
  const all = [...testFiles(root), ...testFiles(sandbox), ...testFiles(web), ...testFiles(docs)];
  return all
    .filter((file) => proof || !isProof(file))
    .filter((file) => words.every((word) => relative(root, file).includes(word)));
}

/**
 * Files of a folder share processes: loading the program takes longer than most of them, and what has run before runs faster.
 * `api/labels` took 4.0 seconds of CPU alone, and 1.2 among others, so folders that keep a core busy have as many processes as cores.
 * The folders that take longest come first, so that no long process is left over at the end. Their order is that of the
 * names, which is the runner's.
 */
const PROCESSES: [folder: string, count: number][] = [
  ['test/browser', 2],
  // They start and stop programs, and wait for them.
  ['test/crash', 4],
  // These wait more than others, for time limits of the database and for large files.
  ['test/contracts', 2],
  ['test/rules', 2],
  ['test/flows', 2],
  ['test/api', 2],
  ['test/sdk', 1],
  // Programs that are started and waited for.
  ['test/cli', 1],
  ['test/sandbox', 1],
  ['units', 1],
];

/** What each process of the runner loads: a file of its own, or one that imports several. */
function processesFor(files: string[], dir: string, proof: boolean): string[] {
  const folderOf = (file: string) => {
    const path = relative(root, file);
    // In the proofs, stories with killed processes take minutes each.
    if (isProof(file) || (proof && dirname(path) === 'test/crash')) return null;
    if (path.startsWith('..') || path.startsWith('src')) return 'units';
    return PROCESSES.find(([folder]) => dirname(path) === folder)?.[0] ?? null;
  };
  const alone = files.filter((file) => folderOf(file) === null);
  let number = 10;
  const shared = PROCESSES.flatMap(([folder, most]) => {
    const members = files.filter((file) => folderOf(file) === folder);
    const count = Math.min(most, members.length);
    // Neighbours by name take about as long as each other, so they are dealt out in turn.
    return Array.from({ length: count }, (_, i) => {
      const entry = join(dir, `${number++}-${folder.replaceAll('/', '-')}-${i + 1}.test.mjs`);
      const mine = members.filter((_file, n) => n % count === i);
      writeFileSync(
        entry,
        mine.map((file) => `await import(${JSON.stringify(pathToFileURL(file))});\n`).join(''),
      );
      return entry;
    });
  });
  return [...alone, ...shared];
}

async function main(args: string[]): Promise<number> {
  const proof = args.includes('--proof');
  const every = Number(args.find((arg) => arg.startsWith('--every='))?.slice('--every='.length) ?? 1);
  const words = args.filter((arg) => !arg.startsWith('--'));
  const found = chosenFiles(proof, words).filter((_file, n) => n % every === 0);
  if (found.length === 0) {
    process.stderr.write(`No test file matches ${args.join(' ')}\n`);
    return 1;
  }
  joinPrograms();
  const browserTests = found.filter(needsBrowser);
  const browsers = new Map<BrowserName, string>();
  const missing: BrowserName[] = [];
  for (const name of browserTests.length > 0 ? (['chromium', 'firefox'] as const) : []) {
    const path = ensureBrowser(name);
    if (path === null) missing.push(name);
    else browsers.set(name, path);
  }
  if (missing.length > 0 && process.env.CI) {
    process.stderr.write(
      `There is no ${missing.join(' and no ')} for the browser tests, and none could be installed.\n`,
    );
    return 1;
  }
  const files = missing.includes('chromium') ? found.filter((file) => !needsBrowser(file)) : found;
  const memory = proof ? null : folderInMemory();
  if (memory !== null) process.env.TMPDIR = memory;
  const cluster = await startPostgres({ fsync: false });
  process.stdout.write(`Postgres for the tests: ${cluster.origin}\n`);
  const dir = mkdtempSync(join(tmpdir(), 'airdate-run-'));
  try {
    const template = await createTemplate(cluster.url);
    const runner = spawn(
      process.execPath,
      [
        '--enable-source-maps',
        `--import=${new URL('./support/runner/disable-async-hooks.js', import.meta.url)}`,
        // A tenth of the time of `test/api` was the collection of young garbage.
        '--max-semi-space-size=64',
        '--test',
        // More than the two cores of a small machine: tests of retries, grace periods and recipes mostly wait.
        '--test-concurrency=5',
        // Of a whole file: against one that hangs, and not against a machine that is slow.
        `--test-timeout=${proof ? 14_400_000 : 2_400_000}`,
        '--test-reporter=spec',
        ...processesFor(files, dir, proof),
      ],
      {
        stdio: 'inherit',
        env: {
          ...process.env,
          AIRDATE_TEST_CLUSTER: cluster.url,
          AIRDATE_TEST_TEMPLATE: template,
          ...(proof ? { AIRDATE_TEST_EVERYTHING: 'on' } : {}),
          ...browserVariables(browsers),
        },
      },
    );
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal));
    const [code] = (await once(runner, 'exit')) as [number | null];
    if (missing.includes('chromium'))
      process.stdout.write(`\nNOT RUN: ${browserTests.length} files of browser tests. ${HOW.chromium}\n`);
    else if (missing.includes('firefox'))
      process.stdout.write(`\nNOT RUN: the stories in Firefox. ${HOW.firefox}\n`);
    return code ?? 1;
  } finally {
    rmSync(dir, { recursive: true, force: true });
    await cluster.stop();
    if (memory !== null) rmSync(memory, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
if (args.includes('--tiers')) process.stdout.write(printTiers(args.filter((arg) => !arg.startsWith('--'))));
else process.exitCode = await main(args);
