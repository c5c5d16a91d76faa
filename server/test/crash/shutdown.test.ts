// The real program from outside: how it stops.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { demoKey } from '../support/programs/greeting.js';
import { itInProofs } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { send } from '../support/service/send.js';
import {
  assertJson,
  COMMANDS,
  countOf,
  dir,
  launch,
  newFolder,
  openSocket,
  type Program,
  useFolder,
} from './processes/launched-programs.js';

/** A request that the server has started to read and that ends when the test says so. */
async function beginRequest(url: string, key: string, body: string) {
  const socket = await openSocket(url);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  socket.write(
    `POST /api/v1/posts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
  );
  await until('the server has taken the request', async () => /^HTTP\/1.1 100 /.test(received));
  return {
    async finish(): Promise<string> {
      socket.write(body);
      await closed;
      return received.replace(/^HTTP\/1.1 100 .*\r\n\r\n/, '');
    },
  };
}

/** While it drains, the process refuses new requests. */
const isDraining = (url: string) =>
  send('GET', `${url}/readyz`, { headers: { connection: 'close' } }).then(
    ({ status }) => status === 503,
    () => true,
  );

describe('SIGTERM', () => {
  useFolder();
  /** The data of a first start: an organization, and its key. Made once, as every start takes seconds. */
  let left: { data: string; key: string };
  let first: string;
  before(async () => {
    newFolder();
    first = dir;
    const program = launch('serve');
    await program.url;
    await until('a key is shown', async () => demoKey(program.output()) !== undefined);
    program.signal('SIGINT');
    assert.equal(await program.exit, 0);
    left = { data: join(dir, 'data'), key: demoKey(program.output()) as string };
  });
  after(() => rmSync(first, { recursive: true, force: true }));

  /** A copy of that data for the next start. */
  function useDemo(): string {
    cpSync(left.data, join(dir, 'data'), { recursive: true });
    return left.key;
  }

  it('counts a signal that comes twice at once as one: npm passes Ctrl-C on to a process that has already received it', async () => {
    useDemo();
    const program = launch('serve');
    await program.url;
    program.signal('SIGINT');
    program.signal('SIGINT');
    assert.equal(await program.exit, 0);
    assert.match(program.output(), /stopped on SIGINT/);
    assertJson(program);
  });

  it('ends in words where a person reads them, as the start begins', async () => {
    const program = launch('sandbox', { LOG_FORMAT: 'human' });
    const url = await program.url;
    program.signal('SIGTERM');
    assert.equal(await program.exit, 0);
    const lines = program.output().trimEnd().split('\n');
    assert.ok(lines.includes(`Airdate (sandbox) is ready at ${url}`), program.output());
    assert.equal(lines.at(-1), 'Airdate (sandbox) stopped on SIGTERM');
  });

  for (const [command, more] of COMMANDS.slice(0, 2)) {
    const define = command === 'serve' ? it : itInProofs;
    define(`lets "${command}" answer open requests, and refuses new ones`, async () => {
      const key = useDemo();
      const program = launch(command, more);
      const url = await program.url;
      const request = await beginRequest(url, key, '{"title":"Just in time"}');
      program.signal('SIGTERM');
      await until('it takes no more requests', () => isDraining(url));
      const answer = await request.finish();
      assert.match(answer, /^HTTP\/1.1 201 /);
      assert.match(answer, /Just in time/);
      assert.equal(await program.exit, 0, program.output());
      assert.equal(await countOf('posts'), 1);
    });
  }

  async function assertSecondSignalEnds(program: Program): Promise<void> {
    let hasEnded = false;
    program.exit.then(() => {
      hasEnded = true;
    });
    // One that comes immediately counts as the same signal; a later one is a second signal.
    await until('it has ended', async () => {
      if (!hasEnded) program.signal('SIGTERM');
      return hasEnded;
    });
    assert.equal(await program.exit, 1);
  }

  it('sent a second time ends a process that still waits', async () => {
    const key = useDemo();
    const program = launch('serve');
    const url = await program.url;
    await beginRequest(url, key, '{"title":"Never finished"}');
    program.signal('SIGTERM');
    await until('it takes no more requests', () => isDraining(url));
    await assertSecondSignalEnds(program);
  });

  it('leaves time to notice, with SHUTDOWN_DELAY_SECONDS: /readyz is 503 and requests are served', async () => {
    const key = useDemo();
    const program = launch('serve', { SHUTDOWN_DELAY_SECONDS: '120' });
    const url = await program.url;
    program.signal('SIGTERM');
    const ready = () => send('GET', `${url}/readyz`, { headers: { connection: 'close' } });
    await until('it says that it is not ready', async () => (await ready()).status === 503);
    assert.equal((await ready()).json.checks.process, 'stopping');
    const post = { key, body: { title: 'Written while it retires' } };
    assert.equal((await send('POST', `${url}/api/v1/posts`, post)).status, 201);
    await assertSecondSignalEnds(program);
  });

  // What such a connection may still ask is in last-requests.test.ts, where no clock runs out.
  it('with SHUTDOWN_DELAY_SECONDS ends in order after it, and closes idle connections', async () => {
    const program = launch('serve', { DEMO: 'off', SHUTDOWN_DELAY_SECONDS: '1' });
    const socket = await openSocket(await program.url);
    socket.resume();
    const closed = once(socket, 'close');
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    program.signal('SIGTERM');
    await closed;
    assert.equal(await program.exit, 0, program.output());
  });

  it('is not delayed by a connection without a request', async () => {
    const program = launch('serve', { DEMO: 'off' });
    await openSocket(await program.url);
    program.signal('SIGTERM');
    assert.equal(await program.exit, 0, program.output());
    assert.equal(await countOf('organizations'), 0, 'there is a demo');
  });

  it('ends with 0 even when a client never finishes its request', async () => {
    const key = useDemo();
    const program = launch('serve');
    await beginRequest(await program.url, key, '{"title":"Never finished"}');
    program.signal('SIGTERM');
    assert.equal(await program.exit, 0, program.output());
  });
});
