// No request keeps the process from the others: each route gets the largest requests of the worst shapes that its schema allows or
// refuses, and the work of one slice is counted. The proof beside it measures milliseconds.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SLICE_UNITS } from '../../src/core/slices.js';
import { countWork } from '../support/hostile/count-work.js';
import { HOSTILE_CSV, MAX_CSV } from '../support/hostile/hostile-csv.js';
import {
  type Largest,
  largestRequests,
  OTHER_ROUTES,
  type Request,
  requestTo,
  sendLargest,
} from '../support/hostile/largest-requests.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { importCsv } from '../support/service/import-files.js';
import { operationsOf, readDocument } from '../support/service/routes.js';

/** Of a slice, or of a request that has none: a few milliseconds. A body of 64 KB has 250,000. */
const MAX_BLOCKS = 1_200_000;
const CSV_BYTES = everyday(128 * 1024, MAX_CSV);

const ANY = { body: { schema: { properties: { params: {} } }, example: {} } };

onEngines('sqlite', 'The largest requests of the worst shapes', (engine) => {
  const service = useService(engine, { env: { SIGNUP: 'open' } });

  it('cost each route a bounded amount of work', async () => {
    const org = await service.newOrganization();
    const costly: string[] = [];
    const check = async (route: string, request: Request, all: Largest[]) => {
      for (const largest of everyday(1, all, route)) {
        let status = 0;
        const { blocks } = await countWork(async () => {
          status = await sendLargest(service.url, request, largest);
        });
        const title = `${route}, ${largest.title}: ${status}`;
        assert.ok(status < 500, title);
        if (blocks > MAX_BLOCKS) costly.push(`${title}: ${blocks} blocks`);
      }
    };
    for (const operation of operationsOf(await readDocument(service))) {
      const request = await requestTo(operation, org, service);
      await check(operation.route, request, largestRequests(operation, request.body));
    }
    for (const { path, type } of OTHER_ROUTES) {
      const headers = { authorization: `Bearer ${org.key}`, 'content-type': type };
      await check(path, { method: 'POST', path, body: {}, headers }, largestRequests(ANY, {}));
    }
    assert.deepEqual(costly, []);
  });

  for (const { title, csv } of HOSTILE_CSV)
    it(`are looked at in small slices by an import: ${title}`, async () => {
      const org = await service.newOrganization();
      const file = csv(CSV_BYTES);
      const { blocks, slices } = await countWork(async () => {
        const { status, text } = await importCsv(org, file, { dry_run: true });
        assert.ok(status === 200 || status === 400, `${status} ${text.slice(0, 500)}`);
      });
      const largest = slices.reduce((most, units) => Math.max(most, units), 0);
      assert.ok(largest > 0 && largest <= 2 * SLICE_UNITS, `a slice of ${largest} units`);
      // What is not done in slices is one more.
      const each = blocks / (slices.length + 1);
      assert.ok(each <= MAX_BLOCKS, `${Math.round(each)} blocks in each of ${slices.length} slices`);
    });
});
