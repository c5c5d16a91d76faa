import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import fastify from 'fastify';
import { until } from '../../test/support/runner/until.js';
import type { AppError } from '../core/problems.js';
import type { Server } from '../request/server.js';
import { createConnections } from './connections.js';
import { limitUnsent } from './unread.js';

const MB = 1024 * 1024;

describe('Responses that wait to be read', () => {
  const server = fastify();
  // More than the kernel takes for a client that does not read.
  const body = 'x'.repeat(12 * MB);
  let port = 0;
  before(async () => {
    server.decorateRequest('caller', null);
    createConnections(() => 'id').watch(server as never);
    server.addHook('onRequest', async (request) => {
      request.caller = { orgId: request.headers['x-org'] } as never;
    });
    limitUnsent(server as unknown as Server);
    server.setErrorHandler((error: AppError, _request, reply) =>
      reply
        .code(error.status)
        .headers(error.headers ?? {})
        .send(error.code),
    );
    server.get('/api/list', async (_request, reply) => reply.send(body));
    server.post('/mcp', async (_request, reply) => reply.send(body));
    await server.listen({ host: '127.0.0.1', port: 0 });
    port = (server.server.address() as AddressInfo).port;
  });
  after(() => server.close());

  const get = (org: string) => `GET /api/list HTTP/1.1\r\nHost: x\r\nX-Org: ${org}\r\n\r\n`;
  const post = (org: string) => `POST /mcp HTTP/1.1\r\nHost: x\r\nX-Org: ${org}\r\nContent-Length: 0\r\n\r\n`;
  const ask = (org: string) => fetch(`http://127.0.0.1:${port}/api/list`, { headers: { 'x-org': org } });

  it('are 16 MB of an organization at most; others get theirs', async () => {
    const clients = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').pause());
    clients.forEach((client, n) => {
      client.write(n % 2 === 0 ? get('a') : post('a'));
    });
    let refused: Response | undefined;
    await until('one is refused', async () => {
      const answer = await ask('a');
      await answer.text();
      refused = answer;
      return answer.status === 503;
    });
    assert.equal(refused?.headers.get('retry-after'), '5');
    assert.equal((await (await ask('b')).text()).length, body.length);
    const closed = Promise.all(clients.map((client) => once(client, 'close')));
    for (const client of clients) client.destroy();
    await closed;
    await until('one is let in', async () => {
      const answer = await ask('a');
      await answer.text();
      return answer.status === 200;
    });
  });
});
