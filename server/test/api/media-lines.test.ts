// One organization sends many files that take long to inspect; the files of the others do not wait for them.

import assert from 'node:assert/strict';
import { afterEach, it, type TestContext } from 'node:test';
import { findPendingAssets } from '../../src/assets/assets.js';
import { confirmUpload } from '../../src/assets/confirm.js';
import { uploadKey } from '../../src/object-store/object-keys.js';
import type { ObjectStore } from '../../src/object-store/object-store.js';
import { everyday, itInProofs, onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Organization, type TestService, useService } from '../support/service/harness.js';
import { assertProblem } from '../support/service/posts.js';
import type { Answer } from '../support/service/send.js';
import {
  complete,
  download,
  grant,
  listAssets,
  media,
  put,
  slidesAt,
  storedFor,
  typeOf,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

/** The limit of one organization, in each line and of uploads in progress. */
const MAX_QUEUED = 100;
const SLIDES_OF_A_POST = 35;

/** Stops every inspection of an organization's files until it opens: each begins by reading its file. */
class Gate {
  /** The keys whose inspection has begun. */
  readonly begun: string[] = [];
  private real: ObjectStore['read'] | undefined;
  private release = () => {};
  private readonly service: TestService;

  constructor(service: TestService) {
    this.service = service;
  }

  of({ id }: Organization): void {
    const { store } = this.service.app;
    const { read } = store;
    this.real = read;
    const opened = new Promise<void>((resolve) => {
      this.release = resolve;
    });
    store.read = async (key, range) => {
      if (key.includes(id)) {
        if (!this.begun.includes(key)) this.begun.push(key);
        await opened;
      }
      return read(key, range);
    };
  }

  end(): void {
    if (this.real) this.service.app.store.read = this.real;
    this.real = undefined;
    this.begun.length = 0;
    this.release();
  }
}

onEngines('sqlite', 'Files of several organizations', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  const gate = new Gate(service);
  afterEach(() => gate.end());

  /** Grants for `count` files, each to be sent or completed. */
  async function grants(org: Organization, name: string, count: number) {
    const post_type = name.startsWith('slide') ? 'slides' : 'video';
    const each = post_type === 'slides' ? SLIDES_OF_A_POST : 1;
    const granted = [];
    let id = '';
    for (let i = 0; i < count; i++) {
      if (i % each === 0) id = await org.addPost({ post_type });
      granted.push({ id, ...(await grant(org, id, { filename: name })) });
    }
    return granted;
  }

  const sendAll = (urls: { upload_url: string }[], name: string): Promise<Answer>[] =>
    urls.map(({ upload_url }) => put(upload_url, media(name), typeOf(name)));

  // More than there are places.
  for (const [name, count] of [
    ['slide.png', everyday(6, 24)],
    ['tiny.mp4', everyday(3, 10)],
  ] as const)
    it(`are inspected in turn: one of ${name} does not wait for ${count} of another organization`, async () => {
      const [busy, other] = [await service.newOrganization(), await service.newOrganization()];
      const many = await grants(busy, name, count);
      const [one] = await grants(other, name, 1);
      gate.of(busy);
      const answers = sendAll(many, name);
      await until('an inspection has begun', async () => gate.begun.length > 0);
      const [answer] = await Promise.all(sendAll([one!], name));
      assert.equal(answer?.status, 200, answer?.text);
      assert.equal(gate.begun.length, 1, 'one organization has all places');
      gate.end();
      for (const { status, text } of await Promise.all(answers)) assert.equal(status, 200, text);
    });

  it('are refused before their first byte if too many of their organization are under way', async () => {
    const [busy, other] = [await service.newOrganization(), await service.newOrganization()];
    const many = await grants(busy, 'slide.png', MAX_QUEUED + 1);
    const [one] = await grants(other, 'slide.png', 1);
    gate.of(busy);
    const answers = sendAll(many.slice(1), 'slide.png');
    // All of them are stored; one is being inspected.
    const stored = async () => (await storedFor(service, busy)).filter((file) => file.startsWith('uploads/'));
    await until('the uploads have arrived', async () => (await stored()).length === MAX_QUEUED);
    const [refused, helped] = await Promise.all(sendAll([many[0]!, one!], 'slide.png'));
    assertProblem(refused!, 503, 'busy');
    assert.match(refused!.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal(helped?.status, 200, helped?.text);
    assert.equal((await stored()).length, MAX_QUEUED, 'something of the refused file is left');
    gate.end();
    for (const { status, text } of await Promise.all(answers)) assert.equal(status, 200, text);
    const [again] = await Promise.all(sendAll([many[0]!], 'slide.png'));
    assert.equal(again?.status, 200, again?.text);
  });

  itInProofs(
    'are completed later if too many of their organization wait, as on S3, where they arrive unseen',
    async () => {
      const org = await service.newOrganization();
      // One more than are inspected and wait, and another one.
      const many = await grants(org, 'slide.png', MAX_QUEUED + 3);
      for (const { object_key } of many)
        await service.app.store.write(uploadKey(object_key), Buffer.from(media('slide.png')));
      gate.of(org);
      const [first, ...others] = many;
      const waiting = others.map(({ id, object_key }) => complete(org, id, object_key));
      const refused = await Promise.race(waiting);
      assertProblem(refused, 503, 'busy');
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
      assertProblem(await complete(org, first!.id, first!.object_key), 503, 'busy');
      gate.end();
      const statuses = (await Promise.all(waiting)).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)].sort(), [200, 503]);
      assert.equal(statuses.filter((status) => status === 503).length, 1);
      const later = await complete(org, first!.id, first!.object_key);
      assert.equal(later.status, 200, later.text);
    },
  );

  it('end with a newer PUT to their URL, also while they wait or are inspected', async () => {
    for (const [name, ahead] of [
      ['slide.png', 0],
      ['slide.png', 1],
      ['tiny.mp4', 0],
    ] as const) {
      const org = await service.newOrganization();
      const [own, ...others] = await grants(org, name, 1 + ahead);
      gate.of(org);
      const inFront = sendAll(others, name);
      await until('the inspections ahead have begun', async () => gate.begun.length === ahead);
      const [older] = sendAll([own!], name);
      const arrived = async () =>
        (await storedFor(service, org)).includes(uploadKey(own!.object_key)) &&
        (ahead > 0 || gate.begun.length > 0);
      await until('the older one has arrived', arrived);
      const [newer] = sendAll([own!], name);
      assertProblem(await older!, 409, 'upload_superseded');
      gate.end();
      const answer = await newer!;
      assert.equal(answer.status, 200, answer.text);
      await Promise.all(inFront);
      const keys = [own!, ...others].map(({ object_key }) => object_key);
      assert.deepEqual(await storedFor(service, org), name === 'tiny.mp4' ? keys : slidesAt(...keys));
      const { data } = await listAssets(org, own!.id);
      assert.deepEqual((await download(data[0]!.url)).bytes, media(name));
    }
  });
});

