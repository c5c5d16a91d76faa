// Posts start when they are due, in real time: 500 of them over a minute, on one process with SQLite.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../../src/app/app.js';
import { readConfig } from '../../src/config/config.js';
import { openApp } from '../../src/open-app.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { type Program, startProgram } from '../support/programs/start-program.js';
import { TEST_KEY } from '../support/service/harness.js';
import { send } from '../support/service/send.js';
import { addDuePosts, attemptsAt, ownerOfAccounts, smallPicture } from '../support/world/due-posts.js';
import { inWords, latenessOf } from '../support/world/lateness.js';

const POSTS = 500;
const OVER_MS = 60_000;
const MAX_LATE_MS = 2_000;
/** Time to create them before the first is due, and for the last to be processed. */
const LEAD_MS = 15_000;
const TIMEOUT_MS = 60_000;

describe('500 posts that are due over a minute', () => {
  let dir: string;
  let service: Program;
  /** Only to create posts and to read the log of attempts: it has no worker. */
  let app: App;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-punctual-'));
    const env = { DATA_DIR: dir, ENCRYPTION_KEY: TEST_KEY };
    service = await startProgram('serve', { ...env, SANDBOX_CONTROL: 'on' });
    const { url } = service;
    const config = readConfig('serve', { ...env, SOCIAL_API_URL: `${url}/sandbox`, PUBLIC_URL: url });
    app = await openApp(config, { log: silentLog });
  });
  after(async () => {
    await app?.close();
    await service?.kill();
    rmSync(dir, { recursive: true, force: true });
  });

  for (const accounts of [50, 1])
    it(`start at most ${MAX_LATE_MS} ms late (p99) and never early, on ${accounts === 1 ? 'a single account' : `${accounts} accounts`}`, async (test) => {
      const owner = await ownerOfAccounts(app, accounts);
      const first = Date.now() + LEAD_MS;
      const picture = await smallPicture();
      const name = `on ${accounts}`;
      const slot = (n: number) => first + Math.floor((n * OVER_MS) / POSTS);
      const ids = await addDuePosts(app, owner, { posts: POSTS, slot, picture, name });
      assert.ok(Date.now() < first, 'the first post was due before all were created');

      const attempts = await allPublished(() => attemptsAt(app, owner, [first, first + OVER_MS]));
      const lateness = latenessOf(attempts);
      test.diagnostic(`started late by: ${inWords(lateness)}`);
      for (const line of lateness.histogram) test.diagnostic(line);
      assert.deepEqual(attempts.map(({ post_id }) => post_id).sort(), [...ids].sort(), 'one attempt each');
      assert.ok(lateness.least >= 0, `one started ${-lateness.least} ms early`);
      assert.ok(lateness.p99 <= MAX_LATE_MS, `p99 is ${lateness.p99} ms`);
      const titles = await titlesOnPlatform(name);
      assert.deepEqual([titles.length, new Set(titles).size], [POSTS, POSTS], 'published once each');
    });

  async function allPublished(read: () => ReturnType<typeof attemptsAt>) {
    const giveUpAt = Date.now() + LEAD_MS + OVER_MS + TIMEOUT_MS;
    for (;;) {
      // Rarely, because each request takes CPU from the service.
      await delay(1_000);
      const attempts = await read();
      const published = attempts.filter(({ outcome }) => outcome === 'published').length;
      if (published === POSTS) return attempts;
      assert.ok(Date.now() < giveUpAt, `${published} of ${POSTS} posts were published`);
    }
  }

  async function titlesOnPlatform(name: string): Promise<string[]> {
    const { json } = await send('GET', `${service.url}/sandbox/__control/publishes`, {});
    const titles = json.data.map(
      (publish: { request: { post_info: { title: string } } }) => publish.request.post_info.title,
    );
    return titles.filter((title: string) => title.startsWith(`${name} `));
  }
});
