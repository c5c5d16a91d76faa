// Bytes that no client library would send: the server refuses them, closes the connection, and keeps working.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type TestService, useService } from '../support/service/harness.js';

interface Case {
  title: string;
  bytes: string | Buffer;
  /** The allowed statuses. An empty list: the connection just ends. */
  statuses: number[];
  /** How many responses may come. */
  most: number;
  /** Closing without a response is fine too: the kernel may drop it while more bytes arrive, or the client does not wait. */
  maySayNothing: boolean;
  /** What the client does after sending: waits for the end, half-closes, or is gone. */
  after: 'wait' | 'end' | 'vanish';
}

interface Received {
  status: number;
  headers: Map<string, string>;
  body: string;
}

const HANG_MS = 30_000;
const HOST = 'Host: airdate.localhost\r\n';
const LAST = `${HOST}Connection: close\r\n`;
const ORGANIZATIONS = `POST /api/admin/v1/organizations HTTP/1.1\r\n${LAST}Authorization: Bearer ${ADMIN_TOKEN}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const CHUNKED = `${ORGANIZATIONS}${JSON_TYPE}Transfer-Encoding: chunked\r\n`;
const SMUGGLED = `GET /healthz HTTP/1.1\r\n${LAST}\r\n`;

const cases: Case[] = [];
const given = (title: string, bytes: string | Buffer, statuses: number[], more: Partial<Case> = {}) =>
  cases.push({ title, bytes, statuses, most: 1, maySayNothing: false, after: 'wait', ...more });
const get = (title: string, target: string, ...statuses: number[]) =>
  given(title, `GET ${target} HTTP/1.1\r\n${LAST}\r\n`, statuses);
const header = (title: string, line: string, ...statuses: number[]) =>
  given(title, `GET /healthz HTTP/1.1\r\n${LAST}${line}\r\n\r\n`, statuses);
const post = (title: string, headers: string, body: string, ...statuses: number[]) =>
  given(title, `${ORGANIZATIONS}${JSON_TYPE}${headers}\r\n${body}`, statuses);

// Request lines
get('a plain request', '/healthz', 200);
get('an absolute-form target', 'http://airdate.localhost/healthz', 200);
get('an absolute-form target without a path', 'http://airdate.localhost', 200);
get('an absolute-form target that is no address', 'http://[::1', 400, 404);
get('a target without a slash', 'healthz', 400);
get('an empty target', '', 400);
get('a target with a space', '/health z', 400);
get('a target with a fragment', '/healthz#x', 200, 400, 404);
get('a target that begins with two slashes', '//healthz', 404);
get('a target that climbs', '/api/v1/../../healthz', 404);
get('a target with backslashes', '\\healthz', 400, 404);
get('a target of 15,000 characters', `/${'a'.repeat(15_000)}`, 404, 414);
get('a target of 20,000 characters', `/${'a'.repeat(20_000)}`, 414, 431);
get('raw bytes above ASCII in the target', '/\xff\xfe', 400, 404);
get('a raw NUL in the target', '/\0', 400);
given('an unknown method', `FETCH /healthz HTTP/1.1\r\n${LAST}\r\n`, [400, 405]);
given('a method in small letters', `get /healthz HTTP/1.1\r\n${LAST}\r\n`, [400, 405]);
given('a method of 10,000 letters', `${'A'.repeat(10_000)} / HTTP/1.1\r\n${LAST}\r\n`, [400, 405]);
given('TRACE', `TRACE /healthz HTTP/1.1\r\n${LAST}\r\n`, [405]);
given('a method of WebDAV', `PROPFIND /healthz HTTP/1.1\r\n${LAST}\r\n`, [405]);
given('CONNECT', `CONNECT airdate.localhost:80 HTTP/1.1\r\n${LAST}\r\n`, [400, 404, 405], {
  maySayNothing: true,
});
given('OPTIONS of the whole server', `OPTIONS * HTTP/1.1\r\n${LAST}\r\n`, [204, 404, 405]);
given('HTTP/0.9', 'GET /healthz\r\n\r\n', [200, 400]);
given('HTTP/1.0 without a host', 'GET /healthz HTTP/1.0\r\n\r\n', [200]);
given('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]);
given('a version that does not exist', `GET /healthz HTTP/7.3\r\n${LAST}\r\n`, [400]);
given(
  'lines that end in LF alone',
  'GET /healthz HTTP/1.1\nHost: localhost\nConnection: close\n\n',
  [200, 400],
);
given('a TLS handshake', Buffer.from('16030102000100', 'hex'), [400]);
given('random bytes', Buffer.from('00ff01fe02fd0a0d0a', 'hex'), [400]);
given('nothing', '', [], { after: 'end' });
given('empty lines', '\r\n\r\n\r\n', [], { after: 'end' });
given('half a request line', 'GET /heal', [400], { after: 'end' });

// Headers
given('no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', [400]);
header('a folded header', 'X-Folded: one\r\n two', 400);
header('a header name with a space', 'X Y: z', 400);
header('a space before the colon', 'X-Y : z', 400);
header('a header without a colon', 'nonsense', 400);
header('a header without a name', ': z', 400);
header('a NUL in a header', 'X-Y: a\0b', 400);
header('a lone CR in a header', 'X-Y: a\rX-Injected: 1', 400);
header('2,000 headers', Array.from({ length: 2000 }, () => 'a: b').join('\r\n'), 200, 431);
header('a header of 20 KB', `X-Long: ${'a'.repeat(20_000)}`, 431);
given('a header of 1 MB', `GET /healthz HTTP/1.1\r\n${LAST}X-Long: ${'a'.repeat(1 << 20)}\r\n\r\n`, [431], {
  maySayNothing: true,
});
header('a wish to become a WebSocket', 'Connection: Upgrade\r\nUpgrade: websocket', 200, 400);
header(
  'a wish to become HTTP/2',
  'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
  200,
  400,
);
header('a range of nonsense', 'Range: bytes=9-1,-', 200, 416);
header('two keys', 'Authorization: Bearer a\r\nAuthorization: Bearer b', 200, 400, 401);
given(
  'an unknown expectation',
  `${ORGANIZATIONS}${JSON_TYPE}Expect: the-best\r\nContent-Length: 2\r\n\r\n{}`,
  [400, 417],
);
given(
  '100-continue',
  `${ORGANIZATIONS}${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  [100, 400],
  { most: 2 },
);

