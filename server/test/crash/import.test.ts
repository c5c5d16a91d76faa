// An import that `kill -9` interrupts leaves all of its posts or none; sent again with its Idempotency-Key, it leaves all of them
// once.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../src/config/config.js';
import { recount } from '../../src/db/recount.js';
import { openApp } from '../../src/open-app.js';
import {
  createPostgresDatabase,
  type PostgresDatabase,
  silentLog,
} from '../support/databases/fresh-databases.js';
import { type Program, startProgram } from '../support/programs/start-program.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, TEST_KEY } from '../support/service/harness.js';
import { fileOf, IMPORT, manyLines } from '../support/service/import-files.js';
import { type Answer, send } from '../support/service/send.js';

const KILLS = everyday(1, 20);
const LINES = everyday(1_000, 10_000);

onEngines('sqlite', 'An import under kill -9', (engine) => {
  let dir: string;
  let database: PostgresDatabase | undefined;
  let program: Program;
  let env: Record<string, string>;
  let key = '';

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-import-'));
    if (engine === 'postgres') database = await createPostgresDatabase();
    env = {
      DATA_DIR: dir,
      ENCRYPTION_KEY: TEST_KEY,
      ADMIN_TOKEN,
      RATE_LIMIT: 'off',
      // Nothing listens there: the files of the posts are never fetched, and stay as they were written.
      WEBHOOK_ALLOW: '127.0.0.1',
      SANDBOX_PUBLIC: 'on',
      ...(database ? { DATABASE_URL: database.url } : {}),
    };
    program = await startProgram('serve', env);
    const admin = (path: string, body: object) =>
      send('POST', `${program.url}/api/admin/v1/organizations${path}`, { key: ADMIN_TOKEN, body });
    const { json: org } = await admin('', { name: 'Imports', plan: 'growth' });
    key = (await admin(`/${org.data.id}/keys`, { name: 'Imports' })).json.data.key;
  });
  after(async () => {
    await program.kill();
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  const csv = fileOf(
    manyLines(LINES, (i) => (i % 10 === 0 ? { media_urls: 'http://127.0.0.1:9/a.png' } : {})),
  );
  const importAs = (name: string): Promise<Answer> =>
    send('POST', program.url + IMPORT, { key, body: { csv }, headers: { 'idempotency-key': name } });
  const total = async () =>
    (await send('GET', `${program.url}/api/v1/posts?per_page=1`, { key })).json.pagination.total as number;

  async function inspect(posts: number): Promise<void> {
    const app = await openApp(
      readConfig('api', {
        ...env,
        PORT: '0',
        PUBLIC_URL: program.url,
        SOCIAL_API_URL: 'http://127.0.0.1:9',
      }),
      { log: silentLog },
    );
    try {
      assert.deepEqual(await recount(app.db, ['posts']), []);
      const count = async (table: 'posts' | 'post_search' | 'assets') =>
        Number(
          (
            await app.db.read
              .selectFrom(table)
              .select((eb) => eb.fn.countAll().as('n'))
              .executeTakeFirstOrThrow()
          ).n,
        );
      assert.deepEqual(
        [await count('posts'), await count('post_search'), await count('assets')],
        [posts, posts, posts / 10],
      );
    } finally {
      await app.close();
    }
  }

  it(`leaves all of its posts or none, and all of them once when it is sent again, ${KILLS} times`, async (context) => {
    const began = performance.now();
    assert.equal((await importAs('first')).status, 200);
    const takesMs = performance.now() - began;
    let posts = LINES;
    let halves = 0;
    for (let round = 1; round <= KILLS; round++) {
      const answer = importAs(`round-${round}`).catch(() => null);
      // Spread over the time that an import takes, from its first byte to its response.
      await Promise.race([answer, delay((takesMs * round) / KILLS)]);
      await program.kill();
      const acknowledged = (await answer)?.status === 200;
      program = await startProgram('serve', env);
      const after = await total();
      assert.ok(after === posts || after === posts + LINES, `${after} posts after ${posts}`);
      if (acknowledged) assert.equal(after, posts + LINES);
      if (after === posts) halves++;
      const again = await importAs(`round-${round}`);
      assert.equal(again.status, 200, again.text.slice(0, 500));
      posts += LINES;
      assert.equal(await total(), posts);
    }
    context.diagnostic(`${halves} of ${KILLS} kills came before the commit`);
    await inspect(posts);
  });
});
