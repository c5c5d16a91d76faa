import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { limitPipelining, MAX_PIPELINED } from './pipelining.js';

const READ = 64 * 1024;

describe('Pipelined requests', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let begun: number;
  let underWay: number;
  let mostUnderWay: number;
  let sockets: Socket[];
  const http = createServer((request, response) => {
    if (request.url === '/other') return void response.end('other');
    begun++;
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    response.prependOnceListener('close', () => underWay--);
    answer(request, response);
  });
  limitPipelining(http);
  http.on('connection', (socket) => sockets.push(socket));
  http.on('clientError', (_error, socket) => socket.end('HTTP/1.1 400 No\r\nConnection: close\r\n\r\n'));
  const port = () => (http.address() as AddressInfo).port;

  beforeEach(async () => {
    [begun, underWay, mostUnderWay, sockets] = [0, 0, 0, []];
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
  });
  afterEach(async () => {
    http.closeAllConnections();
    http.close();
    await once(http, 'close');
  });

  const get = (path: string, padding = 0) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Padding: ${'x'.repeat(padding)}\r\n\r\n`;
  const statusesIn = (received: string) => received.match(/HTTP\/1\.1 \d+/g) ?? [];

  /** Whatever the server could have done by itself, it has done by then. */
  async function otherAnswers(): Promise<void> {
    for (let n = 0; n < 10; n++) {
      const sent = request({ port: port(), host: '127.0.0.1', path: '/other', agent: false }).end();
      const [response] = await once(sent, 'response');
      assert.equal(await text(response), 'other');
    }
  }

  it('begin 16 at a time: more is not read until those are answered', async () => {
    const waiting: ServerResponse[] = [];
    answer = (_request, response) => void waiting.push(response);
    const client = connect(port(), '127.0.0.1');
    const all = 2_000;
    client.write(get('/', 1_000).repeat(all));
    while (waiting.length < MAX_PIPELINED) await otherAnswers();
    await otherAnswers();
    assert.equal(begun, MAX_PIPELINED);
    assert.ok((sockets[0]?.bytesRead ?? 0) <= 2 * READ, `${sockets[0]?.bytesRead} bytes were read`);
    const received = text(client);
    answer = (_request, response) => void setImmediate(() => response.end('x'));
    for (const response of waiting) response.end('x');
    while (begun < all) await otherAnswers();
    client.end();
    assert.equal(statusesIn(await received).length, all);
    assert.equal(mostUnderWay, MAX_PIPELINED);
  });

  it('of a client that never reads stop at what its connection takes', async () => {
    const body = Buffer.alloc(READ, 'x');
    answer = (_request, response) => void response.end(body);
    const client = connect(port(), '127.0.0.1').pause();
    client.write(get('/').repeat(2_000));
    let before = -1;
    while (begun === 0 || begun !== before) {
      before = begun;
      await otherAnswers();
    }
    assert.ok(begun < 1_000, `${begun} of 2,000 began`);
    assert.ok(mostUnderWay <= MAX_PIPELINED, `${mostUnderWay} were under way`);
    const waiting = sockets[0]?.writableLength ?? 0;
    assert.ok(waiting <= (MAX_PIPELINED + 1) * (READ + 1_000), `${waiting} bytes wait`);
    client.destroy();
  });

  const bodies = [
    '',
    'plain',
    '\r\n\r\n'.repeat(50),
    '\n\n\n\n',
    `GET / HTTP/1.1\r\n\r\n${'y'.repeat(70_000)}`,
  ];
  const post = (body: string, isChunked: boolean) =>
    isChunked
      ? `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body && `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`}0\r\n\r\n`
      : `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

  for (const size of [1, 2, 3, 7, 1_000, 1_000_000])
    it(`keep their bodies and their order if they arrive in pieces of ${size}`, async () => {
      const sent = bodies
        .filter((body) => size > 3 || body.length < 1_000)
        .flatMap((body) => [body, body, body, body].map((one, n) => ({ body: one, isChunked: n % 2 === 0 })));
      const seen: string[] = [];
      answer = async (incoming, response) => {
        const n = seen.push('') - 1;
        seen[n] = await text(incoming);
        response.end();
      };
      const bytes = Buffer.from(sent.map(({ body, isChunked }) => post(body, isChunked)).join(''));
      const client = connect(port(), '127.0.0.1').setNoDelay();
      const received = text(client);
      for (let at = 0; at < bytes.length; at += size) {
        client.write(bytes.subarray(at, at + size));
        if (size <= 3) await new Promise(setImmediate);
      }
      // The rest of the answers still comes after the client has sent all it has.
      client.end();
      assert.equal(statusesIn(await received).length, sent.length);
      assert.deepEqual(
        seen.map((body) => body.length),
        sent.map(({ body }) => body.length),
      );
      assert.ok(mostUnderWay <= MAX_PIPELINED);
    });

  it('begin up to the first that is no HTTP, which is refused once', async () => {
    answer = (_request, response) => void response.end();
    const client = connect(port(), '127.0.0.1');
    const received = text(client);
    client.write(`${get('/')}${get('/')}nonsense\r\n\r\n${get('/')}${get('/')}`);
    const refused = statusesIn(await received).filter((line) => line.endsWith('400'));
    assert.equal(refused.length, 1);
    assert.equal(begun, 2);
  });
});
