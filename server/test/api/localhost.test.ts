// localhost has two addresses on most machines. Both belong to one server, with the same limits, and end with it.
import assert from 'node:assert/strict';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { readConfig } from '../../src/config/config.js';

import { listen } from '../../src/http/listen.js';
import { bareServer } from '../../src/http/server.js';
import { silentLog } from '../support/databases/fresh-databases.js';

it('localhost is served at all of its addresses, by one server', async () => {
  const server = bareServer({ config: readConfig('serve', {}), log: silentLog });
  const sockets: Socket[] = [];
  server.server.on('connection', (socket) => sockets.push(socket));
  server.get('/', async () => 'here');
  await listen(server, { host: 'localhost', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const addresses = new Set((await lookup('localhost', { all: true })).map(({ address }) => address));
  for (const address of addresses) {
    const socket = connect(port, address);
    socket.end('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    assert.match(await text(socket), /here$/, address);
  }
  assert.equal(sockets.length, addresses.size);
  await server.close();
  for (const address of addresses) {
    const [error] = await once(connect(port, address), 'error');
    assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED', address);
  }
});
