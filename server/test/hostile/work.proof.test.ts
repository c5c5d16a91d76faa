// While a route works on the largest requests of the worst shapes, /healthz is answered as on a quiet day. In real time.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { onEachEngine, useService } from '../harness.js';
import { importCsv } from '../importing.js';
import { operationsOf, readDocument } from '../rules/routes.js';
import { HOSTILE_CSV, LONGEST_CSV } from './hostile-csv.js';
import { largestRequests, requestTo, sendLargest } from './largest-requests.js';
import { p99 } from './victim.js';

const LEAST_MS = 250;
const TIMES_QUIET = 5;

onEachEngine('Beside the largest requests, /healthz', (engine) => {
  const service = useService(engine, { env: { SIGNUP: 'open' } });
  let prober: Worker;
  let most: number;
  const timesSince = async (): Promise<number[]> => {
    prober.postMessage('times');
    return (await once(prober, 'message'))[0];
  };
  before(async () => {
    prober = new Worker(new URL('health-prober.js', import.meta.url), { workerData: service.url });
    await delay(3_000);
    most = Math.max(LEAST_MS, TIMES_QUIET * p99(await timesSince()));
  });
  after(() => prober.terminate());

  it('is answered in time for every route', async (test) => {
    const org = await service.newOrganization();
    const slow: string[] = [];
    let [sent, worst] = [0, 0];
    for (const operation of operationsOf(await readDocument(service))) {
      const request = await requestTo(operation, org, service);
      const bodies = largestRequests(operation, request.body);
      await timesSince();
      for (const body of bodies) await sendLargest(service.url, request, body);
      const longest = Math.max(...(await timesSince()));
      worst = Math.max(worst, longest);
      sent += bodies.length;
      if (longest > most) slow.push(`${operation.route}: ${Math.round(longest)} ms`);
    }
    test.diagnostic(`${sent} requests, at most ${Math.round(worst)} ms for /healthz`);
    assert.deepEqual(slow, []);
  });

  for (const { title, csv } of HOSTILE_CSV)
    it(`is answered in time for an import: ${title}`, async (test) => {
      const org = await service.newOrganization();
      const file = csv(LONGEST_CSV);
      await timesSince();
      const { status } = await importCsv(org, file, { dry_run: true });
      const longest = Math.max(...(await timesSince()));
      test.diagnostic(`${status}, at most ${Math.round(longest)} ms for /healthz`);
      assert.ok(longest <= most, `${Math.round(longest)} ms`);
    });
});
