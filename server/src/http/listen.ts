// Where the server listens. `localhost` has two addresses on most machines, and clients try either of them.
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Config } from '../config/config.js';
import type { Server } from '../request/server.js';

/**
 * Returns the URL, with the real port. The framework would make another HTTP server for the second address of localhost, whose
 * connections it does not show us. Here all connections belong to one server, with the same limits.
 */
export async function listen(server: Server, { host, port }: Pick<Config, 'host' | 'port'>): Promise<string> {
  const [first = host, ...others] = await lookUpAddresses(host);
  const more = others.map((address) => ({
    address,
    listener: createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.server.emit('connection', socket),
    ),
  }));
  server.addHook('preClose', async () => {
    for (const { listener } of more) listener.close();
  });
  await server.listen({ host: first, port }).catch((error: NodeJS.ErrnoException) => {
    // The name that cannot be resolved is HOST here, not the database's.
    if (error.syscall === 'getaddrinfo') Object.assign(error, { code: 'EADDRNOTAVAIL', address: host });
    throw error;
  });
  const actual = (server.server.address() as AddressInfo).port;
  for (const { address, listener } of more) {
    listener.listen(actual, address);
    // It may not be there, or belong to another program. The first one is enough.
    await once(listener, 'listening').catch(() => {});
  }
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
}

async function lookUpAddresses(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host];
  const found = await lookup(host, { all: true }).catch(() => []);
  return [...new Set(found.map(({ address }) => address))];
}
