// Runs the tests: finds the files, brings a Postgres, hands both to Node's own test runner.
//   node dist/test/run.js [--proof] [words that the file's path must contain…]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemplate } from './databases.js';
import { startPostgres } from './postgres.js';

const root = fileURLToPath(new URL('..', import.meta.url));

function testFiles(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return testFiles(path);
    return name.endsWith('.test.js') ? [path] : [];
  });
}

async function main(args: string[]): Promise<number> {
  const proof = args.includes('--proof');
  const words = args.filter((arg) => !arg.startsWith('--'));
  const isProof = (file: string) => file.endsWith('.proof.test.js');
  const files = testFiles(root)
    .filter((file) => isProof(file) === proof)
    .filter((file) => words.every((word) => relative(root, file).includes(word)));
  if (files.length === 0) {
    process.stderr.write(`No test file matches ${args.join(' ')}\n`);
    return 1;
  }
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
        // Of a whole file.
        `--test-timeout=${proof ? 3_600_000 : 300_000}`,
        '--test-reporter=spec',
        ...files,
      ],
      {
        stdio: 'inherit',
        env: { ...process.env, AIRDATE_TEST_CLUSTER: cluster.url, AIRDATE_TEST_TEMPLATE: template },
      },
    );
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal));
    const [code] = (await once(runner, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await cluster.stop();
  }
}

process.exitCode = await main(process.argv.slice(2));
