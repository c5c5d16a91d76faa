// Random requests: whatever arrives, the service answers as documented and its data stays consistent.
//
// The seed is fixed, so that a run can be repeated; FUZZ_SEED chooses another. Nothing of the API is excluded. Bodies
// stay below the 1 MB limit and URLs below the 16 KB one: beyond them the server answers and closes while the
// rest is still being sent, and whether the client then reads the answer or a reset is up to the kernel. The file
// raw-http.test.ts covers both limits.
import assert from 'node:assert/strict';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { it } from 'node:test';
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { recountDispatches } from '../../src/analytics/dispatch-counters.js';
import { PROBLEMS, type ProblemCode } from '../../src/ground/problems.js';
import { recountPosts } from '../../src/posts/counters.js';
import { EVERYTHING } from '../everyday.js';
import { ADMIN_TOKEN, onOneEngine, useService } from '../harness.js';
import { arbitraryShots, type Shot } from './fuzz-requests.js';
import {
  createOne,
  type Document,
  fill,
  operationsOf,
  REFUSED,
  readDocument,
  type Slot,
  sessionHeaders,
  slotsOf,
} from './routes.js';

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_115);
const AT_ONCE = 25;
const ROUNDS = EVERYTHING ? 100 : 30;
const MOST_SEEDS = 4;
const HANG_MS = 300_000;

