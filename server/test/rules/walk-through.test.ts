// The README's walk through the API runs as it is, in a shell, against a service on its first start.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { readConfig } from '../../src/config/config.js';
import { startService } from '../../src/service.js';
import { silentLog } from '../databases.js';
import { shellUnder, withTexts } from './readme.js';
import { skipWithout } from './terminal.js';

const skip = skipWithout('bash', 'curl');

describe("the README's walk-through", { skip }, () => {
  it('runs to its end, and every response succeeds except for the deliberate mistake', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'airdate-walk-'));
    const config = readConfig('serve', { PORT: '0', HOST: '127.0.0.1', DATA_DIR: dir });
    const service = await startService(config, { log: silentLog });
    try {
      const script = withTexts(shellUnder('A walk through the API'), {
        'ad_…': service.demo?.key ?? '',
        'http://localhost:3000': service.url,
      });
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script]);
      const problems = [...stdout.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code);
      assert.deepEqual(problems, ['account_missing', 'privacy_level_missing', 'validation_failed']);
      assert.match(stdout, /"publish_id":"p_pub_url/);
      assert.match(stdout, /^Number four is a surprise\.$/m);
      assert.match(stdout, /"outcome":"published"/);
      assert.match(stdout, /"status":"scheduled"/);
      assert.match(stdout, /"archived":1/);
      assert.match(stdout, /204\n$/);
    } finally {
      await service.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
