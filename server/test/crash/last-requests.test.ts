// The last request on a connection that is idle when the server closes, as a load balancer sends it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'node:test';
import { readConfig } from '../../src/config/config.js';
import { healthRoutes } from '../../src/http/health.js';
import { bareServer } from '../../src/http/server.js';
import { closeServer } from '../../src/service.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { until } from '../support/runner/until.js';

/** The client asks long before this ends, however slow the machine is. */
const IDLE_GRACE_MS = 600_000;
const ASK = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

it('With SHUTDOWN_DELAY_SECONDS, a closing server refuses connections, and serves idle ones one last time', async () => {
  const config = readConfig('sandbox', { SHUTDOWN_DELAY_SECONDS: '1' });
  const server = bareServer({ config, log: silentLog });
  healthRoutes(server, { app: null, worker: () => null, isStopping: () => false });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  try {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const ended = once(socket, 'close');
    socket.write(ASK);
    await until('the first request is answered', () => received.includes('alive'));

    const closed = closeServer(server, config, IDLE_GRACE_MS);
    await until('connections are refused', () => isRefused(port));
    received = '';
    socket.write(ASK);
    await ended;
    assert.match(received, /^HTTP\/1\.1 200 [\s\S]*connection: close\r\n[\s\S]*alive/i);
    await closed;
  } finally {
    socket.destroy();
    await server.close();
  }
});

async function isRefused(port: number): Promise<boolean> {
  const attempt = connect(port, '127.0.0.1');
  try {
    await once(attempt, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    attempt.destroy();
  }
}
