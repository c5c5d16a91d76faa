// Runs the object store contract against a real S3 server, OpenStack Swift.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './product.mjs';
import { startSwift } from './swift.mjs';

const BUCKET = 'airdate-contract';

/** Where Swift 2.30 differs from Amazon's S3, for the contract (see Traits in server/test/contracts/object-store/object-store-contract.ts). */
const TRAITS = { chunked: 'stored', forgivesRepeats: true, refusesWith5xx: true, listsJoinedParts: true };
const DIFFERENCES = [
  'accepts chunked bodies, where Amazon requires a length',
  'ignores If-None-Match on writes: if two processes write the same key at once, the last one wins',
  'reads one of several parameters with the same name, and ignores the others',
  'lists the parts of a multipart upload even after it is complete',
  'refuses some requests with 500 or 501, where Amazon returns 4xx',
];

async function main() {
  const swift = await startSwift(BUCKET);
  try {
    process.stdout.write(
      `Swift runs at ${swift.endpoint}. The contract allows these differences from Amazon S3:\n`,
    );
    for (const difference of DIFFERENCES) process.stdout.write(`  - ${difference}\n`);
    const file = join(root, 'server/dist/test/contracts/object-store.test.js');
    const runner = spawn(process.execPath, ['--enable-source-maps', '--test', '--test-reporter=spec', file], {
      stdio: 'inherit',
      env: {
        ...process.env,
        TEST_S3_NAME: 'OpenStack Swift',
        TEST_S3_ENDPOINT: swift.endpoint,
        TEST_S3_BUCKET: BUCKET,
        TEST_S3_REGION: swift.region,
        TEST_S3_ACCESS_KEY_ID: swift.accessKeyId,
        TEST_S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
        TEST_S3_TRAITS: JSON.stringify(TRAITS),
      },
    });
    process.once('exit', () => runner.kill());
    const [code] = await once(runner, 'exit');
    return code ?? 1;
  } finally {
    await swift.stop();
  }
}

process.exitCode = await main();
