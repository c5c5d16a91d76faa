import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';

const GIVEN = 'edge-7f3a.2026:11';

interface Line {
  request_id?: string;
  client_address?: string;
}

function memoryLog() {
  const lines: Line[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const lineOf = async (id: string | null): Promise<Line | undefined> => {
    const find = () => lines.find(({ request_id }) => request_id === id);
    await until('the request is logged', async () => find() !== undefined);
    return find();
  };
  return { log, lineOf };
}

onEngines('sqlite', 'Behind a trusted proxy', (engine) => {
  const memory = memoryLog();
  const service = useService(engine, { env: { TRUST_PROXY: '10.1.0.0/16,loopback' }, log: memory.log });
  const idFor = async (id: string) =>
    (await service.request('GET', '/healthz', { headers: { 'x-request-id': id } })).headers.get(
      'x-request-id',
    );

  it('a request keeps the id that the proxy gave it, in its response, its problem and the log', async () => {
    const headers = { 'x-request-id': GIVEN, 'x-forwarded-for': '203.0.113.7' };
    const answer = await service.request('GET', '/api/v1/posts', { headers });
    assert.equal(answer.headers.get('x-request-id'), GIVEN);
    assert.equal(answer.json.request_id, GIVEN);
    assert.equal((await memory.lineOf(GIVEN))?.client_address, '203.0.113.7');
  });

  for (const [what, id] of [
    ['too short', 'short'],
    ['too long', 'x'.repeat(65)],
    ['with other characters', 'an id","level":"fatal'],
    ['with a space', 'one two three'],
  ] as const)
    it(`an id that is ${what} is replaced`, async () => {
      assert.match((await idFor(id)) ?? '', /^req_\w+$/);
    });
});

onEngines('sqlite', 'Without a trusted proxy', (engine) => {
  const memory = memoryLog();
  const service = useService(engine, { env: { TRUST_PROXY: '10.1.0.0/16' }, log: memory.log });

  it('a request gets an id of ours, and its line has the address of the connection', async () => {
    const headers = { 'x-request-id': GIVEN, 'x-forwarded-for': '203.0.113.7' };
    const id = (await service.request('GET', '/healthz', { headers })).headers.get('x-request-id');
    assert.match(id ?? '', /^req_\w+$/);
    assert.equal((await memory.lineOf(id))?.client_address, '127.0.0.1');
  });
});