// Paths that decode to something else
get('%00 in an id', '/problems/%00', 400, 404);
get('a broken percent-encoding', '/problems/%zz', 400, 404);
get('a percent sign at the end', '/problems/%', 400, 404);
get('overlong UTF-8 in an id', '/problems/%c0%af', 400, 404);
get('a surrogate in UTF-8 in an id', '/problems/%ed%a0%80', 400, 404);
get('a line break in an id', '/problems/%0d%0aX-Injected:%201', 404);
get('a line break in a query', '/healthz?x=%0d%0aX-Injected:%201', 200, 400);
get('a name of the prototype', '/problems/__proto__', 404);
get('a climb out of the documentation', '/docs/..%2f..%2f..%2fpackage.json', 400, 403, 404);
get('a climb out of the console', '/docs/console/static/..%2f..%2f..%2fpackage.json', 400, 403, 404);
get('%00 in the name of a file', '/docs/%00', 400, 404);
get('%00 in the name of a file of the console', '/docs/console/static/%00', 400, 404);

// Bodies, and request smuggling
post('two lengths that differ', 'Content-Length: 2\r\nContent-Length: 3\r\n', '{} ', 400);
post('two lengths in one header', 'Content-Length: 2, 3\r\n', '{} ', 400);
post('a negative length', 'Content-Length: -1\r\n', '', 400);
post('a length with a sign', 'Content-Length: +2\r\n', '{}', 400);
post('a length beyond all numbers', `Content-Length: ${'9'.repeat(30)}\r\n`, '', 400, 413);
post('a length over the limit', 'Content-Length: 5000000\r\n', '', 413);
post(
  'a length and chunks',
  'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
  `0\r\n\r\n${SMUGGLED}`,
  400,
);
post(
  'chunks and then a length',
  'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
  `0\r\n\r\n${SMUGGLED}`,
  400,
);
post('chunks of packed bytes', 'Transfer-Encoding: gzip, chunked\r\n', `0\r\n\r\n${SMUGGLED}`, 400);
post(
  'chunks in a list of their own',
  'Transfer-Encoding: identity , Chunked\r\n',
  `0\r\n\r\n${SMUGGLED}`,
  400,
);
header('a second Host', 'Host: localhost', 400);
post('chunks under a misspelt name', 'Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${SMUGGLED}`, 400);
post(
  'chunks that are not the last coding',
  'Transfer-Encoding: chunked, identity\r\n',
  `0\r\n\r\n${SMUGGLED}`,
  400,
  501,
);
post('chunks behind a space', 'Transfer-Encoding : chunked\r\n', `0\r\n\r\n${SMUGGLED}`, 400);
post('chunks behind a tab and a fold', 'Transfer-Encoding:\r\n\tchunked\r\n', `0\r\n\r\n${SMUGGLED}`, 400);
given('a chunk whose size is no number', `${CHUNKED}\r\nzz\r\n`, [400]);
given('a chunk of a size beyond all numbers', `${CHUNKED}\r\n${'f'.repeat(20)}\r\n`, [400, 413]);
given('a chunk longer than it says', `${CHUNKED}\r\n1\r\n{}\r\n0\r\n\r\n`, [400]);
given('a chunk extension of 20 KB', `${CHUNKED}\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`, [400, 413]);
given('trailers of 20 KB', `${CHUNKED}\r\n2\r\n{}\r\n0\r\nX-T: ${'x'.repeat(20_000)}\r\n\r\n`, [400, 431]);
post('a compressed body that is none', 'Content-Encoding: gzip\r\nContent-Length: 2\r\n', '{}', 400, 415);
given('a body that ends too early', `${ORGANIZATIONS}${JSON_TYPE}Content-Length: 50\r\n\r\n{"na`, [400], {
  after: 'end',
});
given('chunks that end too early', `${CHUNKED}\r\n5\r\n{"n`, [400], { after: 'end' });
given('a client that vanishes in its headers', `GET /healthz HTTP/1.1\r\n${HOST}X-`, [], { after: 'vanish' });
given('a client that vanishes in its body', `${ORGANIZATIONS}Content-Length: 900\r\n\r\n{`, [400], {
  after: 'vanish',
});
given('a client that vanishes before the answer', `${ORGANIZATIONS}\r\n`, [400, 415], { after: 'vanish' });
given(
  'three requests at once, answered in order',
  `GET /healthz HTTP/1.1\r\n${HOST}\r\nGET /nowhere HTTP/1.1\r\n${HOST}\r\n${SMUGGLED}`,
  [200, 404],
  { most: 3 },
);
given(
  'a good request and then nonsense',
  `GET /healthz HTTP/1.1\r\n${HOST}\r\nnonsense\r\n\r\n`,
  [200, 400],
  { most: 2 },
);

onEngines('sqlite', 'malformed HTTP', (engine) => {
  const service = useService(engine);
  const refusals: { title: string; answer: Received }[] = [];

  for (const one of cases)
    it(`do no harm: ${one.title}`, async () => {
      const { answers, rest } = readAnswers(await exchange(service, one));
      const found = answers.map(({ status }) => status);
      assert.equal(rest, '', 'what came is no whole number of answers');
      assert.ok(found.length <= one.most, `answered ${found}: more than was asked`);
      for (const answer of answers) {
        assert.ok(answer.status < 500, `answered ${answer.status}: ${answer.body}`);
        assert.ok(one.statuses.includes(answer.status), `answered ${answer.status}: ${answer.body}`);
        assert.ok(!answer.headers.has('x-injected'), 'a header was injected');
        if (answer.status >= 400) refusals.push({ title: one.title, answer });
      }
      const mustAnswer = one.after !== 'vanish' && !one.maySayNothing;
      if (mustAnswer && one.statuses.length > 0)
        assert.ok(found.length > 0, 'the connection ended without an answer');
      assert.equal((await service.request('GET', '/healthz')).status, 200);
    });

  it('answer pipelined requests in their order', async () => {
    const pipelined = cases.find(({ most }) => most === 3) as Case;
    const { answers } = readAnswers(await exchange(service, pipelined));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 404, 200],
    );
  });

  it('do not suppress the response to the valid request before them', async () => {
    const body = JSON.stringify({ name: 'Before nonsense', plan: 'growth' });
    const good = `POST /api/admin/v1/organizations HTTP/1.1\r\n${HOST}Authorization: Bearer ${ADMIN_TOKEN}\r\n`;
    const bytes = `${good}${JSON_TYPE}Content-Length: ${body.length}\r\n\r\n${body}nonsense\r\n\r\n`;
    const { answers } = readAnswers(
      await exchange(service, { title: 'nonsense behind', bytes, after: 'wait' }),
    );
    // Closing without a response would be fine too; a request that took effect must not be reported as refused.
    assert.ok(
      [undefined, 201].includes(answers[0]?.status),
      `the organization was made, the answer was ${answers[0]?.body}`,
    );
  });

  it('are refused with a problem that has all its members', () => {
    assert.ok(refusals.length > 40);
    const incomplete = refusals.flatMap(({ title, answer }) => {
      const missing = missingMembers(answer);
      return missing.length > 0 ? [`${title} (${answer.status}): ${missing.join(', ')}`] : [];
    });
    assert.deepEqual(incomplete, []);
  });
});