interface Hit {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

onOneEngine('any request', (engine) => {
  const service = useService(engine, { env: { SIGNUP: 'open' } });

  it('gets an answer as documented, never a 5xx, and leaves the counters right', async () => {
    const document = await readDocument(service);
    const operations = operationsOf(document);
    const shots = await arbitraryShots(service, operations);
    const check = createCheck(document);
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const statuses = new Map<string, Map<number, number>>();
    let sent = 0;

    const property = fc.asyncProperty(
      fc.array(shots, { minLength: AT_ONCE, maxLength: AT_ONCE }),
      async (round) => {
        await Promise.all(
          round.map(async (shot) => {
            const hit = await fire(service.url, agent, shot);
            sent++;
            const counts = statuses.get(shot.operation.route) ?? new Map();
            statuses.set(shot.operation.route, counts.set(hit.status, (counts.get(hit.status) ?? 0) + 1));
            try {
              check(shot, hit);
            } catch (error) {
              throw new Error(
                `${(error as Error).message}\n${describeShot(shot)}\n→ ${hit.status} ${hit.text}`,
              );
            }
          }),
        );
      },
    );
    const neverAskedProperly = () =>
      operations
        .map(({ route }) => ({ route, counts: [...(statuses.get(route) ?? [])] }))
        .filter(({ route, counts }) => !counts.some(([status]) => status < 300 || status === REFUSED[route]))
        .map(({ route, counts }) => `${route}: ${JSON.stringify(counts)}`);
    let seed = SEED;
    try {
      // Routes and requests are random: a few get a valid request only in later rounds.
      do {
        // One failing request says more than a shrunk round, and the service's data has changed anyway.
        await fc.assert(property, { seed, numRuns: ROUNDS, endOnFailure: true, verbose: 0 });
        seed++;
      } while (EVERYTHING && neverAskedProperly().length > 0 && seed < SEED + MOST_SEEDS);
    } catch (error) {
      const cause = (error as Error).cause as Error | undefined;
      throw new Error(`FUZZ_SEED=${seed} repeats this:\n${cause?.message ?? (error as Error).message}`);
    } finally {
      agent.destroy();
    }

    assert.equal(sent, AT_ONCE * ROUNDS * (seed - SEED));
    // That the requests reach far enough is a matter of numbers, and of the proofs.
    if (EVERYTHING) assert.deepEqual(neverAskedProperly(), []);
    assert.deepEqual(await recountPosts(service.app.db), []);
    assert.deepEqual(await recountDispatches(service.app.db), []);
    assert.equal((await service.request('GET', '/readyz')).status, 200);
  });

  for (const place of ['query', 'body'] as const)
    it(`is refused with 400 when it has an unknown field in its ${place}, which is named`, async () => {
      const org = await service.newOrganization();
      const swallowed: string[] = [];
      for (const operation of operationsOf(await readDocument(service))) {
        if (operation.opensWith === 'nothing' || (place === 'body' && !operation.body)) continue;
        const ids = new Map<Slot, string>();
        for (const slot of slotsOf(operation)) ids.set(slot, await createOne(slot.kind, org, service));
        const { path, body } = fill(operation, ids, { nowMs: service.clock.now(), scopes: ['posts:read'] });
        const { status, text } = await service.request(
          operation.method,
          place === 'query' ? `${path}${path.includes('?') ? '&' : '?'}surprise=1` : path,
          {
            ...(operation.opensWith === 'session'
              ? { headers: await sessionHeaders(org, service) }
              : { key: operation.opensWith === 'operator' ? ADMIN_TOKEN : org.key }),
            body: place === 'body' ? { ...(body as object), surprise: 1 } : body,
          },
        );
        if (status !== 400 || !text.includes('/surprise'))
          swallowed.push(`${operation.route} answered ${status}`);
      }
      assert.deepEqual(swallowed, []);
    });
});

/** By node:http and not by fetch, which would normalize the URL and refuse a GET with a body. */
function fire(base: string, agent: Agent, { operation, path, headers, body }: Shot): Promise<Hit> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const length: Record<string, number> = body === null ? {} : { 'content-length': body.length };
    const request = httpRequest(
      {
        agent,
        hostname,
        port,
        method: operation.method,
        path,
        headers: { ...headers, ...length },
        signal: AbortSignal.timeout(HANG_MS),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () =>
          resolve({
            status: response.statusCode as number,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    const fail = (error: Error) =>
      reject(new Error(`no answer (${error.message})\n${describeShot({ operation, path, headers, body })}`));
    request.on('error', fail);
    request.end(body ?? undefined);
  });
}

function describeShot({ operation, path, headers, body }: Shot): string {
  const shown =
    body === null ? 'no body' : `body (latin1): ${JSON.stringify(body.toString('latin1').slice(0, 1000))}`;
  return `${operation.method} ${path.slice(0, 1000)}\n${JSON.stringify(headers).slice(0, 1000)}\n${shown}`;
}

function createCheck(document: Document): (shot: Shot, hit: Hit) => void {
  const ajv = new Ajv({ strict: false, validateSchema: false });
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  ajv.addSchema({ ...document, $id: 'api' });
  const compiled = new Map<string, ValidateFunction>();

  function validatorFor(...place: string[]): ValidateFunction {
    const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    let validate = compiled.get(pointer);
    if (!validate) {
      validate = ajv.compile({ $ref: `api#/${pointer.split('/').map(encodeURIComponent).join('/')}` });
      compiled.set(pointer, validate);
    }
    return validate;
  }

  return ({ operation, path }, { status, headers, text }) => {
    assert.ok(status < 500, 'answered with a 5xx');
    assert.ok(headers['x-request-id'], 'has no request id');
    const documented = operation.responses[status]?.content;
    if (status < 400) assert.ok(operation.responses[status], `the status ${status} is not documented`);
    if (status < 400 && !documented) return assert.equal(text, '', 'has a body that is not documented');
    // Transport refusals (a wrong content type on DELETE, say) may meet any route without being listed at each.
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    assert.ok(headers['content-type']?.startsWith(type), `is ${headers['content-type']}, not ${type}`);
    const body = JSON.parse(text) as Record<string, unknown>;
    const place =
      status < 400
        ? [
            'paths',
            operation.path,
            operation.method.toLowerCase(),
            'responses',
            String(status),
            'content',
            type,
            'schema',
          ]
        : ['components', 'schemas', 'Problem'];
    const validate = validatorFor(...place);
    assert.ok(validate(body), `${path} does not fit its schema: ${JSON.stringify(validate.errors)}`);
    if (status >= 400) checkProblem(body, status, headers);
  };
}

function checkProblem(body: Record<string, unknown>, status: number, headers: IncomingHttpHeaders): void {
  const { type, title, detail, code, errors, request_id } = body;
  assert.ok(Object.hasOwn(PROBLEMS, String(code)), `the code ${code} is not in the table`);
  assert.equal(type, `/problems/${code}`);
  assert.equal(title, PROBLEMS[code as ProblemCode][1]);
  assert.equal(body.status, status);
  assert.equal(PROBLEMS[code as ProblemCode][0], status);
  assert.ok(typeof detail === 'string' && detail.length > 0, 'has no detail');
  assert.equal(request_id, headers['x-request-id']);
  if (code === 'validation_failed')
    for (const error of errors as { pointer: string; message: string }[]) {
      assert.match(error.pointer, /^(\/|$)/);
      assert.ok(error.message.length > 0);
    }
  if (code === 'validation_failed') assert.ok((errors as unknown[]).length > 0);
  if (status === 401) assert.equal(headers['www-authenticate'], 'Bearer');
}
