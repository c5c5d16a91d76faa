import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { ConfigError, readConfig } from '../../src/config/config.js';
import { openApp } from '../../src/open-app.js';
import { createPostgresDatabase, silentLog } from '../support/databases/fresh-databases.js';
import { onEngines } from '../support/runner/test-tiers.js';

onEngines('both', 'A database', (engine) => {
  it('opens with the key it was created with, and refuses to start with another', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'airdate-key-'));
    const database = engine === 'postgres' ? await createPostgresDatabase() : null;
    const open = (key: string) =>
      openApp(
        readConfig('serve', {
          DATA_DIR: dir,
          ENCRYPTION_KEY: key,
          ...(database ? { DATABASE_URL: database.url } : {}),
        }),
        { log: silentLog },
      );
    try {
      const key = randomBytes(32).toString('hex');
      await (await open(key)).close();
      await assert.rejects(open(randomBytes(32).toString('hex')), ConfigError);
      await (await open(key)).close();
    } finally {
      await database?.drop();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
