// A real process with open streams: SIGTERM ends both, and clients continue at the next process without a gap.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { createPostgresDatabase, type PostgresDatabase } from '../support/databases/fresh-databases.js';
import { type Program, startProgram } from '../support/programs/start-program.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { Stream } from '../support/service/event-streams.js';
import { TEST_KEY } from '../support/service/harness.js';
import { anEmail, Browser, PASSWORD } from '../support/service/people.js';
import { send } from '../support/service/send.js';

onEngines('postgres', 'A process with open streams', (engine) => {
  let dir: string;
  let database: PostgresDatabase | null = null;
  let program: Program | undefined;
  const streams: Stream[] = [];

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-streams-'));
    database = engine === 'postgres' ? await createPostgresDatabase() : null;
  });
  after(async () => {
    for (const stream of streams) stream.close();
    await program?.kill();
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(): Promise<Program> {
    program = await startProgram('serve', {
      DATA_DIR: dir,
      ENCRYPTION_KEY: TEST_KEY,
      ...(database ? { DATABASE_URL: database.url } : {}),
    });
    return program;
  }

  async function open(...given: Parameters<typeof Stream.open>): Promise<Stream> {
    const stream = await Stream.open(...given);
    streams.push(stream);
    assert.equal(stream.response.status, 200);
    await until('it says from where it continues', () => stream.messages.length > 0);
    return stream;
  }

  it('ends with 0 on SIGTERM, and streams resumed at the next start miss nothing and repeat nothing', async () => {
    const first = await start();
    const browser = new Browser(first.url);
    const ada = { name: 'Ada', email: anEmail(), password: PASSWORD, organization_name: 'Maps' };
    assert.equal((await browser.call('POST', '/api/v1/auth/sign-up', ada)).status, 201);
    const issued = await browser.call('POST', '/api/v1/keys', { name: 'Listener' });
    const { key } = issued.json.data;
    const cookie = { cookie: browser.cookie as string };
    const before = [await open(first.url, key), await open(first.url, null, { headers: cookie })] as const;

    const written = [await write(first.url, key)];
    for (const stream of before) await stream.untilEvents(1);
    // This event may be sent before the end or not: a client that resumes gets it either way.
    written.push(await write(first.url, key));
    assert.equal(await first.stop(), 0);
    for (const stream of before) {
      await stream.untilEnd();
      assert.equal(stream.broken, false, 'the stream was cut off instead of ended');
    }

    const second = await start();
    written.push(await write(second.url, key));
    const [byKey, byCookie] = before;
    const resumed = [
      await open(second.url, key, { after: byKey.lastId() }),
      await open(second.url, null, { headers: { ...cookie, 'last-event-id': byCookie.lastId() } }),
    ];
    written.push(await write(second.url, key));
    for (const [n, stream] of before.entries()) {
      const next = resumed[n] as Stream;
      const posts = () => [...stream.events(), ...next.events()].map(({ data }) => data.post_id);
      await until('every event was received', () => posts().length >= written.length);
      assert.deepEqual(posts(), written);
    }
    assert.equal(await second.stop(), 0);
    for (const stream of resumed) await stream.untilEnd();
  });
});

/** One more event: a new post, by its id. */
async function write(url: string, key: string): Promise<string> {
  const { status, json, text } = await send('POST', `${url}/api/v1/posts`, {
    key,
    body: { title: 'A post' },
  });
  assert.equal(status, 201, text);
  return json.data.id;
}
