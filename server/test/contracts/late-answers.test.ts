// A process that stands still beyond the deadline of a request, while the other side answers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { exchange } from '../../src/connectors/tiktok/http.js';
import { createOutbound, OutboundError, readStart } from '../../src/core/outbound/outbound.js';

const ROUNDS = 8;

/** What the flag says: a request has come, it may be answered, the answer is on its way. */
const [ASKED, GO, ANSWERED] = [1, 2, 3] as const;

/** In another thread, so that it answers while this one stands still. */
const SERVER = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const flag = new Int32Array(workerData);
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    Atomics.store(flag, 0, ${ASKED});
    parentPort.postMessage('asked');
    Atomics.wait(flag, 0, ${ASKED});
    if (request.url === '/silent') return void (Atomics.store(flag, 0, ${ANSWERED}), Atomics.notify(flag, 0));
    response.writeHead(200, { connection: 'close' });
    response.write('{"publish_id":');
    response.end('"p_1"}', () => {
      Atomics.store(flag, 0, ${ANSWERED});
      Atomics.notify(flag, 0);
    });
  });
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

describe('A request whose answer arrived while the process stood still beyond its deadline,', () => {
  const shared = new SharedArrayBuffer(4);
  const flag = new Int32Array(shared);
  let server: Worker;
  let url = '';

  async function start(): Promise<void> {
    Atomics.store(flag, 0, 0);
    server = new Worker(SERVER, { eval: true, workerData: shared });
    const [port] = await once(server, 'message');
    url = `http://127.0.0.1:${port}`;
  }
  before(start);
  after(() => server.terminate());

  const DEADLINE_MS = 250;
  const outbound = createOutbound(['127.0.0.0/8']);

  /** Each returns the body of the answer, or why there is none. */
  const CALLS: Record<string, (path: string) => Promise<string>> = {
    'to the platform': async (path) => {
      const call = { method: 'POST', headers: {}, body: '{}', isFresh: true } as const;
      const raw = await exchange(new URL(path, url), call, AbortSignal.timeout(DEADLINE_MS));
      return 'fault' in raw ? raw.fault : raw.text;
    },
    'to a webhook': async (path) => {
      const call = { method: 'POST', headers: {}, body: '{}', signal: new AbortController().signal } as const;
      try {
        const { body } = await outbound.open(url + path, { ...call, timeoutMs: DEADLINE_MS });
        return await readStart(body, 1024);
      } catch (error) {
        assert.ok(error instanceof OutboundError);
        return error.code === 'timeout' ? 'lost' : error.code;
      }
    },
  };

  /** Nothing runs in this thread from when the request has arrived until the other side has answered and the deadline is over. */
  async function standStillDuring(call: (path: string) => Promise<string>, path: string): Promise<string> {
    const asked = once(server, 'message');
    const answer = call(path);
    // A busy machine may not get the request across before its deadline. Then there was nothing to see.
    if ((await Promise.race([asked, answer.then(() => null)])) === null) {
      await server.terminate();
      await start();
      return standStillDuring(call, path);
    }
    const [began, idle] = [performance.now(), new Int32Array(new SharedArrayBuffer(4))];
    Atomics.store(flag, 0, GO);
    Atomics.notify(flag, 0);
    Atomics.wait(flag, 0, GO);
    while (performance.now() - began <= DEADLINE_MS) Atomics.wait(idle, 0, 0, 10);
    return answer;
  }

  for (const [where, call] of Object.entries(CALLS)) {
    it(`${where} is answered, ${ROUNDS} times of ${ROUNDS}`, async () => {
      const answers: string[] = [];
      for (let round = 0; round < ROUNDS; round++) answers.push(await standStillDuring(call, '/'));
      assert.deepEqual(answers, Array(ROUNDS).fill('{"publish_id":"p_1"}'));
    });

    it(`${where} is lost if no answer has arrived`, async () => {
      assert.equal(await standStillDuring(call, '/silent'), 'lost');
    });
  }
});
