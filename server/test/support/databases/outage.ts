// A realistic outage of the database for one process: on Postgres the connection to the server is cut, on SQLite another
// connection has the write lock, so no process can write.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../../../src/config/config.js';
import { SqliteConnection } from '../../../src/db/sqlite/connection.js';
import { until } from '../runner/until.js';

export interface Outage {
  /** The configuration of the affected process. */
  readonly config: Config;
  begin(): Promise<void>;
  end(): Promise<void>;
  close(): Promise<void>;
}

export const outageFor = (config: Config): Promise<Outage> =>
  config.databaseUrl === null ? lockHolder(config) : cutWay(config, config.databaseUrl);

async function lockHolder(config: Config): Promise<Outage> {
  const other = new SqliteConnection(join(config.dataDir, 'airdate.db'));
  let isLocked = false;
  const end = async () => {
    if (isLocked) other.exec('rollback');
    isLocked = false;
  };
  return {
    config,
    begin: () =>
      until('the write lock is free', async () => {
        try {
          other.exec('begin immediate');
          isLocked = true;
        } catch {
          // The service is writing.
        }
        return isLocked;
      }),
    end,
    async close() {
      await end();
      other.close();
    },
  };
}

async function cutWay(config: Config, databaseUrl: string): Promise<Outage> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  const server: Server = createServer((near) => {
    if (isCut) return void near.destroy();
    keep(near);
    const far = keep(connect(Number(target.port), target.hostname));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const way = new URL(databaseUrl);
  way.hostname = '127.0.0.1';
  way.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    config: { ...config, databaseUrl: way.href },
    async begin() {
      isCut = true;
      cut();
    },
    async end() {
      isCut = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
