// Chaos: 200 posts, three workers that are killed and paused beyond their leases, a database that crashes, and a platform
// that fails three calls in ten. Afterwards the platform and the service have to agree about every post.
// CHAOS_SEED chooses other disturbances, CHAOS_SECONDS how long they last.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/db/database.js';
import { openPostgres } from '../../src/db/postgres/postgres.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { type PrivateCluster, startPrivatePostgres } from '../support/databases/postgres.js';
import { ADMIN_TOKEN, TEST_KEY } from '../support/service/harness.js';
import { Campaign } from './chaos/campaign.js';
import { Faults } from './chaos/faults.js';
import { KillableProcess } from './chaos/fleet.js';
import { dice } from './sweep/sweep.js';

const SEED = Number(process.env.CHAOS_SEED ?? 20_261_115);
const SECONDS = Number(process.env.CHAOS_SECONDS ?? 120);
const WORKERS = 3;
const POSTS = 200;
const LEASE_MS = 2_000;

describe('Three workers, a database and a platform in trouble', () => {
  const dir = mkdtempSync(join(tmpdir(), 'airdate-chaos-'));
  const random = dice(SEED);
  let cluster: PrivateCluster;
  let db: Database;
  let sandbox: KillableProcess;
  let api: KillableProcess;
  const workers: KillableProcess[] = [];
  const done = { kills: 0, pauses: 0, crashes: 0 };

  before(async () => {
    cluster = await startPrivatePostgres({ fsync: false });
    sandbox = await new KillableProcess('sandbox', {
      DATA_DIR: dir,
      SANDBOX_CONTROL: 'on',
      SANDBOX_PROCESSING_MS: '300',
    }).start();
    const env = {
      DATA_DIR: dir,
      DATABASE_URL: cluster.url,
      DATABASE_POOL_SIZE: '6',
      ENCRYPTION_KEY: TEST_KEY,
      ADMIN_TOKEN,
      RATE_LIMIT: 'off',
      SOCIAL_API_URL: sandbox.url,
      SOCIAL_INITS_PER_MINUTE: '0',
      SOCIAL_POSTS_PER_DAY: '0',
      SCHEDULE_MIN_LEAD_SECONDS: '0',
      SCHEDULER_SWEEP_SECONDS: '5',
      PUBLISH_LEASE_SECONDS: String(LEASE_MS / 1000),
      PLATFORM_TIMEOUT_MS: '800',
      PUBLISH_BACKOFF_MS: '300',
      RECONCILE_INTERVAL_MS: '300',
    };
    api = await new KillableProcess('api', env).start();
    // Slides are fetched from the process that serves them, whichever worker publishes.
    for (let i = 0; i < WORKERS; i++)
      workers.push(await new KillableProcess('worker', { ...env, PUBLIC_URL: api.url }).start());
    db = openPostgres(cluster.url, 2, silentLog);
  });
  after(async () => {
    for (const one of [...workers, api, sandbox]) await one?.kill();
    await db?.close();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it(`publishes ${POSTS} posts exactly once`, async (t) => {
    const campaign = await Campaign.prepare({ url: api.url, db, dir, sandboxUrl: sandbox.url });
    const faults = new Faults(sandbox.url, random);
    await campaign.schedule(POSTS, SECONDS);
    await disturb(faults);
    await faults.end();
    for (const worker of workers) worker.resume();
    await campaign.finish();
    const { failures, ...found } = await campaign.judge();
    const said = Object.entries({ ...done, faults: faults.ordered, ...found }).map(
      ([what, n]) => `${n} ${what}`,
    );
    t.diagnostic(`CHAOS_SEED=${SEED}: ${said.join(', ')}`);
    assert.deepEqual(failures, []);
    assert.deepEqual(
      [...workers, api, sandbox].flatMap(({ complaints }) => complaints),
      [],
    );
  });

  async function disturb(faults: Faults): Promise<void> {
    const end = performance.now() + SECONDS * 1000;
    const pauses: Promise<void>[] = [];
    let nextCrash = performance.now() + 10_000;
    while (performance.now() < end) {
      await faults.keepComing();
      const worker = workers[Math.floor(random() * WORKERS)] as KillableProcess;
      if (performance.now() > nextCrash) {
        done.crashes++;
        await cluster.crash();
        nextCrash = performance.now() + 10_000 + random() * 10_000;
      } else if (random() < 0.6) {
        done.kills++;
        await worker.restart();
      } else if (!worker.isPaused) {
        done.pauses++;
        worker.pause();
        const life = worker.life;
        // A worker that was killed and restarted meanwhile is not paused.
        pauses.push(
          delay(LEASE_MS * (1.2 + random()))
            .then(() => worker.life === life && worker.resume())
            .then(() => {}),
        );
      }
      await delay(random() * 1_500);
    }
    await Promise.all(pauses);
  }
});