/** How long requests wait for media, and publish now. */
const TIMEOUTS_MS = [100_000, 60_000];

/** Ends timers of these durations early. All others run: the clients' own must not be moved. */
function collectTimers(t: TestContext, durations: number[]) {
  const waiting = new Map<unknown, () => void>();
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (run: () => void, ms?: number, ...given: []) => {
    const timer = start(run, ms, ...given);
    if (durations.includes(ms ?? 0)) waiting.set(timer, run);
    return timer;
  });
  t.mock.method(globalThis, 'clearTimeout', (timer: NodeJS.Timeout) => {
    waiting.delete(timer);
    stop(timer);
  });
  return {
    end() {
      for (const [timer, run] of [...waiting]) {
        waiting.delete(timer);
        stop(timer as NodeJS.Timeout);
        run();
      }
    },
  };
}

onEngines('sqlite', 'A request that waits for an inspection', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  const gate = new Gate(service);
  afterEach(() => gate.end());

  it('is answered with 503 before its connection ends, and its file keeps its place', async (t) => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const [own, other] = [await grant(org, id), await grant(org, id)];
    const social_account_id = await org.addAccount();
    gate.of(org);
    const patience = collectTimers(t, TIMEOUTS_MS);
    const inFront = put(other.upload_url, media('slide.png'), 'image/png');
    await until('an inspection has begun', async () => gate.begun.length === 1);
    const mine = put(own.upload_url, media('slide.png'), 'image/png');
    await until('it has arrived', async () =>
      (await storedFor(service, org)).includes(uploadKey(own.object_key)),
    );
    const asked = [
      complete(org, id, own.object_key),
      org.call('GET', `/api/v1/posts/${id}/assets`),
      org.call('GET', `/api/v1/posts/${id}/preflight`),
      org.call('POST', `/api/v1/posts/${id}/publish`, { social_account_id, privacy_level: 'SELF_ONLY' }),
      mine,
      inFront,
    ] as const;
    let answered = 0;
    for (const one of asked) one.then(() => answered++);
    // The last ones have not begun to wait when the first are answered.
    await until('all are answered', async () => {
      patience.end();
      return answered === asked.length;
    });
    const [completed, listed, checked, published, ...sent] = await Promise.all(asked);
    for (const answer of [completed, published, ...sent]) {
      assertProblem(answer, 503, 'busy');
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
    }
    assert.deepEqual([listed.status, listed.json.pending.length], [200, 2]);
    const codes = checked.json.data.problems.map(({ code }: { code: string }) => code);
    assert.ok(codes.includes('uploads_pending'), codes);
    gate.end();
    // No request asks for it.
    await until('they are inspected', async () => {
      const rows = await service.app.db.read.selectFrom('assets').select('state').execute();
      return rows.every(({ state }) => state === 'ready');
    });
    assert.equal((await complete(org, id, own.object_key)).status, 200);
  });
});

