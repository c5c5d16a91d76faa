// Sends the examples with the client that hey-api generated, in its default configuration, through Prism, which checks each
// request and each response against the document. Fails at a violation, an unexpected status, and an operation without example.
import assert from 'node:assert/strict';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';
import { client } from './compiled/client.gen.js';
import { EXAMPLES, EXCEPTIONS } from './examples.mjs';

const { SERVICE_URL, API_KEY, ADMIN_TOKEN, ENTRY_TOKEN } = process.env;
const sdk = await import('./compiled/sdk.gen.js');
const document = await (await fetch(`${SERVICE_URL}/openapi.json`)).json();
assert.equal(document.servers[0].url, SERVICE_URL);
assert.equal(
  client.getConfig().baseUrl,
  SERVICE_URL,
  'the generated client knows where it was generated from',
);

await prismMustNotice();
const prism = await openPrism(document);
client.setConfig({ baseUrl: prism.url });
const kept = { entryToken: ENTRY_TOKEN };
let session = null;
const wrong = everyOperationHasItsPlace();
for (const example of EXAMPLES) await send(example);
await prism.close();

for (const line of wrong) console.error(line);
if (wrong.length > 0) process.exit(1);
const count = new Set(EXAMPLES.map(({ operation }) => operation)).size;
console.log(
  `hey-api's client sent ${EXAMPLES.length} examples of ${count} operations through Prism: 0 violations`,
);

function everyOperationHasItsPlace() {
  const inDocument = new Set();
  for (const path of Object.values(document.paths))
    for (const { operationId } of Object.values(path)) inDocument.add(operationId);
  const inExamples = new Set(EXAMPLES.map(({ operation }) => operation));
  const excepted = new Set(Object.keys(EXCEPTIONS));
  return [
    ...[...inDocument]
      .filter((name) => !inExamples.has(name) && !excepted.has(name))
      .map((name) => `${name} has no example: add a row to scripts/strangers/examples.mjs`),
    ...[...inExamples, ...excepted]
      .filter((name) => !inDocument.has(name))
      .map((name) => `${name} is in scripts/strangers/examples.mjs, but not in the document`),
    ...[...excepted]
      .filter((name) => inExamples.has(name))
      .map((name) => `${name} is an exception, but has an example`),
  ];
}

/** With a key alone, hey-api also sends it as the session cookie, because the document allows either. */
function credentials(as) {
  const ownPage = { 'X-Airdate': 'dashboard', Origin: SERVICE_URL };
  if (as === 'operator') return { auth: ADMIN_TOKEN };
  if (as === 'person') return { auth: session, headers: ownPage };
  if (as === 'visitor') return { headers: ownPage };
  return { auth: API_KEY };
}

async function send({ operation, as = 'key', send: make = () => ({}), keep, expect }) {
  const call = sdk[operation];
  if (!call) return;
  try {
    const { data, error, response } = await call({ ...credentials(as), ...make(kept) });
    if (!response) throw error;
    const violations = response.headers.get('sl-violations');
    const isExpected = expect === undefined ? response.ok : response.status === expect;
    const fromPrism = String(error?.type ?? '').includes('stoplight');
    if (violations) wrong.push(`${operation}: ${violations}`);
    if (!isExpected || fromPrism)
      wrong.push(`${operation}: ${response.status} ${JSON.stringify(error ?? data)}`);
    const cookie = response.headers.getSetCookie().find((one) => /^airdate=[^;]/.test(one));
    if (cookie) session = cookie.slice('airdate='.length, cookie.indexOf(';'));
    // An upload grant is at the top level, everything else in `data`.
    if (keep && response.ok) Object.assign(kept, await keep(data?.data ?? data, kept));
  } catch (error) {
    wrong.push(`${operation}: ${error?.stack ?? error}`);
  }
}

/** Zero violations mean something only if Prism reports those that exist. */
async function prismMustNotice() {
  const other = structuredClone(document);
  other.paths['/healthz'].get.responses[200].content['application/json'].schema = { type: 'array' };
  const { url, close } = await openPrism(other);
  const health = await fetch(`${url}/healthz`);
  assert.match(health.headers.get('sl-violations') ?? '', /"response".*must be array/);
  const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
  const created = await fetch(`${url}/api/v1/posts`, { method: 'POST', headers, body: '{"title":""}' });
  assert.match(created.headers.get('sl-violations') ?? '', /"request".*title/);
  await close();
}

async function openPrism(checked) {
  const operations = await getHttpOperationsFromSpec(structuredClone(checked));
  const silent = {
    info() {},
    warn() {},
    error() {},
    debug() {},
    trace() {},
    success() {},
    child: () => silent,
  };
  const server = createServer(operations, {
    cors: false,
    components: { logger: silent },
    config: {
      isProxy: true,
      upstream: new URL(SERVICE_URL),
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      // Reported in a header, so that the response itself arrives.
      errors: false,
      mock: { dynamic: false },
    },
  });
  const url = await server.listen(0, '127.0.0.1');
  return { url, close: () => server.close() };
}
