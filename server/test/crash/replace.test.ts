// A video is replaced again and again while its service is killed and many readers download it.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openPostgres } from '../../src/db/postgres/postgres.js';
import { openSqlite } from '../../src/db/sqlite/sqlite.js';
import { thumbnailKey } from '../../src/object-store/object-keys.js';
import { NOTE_KEY } from '../../src/restore-safety/note.js';
import {
  createPostgresDatabase,
  type Engine,
  type PostgresDatabase,
  silentLog,
} from '../support/databases/fresh-databases.js';
import { makeVersion } from '../support/media/videos.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, TEST_KEY } from '../support/service/harness.js';
import { send } from '../support/service/send.js';
import { Owner, prepareVideoPost } from './clients/owner.js';
import { type History, startReaders } from './clients/readers.js';
import { KillableService } from './processes/killable-service.js';
import { STOPS, type Stop } from './programs/stops.js';

const LARGEST_PAYLOAD = 600_000;
/** How long a sweep may take before the test gives up; it takes seconds. */
const SWEEP_MS = 120_000;

const RANDOM_PER_CYCLE = 4;

/** One kill for each replace. Null: the test kills the process, at a random moment. */
type Kill = Stop | null;

/** At every named stop in turn, and at random moments. */
const killsInTurn = (count: number): Kill[] => Array.from({ length: count }, (_, n) => stopFor(n));

function stopFor(n: number): Kill {
  const cycle = STOPS.length + RANDOM_PER_CYCLE;
  const every = Math.floor(cycle / RANDOM_PER_CYCLE);
  const place = n % cycle;
  // Every fifth is a random one, the others are the named ones in their order.
  if (place % every === every - 1) return null;
  return STOPS[place - Math.floor(place / every)] as Stop;
}

/** On ordinary days while the bytes move. */
const KILLS: readonly Kill[] = everyday(['at both keys'], killsInTurn(200));
/** They take CPU time that the service needs to start again. */
const READERS = everyday(2, 20);

onEngines('sqlite', 'A video replaced under fire', (engine) => {
  let dir: string;
  let database: PostgresDatabase | null = null;
  let service: KillableService;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-fire-'));
    database = engine === 'postgres' ? await createPostgresDatabase() : null;
    service = new KillableService({
      DATA_DIR: dir,
      ADMIN_TOKEN,
      ENCRYPTION_KEY: TEST_KEY,
      DEMO: 'off',
      GARBAGE_GRACE_SECONDS: '1',
      ...(database ? { DATABASE_URL: database.url } : {}),
    });
  });
  after(async () => {
    await service?.stop();
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
  });

  it(`is complete for ${READERS} readers through ${KILLS.length} kills, and nothing else remains in the store`, async (test) => {
    const { key, postId } = await prepareVideoPost(service);
    const history: History = { byKey: new Map(), acknowledged: 0 };
    const owner = new Owner(service, key, postId, history);
    await owner.replace(makeVersion(1, 1000), null);
    const readings = startReaders(READERS, service, history, (url) =>
      send('GET', `${url}/api/v1/posts/${postId}/assets`, { key }),
    );
    const replacing = async () => {
      for (let n = 2; n <= KILLS.length + 1; n++) {
        const version = makeVersion(n, Math.ceil(Math.random() * LARGEST_PAYLOAD));
        const stop = KILLS[n - 2] ?? null;
        await owner.replace(version, stop);
        assert.equal(service.lives, n, `it never came by "${stop}"`);
      }
    };
    // A reader that saw something wrong ends the test immediately.
    await Promise.race([replacing(), readings.failure]).catch(async (error) => {
      await service.stop();
      for (const complaint of service.complaints) test.diagnostic(complaint);
      throw error;
    });
    await readings.stop();
    const { whole, broken, late } = readings;
    test.diagnostic(
      `${service.lives - 1} kills; reads: ${whole} whole, ${broken} broken by a kill, ${late} too late`,
    );
    assert.ok(whole > 0);

    const store = () => {
      makeDraftsOld(dir);
      return compare(engine, dir, database);
    };
    const deadline = performance.now() + SWEEP_MS;
    while (performance.now() < deadline && !(await store()).isClean) await delay(50);
    const { files, expected, unsettled, condemned: marked } = await store();
    assert.deepEqual(
      { files, unsettled, condemned: marked },
      { files: expected, unsettled: [], condemned: [] },
    );
    assert.equal(files.length, 1);
    const last = history.byKey.get(files[0] as string);
    assert.equal(last?.number, KILLS.length + 1);
    assert.equal(await owner.download(), last.sha256);
    assert.deepEqual(service.complaints, []);
  });
});

/** The service keeps removing files while the test reads the store. */
function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return otherwise;
  }
}

/** A partial file is kept for ten minutes, because its upload may only have paused. The test does not wait for that. */
function makeDraftsOld(dir: string): void {
  const drafts = join(dir, 'files/drafts');
  const anHourAgo = Date.now() / 1000 - 3600;
  for (const name of readdirSync(drafts))
    unlessGone(() => utimesSync(join(drafts, name), anHourAgo, anHourAgo), undefined);
}

/** The files in the store, and what the database says about them. */
async function compare(engine: Engine, dir: string, database: PostgresDatabase | null) {
  const db =
    engine === 'postgres' && database
      ? openPostgres(database.url, 2, silentLog)
      : openSqlite(join(dir, 'airdate.db'));
  try {
    const rows = await db.read.selectFrom('assets').selectAll().execute();
    const marked = await db.read.selectFrom('objects_to_delete').select('object_key').execute();
    const expected = rows
      .filter(({ state }) => state === 'ready')
      .flatMap(({ object_key, has_thumbnail }) =>
        has_thumbnail ? [object_key, thumbnailKey(object_key)] : [object_key],
      )
      .sort();
    const root = join(dir, 'files');
    // A folder that disappears while it is read means: not clean yet, check again.
    const entries = unlessGone(() => readdirSync(root, { recursive: true, withFileTypes: true }), []);
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((name) => name !== NOTE_KEY)
      .sort();
    const unsettled = rows.filter(({ state }) => state !== 'ready').map(({ object_key }) => object_key);
    const isClean = unsettled.length + marked.length === 0 && files.join() === expected.join();
    return { files, expected, unsettled, condemned: marked, isClean };
  } finally {
    await db.close();
  }
}