onEngines('sqlite', 'An inspection', (engine) => {
  const LIMIT = 40;
  const env = { ...WITHOUT_WORKER.env, RATE_LIMIT: 'on', RATE_LIMIT_PER_MINUTE: String(LIMIT) };
  const service = useService(engine, { ...WITHOUT_WORKER, env });

  it('counts as several requests of the organization, and is refused with 429 before the first byte', async (t) => {
    const now = Date.now();
    t.mock.method(Date, 'now', () => now);
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const id = await org.addPost();
    const grantOne = () => grant(org, id);
    const granted = [await grantOne(), await grantOne(), await grantOne(), await grantOne()];
    const send = ({ upload_url }: { upload_url: string }) => put(upload_url, media('slide.png'), 'image/png');
    // One post and four grants leave 35 of 40 requests: three slides at ten each.
    for (const one of granted.slice(0, 3)) assert.equal((await send(one)).status, 200);
    const refused = await send(granted[3]!);
    assertProblem(refused, 429, 'rate_limited');
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    assert.deepEqual(
      (await storedFor(service, org)).filter((file) => !file.startsWith('thumbnails/')).length,
      3,
    );
    assertProblem(await org.call('GET', '/api/v1/me'), 429, 'rate_limited');
    assert.equal((await other.call('GET', '/api/v1/me')).status, 200);
  });

  it('is charged to preflight, and never to publishing', async (t) => {
    const now = Date.now();
    t.mock.method(Date, 'now', () => now);
    const org = await service.newOrganization();
    const id = await org.addPost();
    const arrive = async () => {
      const { object_key } = await grant(org, id);
      await service.app.store.write(uploadKey(object_key), Buffer.from(media('slide.png')));
    };
    const left = async () => Number((await org.call('GET', '/api/v1/me')).headers.get('ratelimit-remaining'));
    const check = async () => {
      const { status, json } = await org.call('GET', `/api/v1/posts/${id}/preflight`);
      assert.equal(status, 200);
      return json.data.problems.some(({ code }: { code: string }) => code === 'uploads_pending');
    };
    await arrive();
    const before = await left();
    assert.equal(await check(), false);
    // The slide, the preflight and the question itself.
    assert.equal(before - (await left()), 12);
    await arrive();
    const social_account_id = await org.addAccount();
    const then = await left();
    await org.call('POST', `/api/v1/posts/${id}/publish`, { social_account_id, privacy_level: 'SELF_ONLY' });
    assert.equal(then - (await left()), 2);
    const ready = async () =>
      (await service.app.db.read.selectFrom('assets').selectAll().where('post_id', '=', id).execute()).filter(
        ({ state }) => state === 'ready',
      ).length;
    assert.equal(await ready(), 2);
    // Another two slides would exceed the limit: the second one is reported as pending.
    await arrive();
    await arrive();
    assert.equal(await check(), true);
    assert.equal(await ready(), 3);
    // Publishing does not share the refusal of a request that asked first.
    const [asset] = await findPendingAssets(service.app.db.read, org.id, id);
    const [asked, due] = await Promise.allSettled([
      confirmUpload(service.app, asset!, 'charged'),
      confirmUpload(service.app, asset!, 'free'),
    ]);
    assert.deepEqual([asked.status, due], ['rejected', { status: 'fulfilled', value: 'ready' }]);
  });
});
