// One organization's accounts hang, all at the same time and for minutes: the posts of another one still start on time. In real
// time, on one process with a worker.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../../src/app/app.js';
import { readConfig } from '../../src/config/config.js';
import { openApp } from '../../src/open-app.js';
import {
  createPostgresDatabase,
  type PostgresDatabase,
  silentLog,
} from '../support/databases/fresh-databases.js';
import { HangingPlatform } from '../support/platform/hanging-platform.js';
import { type Program, startProgram } from '../support/programs/start-program.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { TEST_KEY } from '../support/service/harness.js';
import {
  addDuePosts,
  attemptsAt,
  ownerOfAccounts,
  smallPicture,
  tokensOf,
} from '../support/world/due-posts.js';
import { inWords, latenessOf } from '../support/world/lateness.js';

const POSTS = 100;
const OVER_MS = 60_000;
const MAX_LATE_MS = 2_000;
const LEAD_MS = 15_000;
const TIMEOUT_MS = 60_000;
/** Due every two seconds, and each hangs for 15: more than an organization may have in flight. */
const POSTS_PER_HANGING_ACCOUNT = 30;

onEngines('both', 'While all accounts of one organization hang', (engine) => {
  let dir: string;
  let database: PostgresDatabase | undefined;
  let sandbox: Program;
  let platform: HangingPlatform;
  let service: Program;
  /** Only to create posts and to read the log of attempts: it has no worker. */
  let app: App;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-fairness-'));
    if (engine === 'postgres') database = await createPostgresDatabase();
    sandbox = await startProgram('sandbox', { DATA_DIR: dir });
    platform = await new HangingPlatform(sandbox.url).start();
    const env = {
      DATA_DIR: dir,
      ENCRYPTION_KEY: TEST_KEY,
      SOCIAL_API_URL: platform.url,
      SOCIAL_INITS_PER_MINUTE: '0',
      SOCIAL_POSTS_PER_DAY: '0',
      ...(database ? { DATABASE_URL: database.url } : {}),
    };
    // Each call that hangs logs a warning; only the figures matter here.
    service = await startProgram('serve', { ...env, LOG_LEVEL: 'fatal' });
    app = await openApp(readConfig('serve', { ...env, PUBLIC_URL: service.url }), { log: silentLog });
  });
  after(async () => {
    await app?.close();
    await service?.kill();
    await platform?.stop();
    await sandbox?.kill();
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  for (const accounts of [20, 60])
    it(`${accounts} of them, another organization's posts start at most ${MAX_LATE_MS} ms late (p99)`, async (test) => {
      const [crowd, other] = [await ownerOfAccounts(app, accounts), await ownerOfAccounts(app, 10)];
      for (const token of await tokensOf(app, crowd)) platform.silentFor.add(token);
      const picture = await smallPicture();
      const first = Date.now() + LEAD_MS;
      const last = first + OVER_MS;
      const spread = (posts: number) => (n: number) => first + Math.floor((n * OVER_MS) / posts);
      const hanging = {
        posts: accounts * POSTS_PER_HANGING_ACCOUNT,
        name: 'hangs',
        withoutFiles: true,
      } as const;
      await addDuePosts(app, crowd, { ...hanging, slot: spread(hanging.posts), picture });
      await addDuePosts(app, other, {
        posts: POSTS,
        slot: spread(POSTS),
        picture,
        name: `beside ${accounts}`,
      });
      assert.ok(Date.now() < first, 'the first post was due before all were created');

      const attempts = await allBegun(last, () => attemptsAt(app, other, [first, last]));
      const lateness = latenessOf(attempts);
      test.diagnostic(`${attempts.length} of ${POSTS} started, late by: ${inWords(lateness)}`);
      for (const line of lateness.histogram) test.diagnostic(line);
      const hung = await attemptsAt(app, crowd, [first, last]);
      test.diagnostic(`${hung.length} attempts of the organization that hangs`);
      assert.ok(hung.length >= 64, `only ${hung.length} attempts hung: this proves nothing`);
      assert.equal(attempts.length, POSTS, 'one attempt each');
      assert.ok(lateness.least >= 0, `one started ${-lateness.least} ms early`);
      assert.ok(lateness.p99 <= MAX_LATE_MS, `p99 is ${lateness.p99} ms`);
    });

  /** All attempts, or those that exist when time runs out. */
  async function allBegun(last: number, read: () => ReturnType<typeof attemptsAt>) {
    for (;;) {
      // Rarely, because each request takes CPU from the service.
      await delay(1_000);
      const attempts = await read();
      if (attempts.length >= POSTS || Date.now() > last + TIMEOUT_MS) return attempts;
    }
  }
});
