// Clients that ask for files and do not read them: few at the same time, little memory each, and not for long.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, before, it } from 'node:test';
import { MAX_PER_NETWORK, MAX_PER_ORG } from '../../src/http/unread.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const BYTES = 16 * 1024 * 1024;
const MINUTE_MS = 60_000;

onEngines('sqlite', 'A download that its client does not read', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  const opened: Socket[] = [];
  /** The same connections, as the server has them. */
  const taken: Socket[] = [];
  let url = '';
  before(async () => {
    service.server.server.on('connection', (socket: Socket) => {
      if (socket.remoteAddress?.startsWith('127.0.3.')) taken.push(socket);
    });
    url = await newFile(BYTES);
  });
  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    await until('the connections are closed', async () => taken.every(({ destroyed }) => destroyed));
  });

  async function newFile(bytes: number): Promise<string> {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    const key = `orgs/${org.id}/posts/${id}/video/large.mp4`;
    await service.app.store.write(key, Buffer.alloc(bytes, 1));
    return service.app.store.signDownload(key, service.clock.now() + 3_600_000);
  }

  const get = () => {
    const { pathname, search, host } = new URL(url);
    return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  };

  /** Reads the status, and leaves the rest. */
  async function begin(url: string, from: string): Promise<Socket> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: from });
    opened.push(socket);
    socket.write(get());
    await once(socket, 'readable');
    assert.match(String(socket.read(12)), /200$/);
    return socket;
  }

  async function ask(url: string, localAddress: string) {
    const sent = request(url, { localAddress, agent: false, headers: { range: 'bytes=0-9' } }).end();
    const [response] = await once(sent, 'response');
    const { statusCode: status, headers } = response;
    const { detail } = status === 206 ? { detail: '' } : ((await json(response)) as { detail: string });
    response.resume();
    return { status, retryAfter: headers['retry-after'], detail };
  }

  it('holds two small pieces, and one address has 100 of them', async () => {
    await Promise.all(Array.from({ length: MAX_PER_NETWORK }, () => begin(url, '127.0.3.1')));
    const most = Math.max(...taken.map(({ writableLength }) => writableLength));
    assert.ok(most <= 2 * 64 * 1024, `${most} bytes wait for one client`);
    const refused = await ask(url, '127.0.3.1');
    assert.deepEqual([refused.status, refused.retryAfter], [429, '5']);
    assert.match(refused.detail, /^Your address has 100 downloads/);
    assert.equal((await ask(url, '127.0.3.2')).status, 206);
    for (const socket of opened.splice(0, 1)) socket.destroy();
    await until('a place is free again', async () => (await ask(url, '127.0.3.1')).status === 206);
  });

  it('counts for its organization, too', async () => {
    const other = await newFile(100);
    const addresses = Array.from({ length: MAX_PER_ORG / MAX_PER_NETWORK }, (_, n) => `127.0.3.${n + 1}`);
    for (const address of addresses)
      await Promise.all(Array.from({ length: MAX_PER_NETWORK }, () => begin(url, address)));
    const refused = await ask(url, '127.0.3.9');
    assert.equal(refused.status, 429);
    assert.match(refused.detail, /^Your organization has 200 downloads/);
    assert.equal((await ask(other, '127.0.3.9')).status, 206);
  });

  it('gives back its place if its client goes while it waits behind another', async () => {
    for (let n = 0; n < MAX_PER_NETWORK / 16 + 1; n++) {
      const socket = await begin(url, '127.0.3.1');
      socket.write(get().repeat(15));
      // The last of them has begun, or was refused, when another request is answered.
      await ask(url, '127.0.3.2');
      socket.destroy();
      await until('the connection is closed', async () => taken.every(({ destroyed }) => destroyed));
    }
    assert.equal((await ask(url, '127.0.3.1')).status, 206);
  });

  it('ends when it has taken less than 64 KB in a minute; one that is read goes on', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const [stalled, reader] = [await begin(url, '127.0.3.1'), await begin(url, '127.0.3.2')];
    const ended = new Promise((resolve) => stalled.once('close', resolve).once('error', resolve));
    let read = 0;
    const readMore = async () => {
      for (const enough = read + 4 * 1024 * 1024; read < enough; ) {
        const piece = reader.read();
        if (piece === null) await once(reader, 'readable');
        else read += piece.length;
      }
    };
    await readMore();
    t.mock.timers.tick(MINUTE_MS);
    await readMore();
    t.mock.timers.tick(MINUTE_MS);
    stalled.resume();
    await ended;
    await readMore();
    assert.ok(!reader.destroyed);
  });
});
