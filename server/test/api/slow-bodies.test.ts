// A client that stops sending, or trickles, does not keep a connection for ever.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { until } from '../support/runner/until.js';
import { type TestService, useService } from '../support/service/harness.js';
import { grant, WITHOUT_WORKER } from '../support/service/uploads.js';

const MINUTE = 60_000;

// On SQLite: the mocked timers would also time out connections to Postgres.
describe('A body that trickles', () => {
  // A worker's loops would run at every tick.
  const service = useService('sqlite', WITHOUT_WORKER);

  it('is cut off after a minute: of the API', (t) => isCutOff(t, service, 'POST /api/v1/auth/sign-in'));

  it('is cut off after a minute: a file that hardly moves; one that does move takes its time', async (t) => {
    const org = await service.newOrganization();
    const post = await org.addPost();
    mockTimers(t);
    const upload = async (bytes: number) => {
      const { upload_url } = await grant(org, post, { content_type: 'image/png' });
      const { pathname, search } = new URL(upload_url);
      const slow = await begin(t, service, `PUT ${pathname}${search}`, 'image/png', 1_000_000);
      slow.socket.write(Buffer.alloc(bytes));
      await slow.arrived(bytes);
      t.mock.timers.tick(MINUTE);
      return slow;
    };
    const moving = await upload(64 * 1024);
    assert.equal(moving.received(), '');
    moving.socket.destroy();
    const stuck = await upload(1);
    // Its only byte may still have waited to be stored a minute ago.
    await until('it is cut off', async () => {
      t.mock.timers.tick(MINUTE);
      return stuck.received() !== '';
    });
    assert.match(stuck.received(), /^HTTP\/1\.1 408 /);
  });
});

describe('A body that trickles, where the sandbox is part of the service', () => {
  const service = useService('sqlite');

  it('is cut off after a minute', (t) => isCutOff(t, service, 'POST /sandbox/v2/oauth/token/'));
});

async function isCutOff(t: TestContext, service: TestService, head: string): Promise<void> {
  mockTimers(t);
  const slow = await begin(t, service, head, 'application/json', 1_000);
  slow.socket.write('x');
  await slow.arrived(1);
  t.mock.timers.tick(MINUTE);
  await slow.ended;
  assert.match(slow.received(), /^HTTP\/1\.1 408 /);
}

const mockTimers = (t: TestContext) => t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });

/** Announces a long body. `arrived` waits until the server has read so many more bytes. */
async function begin(t: TestContext, service: TestService, head: string, type: string, length: number) {
  const { hostname, port } = new URL(service.url);
  let theirs: Socket | undefined;
  service.server.server.once('connection', (socket: Socket) => {
    theirs = socket;
  });
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const ended = once(socket, 'close');
  let sent = 0;
  const write = `${head} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;
  socket.write(write);
  sent += write.length;
  return {
    socket,
    ended,
    received: () => text,
    async arrived(bytes: number) {
      sent += bytes;
      await until(`all ${sent} bytes have arrived`, async () => (theirs?.bytesRead ?? 0) >= sent);
    },
  };
}
