// Runs the tests: finds the files, starts a Postgres, and passes both to Node's own test runner.
//   node dist/test/run.js [--proof] [words that the file's path must contain…]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureChromium } from './browser/chromium.js';
import { createTemplate } from './databases.js';
import { startPostgres } from './postgres.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const sandbox = fileURLToPath(new URL('../../../sandbox/dist', import.meta.url));
/** Unit tests of the dashboard; its screens are tested in a browser. */
const web = fileURLToPath(new URL('../../../web/dist-test', import.meta.url));

function testFiles(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return testFiles(path);
    return name.endsWith('.test.js') ? [path] : [];
  });
}

const needsBrowser = (file: string) => relative(root, file).startsWith(join('test', 'browser'));
const HOW = 'Install Chromium, or name one in CHROMIUM_PATH.';

async function main(args: string[]): Promise<number> {
  const proof = args.includes('--proof');
  const words = args.filter((arg) => !arg.startsWith('--'));
  const isProof = (file: string) => file.endsWith('.proof.test.js');
  const found = [...testFiles(root), ...testFiles(sandbox), ...testFiles(web)]
    .filter((file) => isProof(file) === proof)
    .filter((file) => words.every((word) => relative(root, file).includes(word)));
  if (found.length === 0) {
    process.stderr.write(`No test file matches ${args.join(' ')}\n`);
    return 1;
  }
  const browserTests = found.filter(needsBrowser);
  const chromium = browserTests.length > 0 ? ensureChromium() : null;
  const isLeftOut = browserTests.length > 0 && chromium === null;
  if (isLeftOut && process.env.CI) {
    process.stderr.write('There is no Chromium for the browser tests, and none could be installed.\n');
    return 1;
  }
  const files = isLeftOut ? found.filter((file) => !needsBrowser(file)) : found;
  const cluster = await startPostgres({ fsync: false });
  process.stdout.write(`Postgres for the tests: ${cluster.origin}\n`);
  try {
    const template = await createTemplate(cluster.url);
    const runner = spawn(
      process.execPath,
      [
        '--enable-source-maps',
        '--test',
        '--test-concurrency=2',
        // For a whole file: catches a hang, not a slow machine.
        `--test-timeout=${proof ? 3_600_000 : 1_200_000}`,
        '--test-reporter=spec',
        ...files,
      ],
      {
        stdio: 'inherit',
        env: {
          ...process.env,
          AIRDATE_TEST_CLUSTER: cluster.url,
          AIRDATE_TEST_TEMPLATE: template,
          ...(chromium === null ? {} : { CHROMIUM_PATH: chromium }),
        },
      },
    );
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal));
    const [code] = (await once(runner, 'exit')) as [number | null];
    if (isLeftOut) process.stdout.write(`\nNOT RUN: ${browserTests.length} files of browser tests. ${HOW}\n`);
    return code ?? 1;
  } finally {
    await cluster.stop();
  }
}

process.exitCode = await main(process.argv.slice(2));
