// A video is replaced again and again while its service is killed and many readers download it. Used by the everyday test
// and, with more of everything, by the proof.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openPostgres } from '../../../src/db/postgres/postgres.js';
import { openSqlite } from '../../../src/db/sqlite/sqlite.js';
import { thumbnailKey } from '../../../src/object-store/object-keys.js';
import { NOTE_KEY } from '../../../src/restore-safety/note.js';
import {
  createPostgresDatabase,
  type Engine,
  type PostgresDatabase,
  silentLog,
} from '../../support/databases/fresh-databases.js';
import { makeVersion, sha256, type Version } from '../../support/media/videos.js';
import { ADMIN_TOKEN, TEST_KEY } from '../../support/service/harness.js';
import { type Answer, send } from '../../support/service/send.js';
import { inLife, KillableService } from '../processes/killable-service.js';
import { STOPS, STOPS_OF_GARBAGE, type Stop } from '../programs/stops.js';
import { type History, startReaders } from './replace-readers.js';

const LARGEST_PAYLOAD = 600_000;
/** How long a sweep may take before the test gives up; it takes seconds. */
const SWEEP_MS = 120_000;

const RANDOM_PER_CYCLE = 4;

/** One kill for each replace. Null: the test kills the process, at a random moment. */
export type Kill = Stop | null;

export function replaceUnderFire(engine: Engine, kills: readonly Kill[], readers: number): void {
  const replaces = kills.length;
  describe(`A video replaced under fire (${engine})`, () => {
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

    it(`is complete for ${readers} readers through ${replaces} kills, and nothing else remains in the store`, async (test) => {
      const { key, postId } = await preparePost(service);
      const history: History = { byKey: new Map(), acknowledged: 0 };
      const owner = new Owner(service, key, postId, history);
      await owner.replace(makeVersion(1, 1000), null);
      const readings = startReaders(readers, service, history, (url) =>
        send('GET', `${url}/api/v1/posts/${postId}/assets`, { key }),
      );
      const replacing = async () => {
        for (let n = 2; n <= replaces + 1; n++) {
          const version = makeVersion(n, Math.ceil(Math.random() * LARGEST_PAYLOAD));
          const stop = kills[n - 2] ?? null;
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
      assert.equal(last?.number, replaces + 1);
      assert.equal(await owner.download(), last.sha256);
      assert.deepEqual(service.complaints, []);
    });
  });
}

/** At every named stop in turn, and at random moments. */
export const killsInTurn = (count: number): Kill[] => Array.from({ length: count }, (_, n) => stopFor(n));

function stopFor(n: number): Kill {
  const cycle = STOPS.length + RANDOM_PER_CYCLE;
  const every = Math.floor(cycle / RANDOM_PER_CYCLE);
  const place = n % cycle;
  // Every fifth is a random one, the others are the named ones in their order.
  if (place % every === every - 1) return null;
  return STOPS[place - Math.floor(place / every)] as Stop;
}

async function preparePost(service: KillableService): Promise<{ key: string; postId: string }> {
  const { url } = await service.current();
  const admin = `${url}/api/admin/v1/organizations`;
  const made = async (answer: Promise<Answer>) => {
    const { status, text, json } = await answer;
    assert.equal(status, 201, text);
    return json.data;
  };
  const { id } = await made(
    send('POST', admin, { key: ADMIN_TOKEN, body: { name: 'Films', plan: 'growth' } }),
  );
  const { key } = await made(
    send('POST', `${admin}/${id}/keys`, { key: ADMIN_TOKEN, body: { name: 'Key' } }),
  );
  const post = { title: 'The film', post_type: 'video' };
  return { key, postId: (await made(send('POST', `${url}/api/v1/posts`, { key, body: post }))).id };
}

interface Grant {
  object_key: string;
  upload_url: string;
}

/** The uploading client: repeats every request that was not acknowledged, as clients do. */
class Owner {
  private readonly service: KillableService;
  private readonly key: string;
  private readonly assets: string;
  private readonly history: History;
  private tookMs = 1000;
  private requests = 0;

  constructor(service: KillableService, key: string, postId: string, history: History) {
    this.service = service;
    this.key = key;
    this.assets = `/api/v1/posts/${postId}/assets`;
    this.history = history;
  }

  /** Replaces the video, and lets the service die once on the way. */
  async replace(version: Version, stop: Stop | null): Promise<void> {
    const first = await this.service.current();
    const isFirst = version.number === 1;
    if (stop) await this.service.arm({ stop, bytes: Math.ceil(Math.random() * version.bytes.length) });
    const killing = stop || isFirst ? null : this.killAtAnyMoment();
    const startedAt = performance.now();
    await this.upload(version);
    if (isFirst) this.tookMs = performance.now() - startedAt;
    await killing;
    // The replaced video is removed when its grace period is over.
    if (stop && STOPS_OF_GARBAGE.includes(stop)) await orTooLong(first.ended);
  }

  /** The hash of the current video. */
  async download(): Promise<string> {
    const { json } = await this.surely('GET', this.assets);
    const response = await fetch(json.data[0].url);
    return sha256(new Uint8Array(await response.arrayBuffer()));
  }

  private async killAtAnyMoment(): Promise<void> {
    await delay(Math.random() * 2 * this.tookMs);
    await this.service.kill();
  }

  private async upload(version: Version): Promise<void> {
    let grant = await this.grant(version);
    for (;;) {
      const life = await this.service.current();
      const answer = await inLife(life, (url) => this.put(url, grant, version));
      if (answer?.status === 200) break;
      if (answer) {
        // It had arrived before the process died.
        assert.deepEqual([answer.status, answer.json.code], [409, 'already_uploaded'], answer.text);
        const { status, text } = await this.surely('POST', `${this.assets}/complete`, {
          object_key: grant.object_key,
        });
        assert.equal(status, 200, text);
        break;
      }
      // Both are right for a client: the same upload URL again, or a new one.
      if (Math.random() < 0.3) grant = await this.grant(version);
    }
    this.history.acknowledged = version.number;
  }

  private async grant(version: Version): Promise<Grant> {
    const { status, json, text } = await this.surely('POST', this.assets, {
      filename: `version-${version.number}.mp4`,
      content_type: 'video/mp4',
      replace: true,
      ...(version.number % 2 === 0 ? { content_length: version.bytes.length } : {}),
    });
    assert.equal(status, 200, text);
    this.history.byKey.set(json.object_key, version);
    return json;
  }

  /** To the granted URL, on the current port of the service. */
  private put(url: string, grant: Grant, { bytes }: Version): Promise<Answer> {
    const { pathname, search } = new URL(grant.upload_url);
    return send('PUT', url + pathname + search, { raw: bytes, headers: { 'content-type': 'video/mp4' } });
  }

  /** Repeats a request until it is answered. The key makes sure that it takes effect once. */
  private async surely(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers: Record<string, string> =
      method === 'GET' ? {} : { 'idempotency-key': `request-${this.requests++}` };
    for (;;) {
      const life = await this.service.current();
      const answer = await inLife(life, (url) => send(method, url + path, { key: this.key, body, headers }));
      if (answer) return answer;
    }
  }
}

async function orTooLong(event: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  const tooLong = delay(SWEEP_MS, undefined, { signal: waiting.signal });
  await Promise.race([event, tooLong]).finally(() => waiting.abort());
}

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
