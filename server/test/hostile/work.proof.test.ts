// While a route works on the largest requests of the worst shapes, /healthz is answered as on a quiet day. In real time.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { HOSTILE_CSV, MAX_CSV } from '../support/hostile/hostile-csv.js';
import { ServiceUnderAttack } from '../support/hostile/hostile-tenant.js';
import { largestRequests, requestTo, sendLargest } from '../support/hostile/largest-requests.js';
import { clientAt, newTenant } from '../support/hostile/tenant-client.js';
import { p99 } from '../support/hostile/victim.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, useService } from '../support/service/harness.js';
import { operationsOf, readDocument } from '../support/service/routes.js';

const MIN_MS = 250;
const TIMES_QUIET = 5;

/** Measures how long /healthz takes beside some work. */
class Prober {
  private readonly thread: Worker;
  private most = 0;

  constructor(url: string) {
    this.thread = new Worker(new URL('../support/hostile/health-prober.js', import.meta.url), {
      workerData: url,
    });
  }

  private async ask(message: string): Promise<number[]> {
    this.thread.postMessage(message);
    return (await once(this.thread, 'message'))[0];
  }

  async measureQuiet(): Promise<void> {
    await this.ask('begin');
    await delay(3_000);
    this.most = Math.max(MIN_MS, TIMES_QUIET * p99(await this.ask('times')));
  }

  async beside(work: () => Promise<unknown>): Promise<{ longest: number; isLate: boolean }> {
    await this.ask('begin');
    await work();
    const longest = Math.round(Math.max(0, ...(await this.ask('times'))));
    return { longest, isLate: longest > this.most };
  }

  async end(): Promise<void> {
    await this.thread.terminate();
  }
}

onEngines('both', 'Beside the largest requests to each route, /healthz', (engine) => {
  const service = useService(engine, { env: { SIGNUP: 'open' } });

  it('is answered in time', async (test) => {
    const prober = new Prober(service.url);
    await prober.measureQuiet();
    const org = await service.newOrganization();
    const late: string[] = [];
    let [sent, worst] = [0, 0];
    for (const operation of operationsOf(await readDocument(service))) {
      const request = await requestTo(operation, org, service);
      for (const body of largestRequests(operation, request.body)) {
        const { longest, isLate } = await prober.beside(() => sendLargest(service.url, request, body));
        worst = Math.max(worst, longest);
        sent++;
        if (isLate) late.push(`${operation.route}, ${body.title}: ${longest} ms`);
      }
    }
    await prober.end();
    test.diagnostic(`${sent} requests, at most ${worst} ms for /healthz`);
    assert.deepEqual(late, []);
  });
});

onEngines('both', 'Beside the import of a hostile CSV file, /healthz', (engine) => {
  let attacked: ServiceUnderAttack;
  let prober: Prober;
  let key: string;
  const call = clientAt('127.0.3.1');
  before(async () => {
    attacked = await ServiceUnderAttack.open(engine);
    key = await newTenant(attacked.service.url, ADMIN_TOKEN, 'The Attackers');
    prober = new Prober(attacked.service.url);
    await prober.measureQuiet();
  });
  after(async () => {
    await prober.end();
    await attacked.close();
  });

  for (const { title, csv } of HOSTILE_CSV)
    it(`is answered in time: ${title}`, async (test) => {
      const raw = JSON.stringify({ csv: csv(MAX_CSV), dry_run: true });
      const headers = { 'content-type': 'application/json' };
      let status = 0;
      const { longest, isLate } = await prober.beside(async () => {
        status = (await call('POST', `${attacked.service.url}/api/v1/posts/import`, { key, raw, headers }))
          .status;
      });
      test.diagnostic(`${status}, at most ${longest} ms for /healthz`);
      assert.ok(status === 200 || status === 400, `${status}`);
      assert.ok(!isLate, `${longest} ms`);
    });
});
