// The npm package eventsource, cut off again and again: it reconnects where it was, so that no event is lost or repeated. The
// first cut comes before any event, when the only position it can know is that of the opening message.
//   node stream.mjs <name of the package>
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

const { SERVICE_URL, API_KEY } = process.env;
const [, , library] = process.argv;
const { EventSource } = await import(library);
const authorization = `Bearer ${API_KEY}`;
const CUTS = 3;
const HANG_MS = 60_000;

async function call(method, path, body) {
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(SERVICE_URL + path, { method, headers, body: JSON.stringify(body) });
  const answer = await response.json();
  assert.ok(response.ok, JSON.stringify(answer));
  return answer.data;
}

/** A way to the service that can be cut. */
async function openWay() {
  const { hostname, port } = new URL(SERVICE_URL);
  const sockets = new Set();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy()).on('close', () => sockets.delete(from));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    reopen() {
      isCut = false;
    },
    close: () => server.close(),
  };
}

const [account] = await call('GET', '/api/v1/social-accounts');
const post = await call('POST', '/api/v1/posts', { title: 'Moved again and again' });
let hours = 100;
/** Each new slot is an event. */
const happen = () =>
  call('PATCH', `/api/v1/posts/${post.id}`, {
    status: 'scheduled',
    scheduled_at: new Date(Date.now() + ++hours * 3_600_000).toISOString(),
    social_account_id: account.id,
    privacy_level: 'SELF_ONLY',
  });

const way = await openWay();
const positions = [];
const received = [];
const source = new EventSource(`${way.url}/api/v1/events`, {
  fetch: (url, init) => {
    positions.push(init.headers['Last-Event-ID'] ?? null);
    return fetch(url, { ...init, headers: { ...init.headers, authorization } });
  },
});
const waiting = new Set();
const until = (isSo) =>
  new Promise((resolve, reject) => {
    const lost = () => reject(new Error(`events were lost; positions sent: ${JSON.stringify(positions)}`));
    // Only to notice that nothing more comes.
    const timer = setTimeout(lost, HANG_MS);
    const check = () => {
      if (!isSo()) return;
      clearTimeout(timer);
      waiting.delete(check);
      resolve();
    };
    waiting.add(check);
    check();
  });
const recheck = () => {
  for (const check of [...waiting]) check();
};
let readies = 0;
source.addEventListener('ready', ({ data }) => {
  assert.equal(data, '{}');
  readies++;
  recheck();
});
source.addEventListener('post.scheduled', ({ data, lastEventId }) => {
  const event = JSON.parse(data);
  assert.equal(event.id, lastEventId);
  if (event.data.post_id === post.id) received.push(event.id);
  recheck();
});

await until(() => readies === 1);
for (let cut = 1; cut <= CUTS; cut++) {
  way.cut();
  await happen();
  await happen();
  way.reopen();
  await until(() => readies === cut + 1 && received.length >= 3 * cut - 1);
  await happen();
  await until(() => received.length >= 3 * cut);
}
source.close();
way.close();

const listed = await call('GET', '/api/v1/events?limit=100');
const expected = listed.filter(({ data, type }) => type === 'post.scheduled' && data.post_id === post.id);
assert.deepEqual(
  received,
  expected.map(({ id }) => id),
);
assert.ok(!positions.slice(1).includes(null), `reconnected without a position: ${JSON.stringify(positions)}`);
console.log(`${library} was cut off ${CUTS} times and received all ${received.length} events once, in order`);