function missingMembers({ status, headers, body }: Received): string[] {
  if (!headers.get('content-type')?.startsWith('application/problem+json')) return ['it is no problem+json'];
  const problem = JSON.parse(body) as Record<string, unknown>;
  const members = ['type', 'title', 'status', 'detail', 'code', 'request_id'];
  const missing = members.filter((name) => problem[name] === undefined);
  if (problem.status !== status) missing.push('the right status');
  if (problem.type !== `/problems/${problem.code}`) missing.push('the right type');
  return missing;
}

/** Sends the bytes and returns everything until the connection ends. A connection that does not end is a failure. */
async function exchange(
  service: TestService,
  { title, bytes, after }: Pick<Case, 'title' | 'bytes' | 'after'>,
): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // A reset counts as an end; only a connection that stays open is a failure.
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, () => {
    if (after === 'end') socket.end();
    if (after === 'vanish') socket.resetAndDestroy();
  });
  try {
    if (!socket.closed) await once(socket, 'close', { signal: AbortSignal.timeout(HANG_MS) });
  } catch {
    socket.destroy();
    throw new Error(`${title}: the connection hangs`);
  }
  return Buffer.concat(chunks).toString('latin1');
}

/** Splits the bytes into responses, by their own lengths. */
function readAnswers(text: string): { answers: Received[]; rest: string } {
  const answers: Received[] = [];
  let rest = text;
  for (;;) {
    const head = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest);
    if (!head) return { answers, rest };
    const lines = (head[2] as string).split('\r\n').filter((line) => line !== '');
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    rest = rest.slice(head[0].length);
    const chunked = headers.get('transfer-encoding') === 'chunked';
    const length = chunked ? rest.indexOf('0\r\n\r\n') + 5 : Number(headers.get('content-length') ?? 0);
    answers.push({ status: Number(head[1]), headers, body: rest.slice(0, length) });
    rest = rest.slice(length);
  }
}
