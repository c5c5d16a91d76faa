// A real pgbouncer that lends connections per transaction, and has its default settings otherwise.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answers, clusterOwner, freePort } from './postgres.js';

const found = spawnSync('pgbouncer', ['--version']).status === 0;

/** In a full run a missing pgbouncer is a failure; otherwise its tests are skipped with a notice. */
export const withoutPgbouncer =
  !found && !process.env.CI && 'pgbouncer is not installed, so Airdate was not tried behind it';

export interface Pgbouncer {
  /** The same database, through pgbouncer. */
  url: string;
  stop(): Promise<void>;
}

export async function startPgbouncer(databaseUrl: string, connections: number): Promise<Pgbouncer> {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-pgbouncer-'));
  chmodSync(dir, 0o755);
  const target = new URL(databaseUrl);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${port}`;
    const child = launch(dir, target, port, connections);
    if (await answers(url.href, child)) return { url: url.href, stop: () => end(child, dir) };
    // Another process may have taken the port between the check and the start.
    if (attempt === 5) throw new Error('pgbouncer did not start');
  }
}

function launch(dir: string, target: URL, port: number, connections: number): ChildProcess {
  const password = target.password ? ` password=${decodeURIComponent(target.password)}` : '';
  const settings = [
    '[databases]',
    `* = host=${target.hostname} port=${target.port || 5432} user=${target.username}${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${connections}`,
  ];
  const file = join(dir, 'pgbouncer.ini');
  writeFileSync(file, settings.join('\n'), { mode: 0o644 });
  // Like Postgres, it refuses to run as root.
  return spawn('pgbouncer', [file], { ...clusterOwner(), cwd: dir, stdio: 'ignore' });
}

async function end(child: ChildProcess, dir: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM'); // immediately
    await once(child, 'exit');
  }
  rmSync(dir, { recursive: true, force: true });
}
