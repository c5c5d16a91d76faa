// Random requests: whatever arrives, the service answers as documented and its data stays consistent.
//
// The seed is fixed, so that a run can be repeated; FUZZ_SEED chooses another. Nothing of the API is excluded. Bodies
// stay below the 1 MB limit and URLs below the 16 KB one: beyond them the server answers and closes while the
// rest is still being sent, and whether the client then reads the answer or a reset is up to the kernel. The file
// raw-http.test.ts covers both limits.

import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { it } from 'node:test';
import fc from 'fast-check';
import { recount } from '../../src/db/recount.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, useService } from '../support/service/harness.js';
import {
  createOne,
  fill,
  operationsOf,
  REFUSED,
  readDocument,
  type Slot,
  sessionHeaders,
  slotsOf,
} from '../support/service/routes.js';
import { createCheck, describeShot, fire } from './requests/fuzz-answers.js';
import { arbitraryShots } from './requests/fuzz-requests.js';

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_115);
const MAX_CONCURRENT = 25;
const ROUNDS = everyday(3, 100);
/** That the requests reach far enough is a matter of numbers, and of the proofs. */
const mustReachAll = everyday(false, true);
const MAX_SEEDS = 4;

onEngines('sqlite', 'any request', (engine) => {
  const service = useService(engine, { env: { SIGNUP: 'open' } });

  it('gets an answer as documented, never a 5xx, and leaves the counters right', async () => {
    const document = await readDocument(service);
    const operations = operationsOf(document);
    const shots = await arbitraryShots(service, operations);
    const check = createCheck(document);
    const agent = new Agent({ keepAlive: true, maxSockets: MAX_CONCURRENT });
    const statuses = new Map<string, Map<number, number>>();
    let sent = 0;

    const property = fc.asyncProperty(
      fc.array(shots, { minLength: MAX_CONCURRENT, maxLength: MAX_CONCURRENT }),
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
      } while (mustReachAll && neverAskedProperly().length > 0 && seed < SEED + MAX_SEEDS);
    } catch (error) {
      const cause = (error as Error).cause as Error | undefined;
      throw new Error(`FUZZ_SEED=${seed} repeats this:\n${cause?.message ?? (error as Error).message}`);
    } finally {
      agent.destroy();
    }

    assert.equal(sent, MAX_CONCURRENT * ROUNDS * (seed - SEED));
    if (mustReachAll) assert.deepEqual(neverAskedProperly(), []);
    assert.deepEqual(await recount(service.app.db, ['posts']), []);
    assert.deepEqual(await recount(service.app.db, ['dispatches']), []);
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
