// Starts on a Postgres that hangs, that proves who it is, or that has too few connections.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../src/config/config.js';
import type { Log } from '../../src/core/log.js';
import { openPostgres } from '../../src/db/postgres/postgres.js';
import { openApp } from '../../src/open-app.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { freePort, type PrivateCluster, startPrivatePostgres } from '../support/databases/postgres.js';
import { makeCertificate, makeRoot } from '../support/network/certificates.js';
import { PROGRAM } from '../support/programs/joined-programs.js';
import { itInProofs } from '../support/runner/test-tiers.js';
import { TEST_KEY } from '../support/service/harness.js';

/** How `npm run migrate` ends, and what it says. */
async function migrate(dir: string, databaseUrl: string): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env.PATH, DATA_DIR: dir, DATABASE_URL: databaseUrl, LOG_LEVEL: 'fatal' };
  const child = spawn(process.execPath, [PROGRAM, 'migrate'], { env, cwd: dir });
  const ended = once(child, 'exit');
  const [output, complained] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, output: output + complained };
}

describe('A start on Postgres', () => {
  let dir: string;
  let cluster: PrivateCluster;
  let address: (host: string, root?: string) => string;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-starts-'));
    makeRoot(dir, 'root');
    makeRoot(dir, 'stranger');
    const { crt, key } = makeCertificate(dir, 'root', 'localhost');
    cluster = await startPrivatePostgres({
      fsync: false,
      settings: { ssl: 'on', max_connections: '20' },
      files: { 'server.crt': crt, 'server.key': key },
    });
    address = (host, root = 'root') => {
      const url = new URL(cluster.url);
      url.hostname = host;
      url.searchParams.set('sslmode', 'verify-full');
      url.searchParams.set('sslrootcert', join(dir, `${root}.crt`));
      return url.href;
    };
  });
  after(async () => {
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** One sentence that says this, and no stack. */
  async function refusal(databaseUrl: string, says: RegExp): Promise<void> {
    const { code, output } = await migrate(dir, databaseUrl);
    assert.equal(code, 1, output);
    assert.match(output, says);
    assert.match(output, /DATABASE_URL/);
    assert.equal(output.trim().split('\n').length, 1, output);
  }

  it('works with a certificate that the given root has signed for this host', async () => {
    const { code, output } = await migrate(dir, address('localhost'));
    assert.deepEqual([code, output.startsWith('Applied: ')], [0, true], output);
  });

  it('refuses a certificate of another root, in a sentence', () =>
    refusal(address('localhost', 'stranger'), /certificate of the database is not accepted/));

  it('refuses a certificate for another host, in a sentence', () =>
    refusal(address('127.0.0.1'), /certificate of the database is not accepted: .*127\.0\.0\.1/));

  it('names a root that is missing, in a sentence', () =>
    refusal(address('localhost', 'missing'), /file is missing: .*missing\.crt.*sslrootcert/));

  it('says in a sentence that nothing answers: at a port without a server, and at one that accepts and is silent', async () => {
    const silent = createServer();
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => void sockets.push(socket.on('error', () => {})));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const url = (port: number) => `postgres://airdate@127.0.0.1:${port}/airdate`;
      await Promise.all([
        refusal(url(await freePort()), /database does not answer/),
        refusal(url((silent.address() as AddressInfo).port), /database does not answer/),
      ]);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });

  it('warns, with figures, if Postgres has too few connections, and works', async () => {
    const warningsOf = async (size: number) => {
      const warnings: unknown[] = [];
      const note = (details: object, sentence: string) => warnings.push({ ...details, sentence });
      const quiet = () => {};
      const log = { warn: note, info: quiet, error: quiet, debug: quiet } as unknown as Log;
      const config = readConfig('serve', {
        DATA_DIR: dir,
        DATABASE_URL: cluster.url,
        DATABASE_POOL_SIZE: String(size),
        ENCRYPTION_KEY: TEST_KEY,
      });
      const app = await openApp(config, { log });
      await app.close();
      return warnings as { needed: number; allowed: number; taken: number; sentence: string }[];
    };
    assert.deepEqual(await warningsOf(10), []);
    const [warning, ...others] = await warningsOf(17);
    assert.deepEqual(others, []);
    assert.deepEqual([warning?.needed, warning?.allowed], [18, 17]);
    assert.match(String(warning?.sentence), /max_connections.*DATABASE_POOL_SIZE/);
  });

  // The client gives up on other statements after 20 s. An index on a million posts takes longer.
  itInProofs('waits for a migration as long as it takes', async () => {
    const db = openPostgres(cluster.url, 2, silentLog);
    try {
      await db.withMigrationLock((_tx, run) => run('select pg_sleep(21)'));
    } finally {
      await db.close();
    }
  });
});
