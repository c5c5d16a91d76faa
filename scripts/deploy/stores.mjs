// What the processes store in: Postgres (the tests' own), pgbouncer before it, and Redis.
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { startPrivatePostgres } from '../../server/dist/test/support/databases/postgres.js';
import { find } from './install.mjs';
import { descendants, Part, unusedPort } from './part.mjs';
import { adapted } from './proxies.mjs';

/** The user that owns nothing, on every Linux. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

export async function startPostgres() {
  const cluster = await startPrivatePostgres({ fsync: true });
  const admin = new pg.Client({ connectionString: cluster.url });
  await admin.connect();
  await admin.query('create database airdate');
  await admin.end();
  const url = new URL(cluster.url);
  url.pathname = '/airdate';
  const everyProcess = () => [cluster.pid(), ...descendants(cluster.pid())];
  return {
    url: url.href,
    port: Number(url.port),
    stop: () => cluster.stop(),
    crash: (awayMs) => cluster.crash(awayMs),
    restart: (awayMs) => cluster.restart(awayMs),
    /** Hangs: connections are accepted by the system, and nothing is answered. */
    pause() {
      for (const pid of everyProcess()) process.kill(pid, 'SIGSTOP');
    },
    resume() {
      for (const pid of everyProcess()) process.kill(pid, 'SIGCONT');
    },
  };
}

export async function pgbouncer(parent, postgres) {
  const dir = join(parent, 'pgbouncer');
  mkdirSync(dir);
  // It refuses to run as root.
  const owner = UNPRIVILEGED;
  chownSync(dir, owner.uid, owner.gid);
  const port = await unusedPort();
  const conf = adapted('pgbouncer/pgbouncer.ini', {
    // The trial's Postgres asks for no password.
    'port=5432 dbname=airdate': `port=${postgres.port} dbname=airdate user=airdate`,
    'auth_type = scram-sha-256\nauth_file = /etc/pgbouncer/userlist.txt':
      'auth_type = any\nunix_socket_dir =',
    'listen_port = 6432': `listen_port = ${port}`,
  });
  writeFileSync(join(dir, 'pgbouncer.ini'), conf);
  const url = `postgres://airdate@127.0.0.1:${port}/airdate`;
  const part = new Part({
    name: 'pgbouncer',
    dir,
    command: [find('pgbouncer'), join(dir, 'pgbouncer.ini')],
    owner,
    isReady: () => isConnectable(url),
  });
  return { url, part };
}

async function isConnectable(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  await client.connect();
  await client.query('select 1');
  await client.end();
  return true;
}

export async function redis(parent) {
  const dir = join(parent, 'redis');
  mkdirSync(dir);
  const port = await unusedPort();
  const part = new Part({
    name: 'redis',
    dir,
    command: [
      find('redis-server'),
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--dir',
      dir,
    ],
    isReady: () => saysPong(port),
  });
  return { url: `redis://127.0.0.1:${port}`, part };
}

const saysPong = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.on('data', (data) => {
      socket.destroy();
      resolve(String(data).startsWith('+PONG'));
    });
    socket.on('error', () => resolve(false));
  });
