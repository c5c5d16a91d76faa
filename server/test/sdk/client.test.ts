// What the SDK promises about every request: retries that take effect once, and errors that say what happened.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import {
  Airdate,
  type AirdateError,
  Conflict,
  Forbidden,
  NotFound,
  OutcomeUnknown,
  RateLimited,
  Refused,
  responseOf,
  Unauthorized,
  Unavailable,
  Unreachable,
  ValidationError,
} from '@airdate/sdk';
import { type Fate, Line } from '../support/network/cuttable-connection.js';
import { type Organization, useService } from '../support/service/harness.js';
import { UNKNOWN_ID } from '../support/service/posts.js';

describe('The SDK', () => {
  const service = useService('sqlite');
  const line = new Line();
  let org: Organization;
  let airdate: Airdate;
  before(async () => {
    await line.start();
    line.target = service.url;
    org = await service.newOrganization();
    airdate = new Airdate({ url: `${line.url}/`, apiKey: org.key });
  });
  afterEach(() => line.clear());
  after(() => line.stop());

  /** The first requests meet this fate, and all others pass. */
  const fates = (...list: Fate[]) => {
    line.decide = () => list.shift() ?? 'pass';
  };
  const titled = async (title: string) => (await airdate.posts.list({ q: title })).data.length;

  describe('a request that was not answered', () => {
    for (const fate of ['cut', 'lose', { status: 502 }, { status: 503 }] as const)
      it(`is repeated with the same key, and takes effect once (${JSON.stringify(fate)})`, async () => {
        fates(fate);
        const title = `Maps ${JSON.stringify(fate).replace(/\W/g, '')}`;
        const post = await airdate.posts.create({ title });
        assert.deepEqual(line.paths, ['POST /api/v1/posts', 'POST /api/v1/posts']);
        const [first, second] = line.passed;
        assert.ok(first?.key);
        assert.equal(second?.key, first.key);
        assert.equal(responseOf(post)?.idempotencyReplayed, fate === 'lose');
        assert.equal(await titled(title), 1);
      });

    it('ends in Unreachable after two retries, with the key to go on with', async () => {
      line.decide = () => 'lose';
      const creation = airdate.posts.create({ title: 'Folded in silence' });
      const error = await creation.then(
        () => assert.fail('it was answered'),
        (reason) => reason,
      );
      assert.ok(error instanceof Unreachable);
      assert.deepEqual([error.status, error.code, line.passed.length], [0, 'unreachable', 3]);
      line.clear();
      await airdate.posts.create({ title: 'Folded in silence' }, { idempotencyKey: error.idempotencyKey });
      assert.equal(await titled('Folded in silence'), 1);
    });

    it('is not repeated, and has no key, if the client does not repeat', async () => {
      line.decide = () => 'cut';
      await assert.rejects(airdate.posts.create({ title: 'Once' }, { maxRetries: 0 }), Unreachable);
      assert.deepEqual(
        line.passed.map(({ key }) => key),
        [undefined],
      );
    });

    it('that deleted something is a success when its repetition finds nothing', async () => {
      const { id } = await airdate.posts.create({ title: 'Away' });
      line.clear();
      fates('lose');
      await airdate.posts.delete(id);
      assert.equal(line.passed.length, 2);
      await assert.rejects(airdate.posts.delete(id), NotFound);
    });

    it('ends at once when its signal is aborted, with the reason of that', async () => {
      const controller = new AbortController();
      line.decide = () => {
        controller.abort(new Error('enough'));
        return 'cut';
      };
      await assert.rejects(airdate.posts.list({}, { signal: controller.signal }), { message: 'enough' });
      assert.equal(line.passed.length, 1);
    });

    it('is cut off after its timeout, and repeated', async () => {
      let held: (fate: Fate) => void = () => {};
      line.decide = () =>
        line.passed.length > 1
          ? 'pass'
          : new Promise((resolve) => {
              held = resolve;
            });
      // Only the request that is never answered waits for it.
      await airdate.request('GET', '/healthz', { timeout: 300 });
      held('cut');
      assert.equal(line.passed.length, 2);
    });

    it('says whether it was cut off, found a closed port, or found another program', async () => {
      let held: (fate: Fate) => void = () => {};
      line.decide = () =>
        new Promise((resolve) => {
          held = resolve;
        });
      const briefly = { maxRetries: 0, timeout: 50 };
      await assert.rejects(airdate.request('GET', '/healthz', briefly), {
        message: /did not answer within 50 ms\.$/,
      });
      held('cut');
      line.decide = () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hello</h1>' });
      await assert.rejects(airdate.request('GET', '/healthz', { maxRetries: 0 }), {
        message: /check the URL\.$/,
      });
      const closed = new Airdate({ url: 'http://127.0.0.1:2', apiKey: org.key, maxRetries: 0 });
      await assert.rejects(closed.posts.counts(), { message: /could not be reached.*\(ECONNREFUSED\)\.$/ });
    });
  });

  describe('a refusal', () => {
    it('that says when is waited for', async () => {
      fates({ status: 429, headers: { 'retry-after': '0' } });
      await airdate.posts.counts();
      assert.equal(line.passed.length, 2);
    });

    it('that wants a long wait is the caller’s to decide about', async () => {
      fates({ status: 503, headers: { 'retry-after': '3600' } });
      const error = await airdate.posts.counts().then(
        () => assert.fail(),
        (reason) => reason,
      );
      assert.ok(error instanceof Unavailable);
      assert.deepEqual([error.status, error.retryAfter, line.passed.length], [503, 3600, 1]);
    });

    it('has a class by its family, its code, and the id of the request', async () => {
      const { id } = await airdate.posts.create({ title: 'A post' });
      const narrow = new Airdate({ url: line.url, apiKey: await org.keyWith(['posts:read']) });
      const cases: [() => Promise<unknown>, typeof AirdateError, number, string][] = [
        [() => airdate.posts.create({ title: '' }), ValidationError, 400, 'validation_failed'],
        [
          () => new Airdate({ url: line.url, apiKey: 'ad_no' }).posts.list(),
          Unauthorized,
          401,
          'unauthorized',
        ],
        [() => narrow.posts.create({ title: 'A post' }), Forbidden, 403, 'insufficient_scope'],
        [() => airdate.posts.get(UNKNOWN_ID), NotFound, 404, 'not_found'],
        [
          () => airdate.posts.unschedule(id).then(() => airdate.posts.resolve(id, 'posted')),
          Conflict,
          409,
          'wrong_state',
        ],
        [
          () => airdate.posts.update(id, { title: 'B' }, { ifMatch: '"0"' }),
          Conflict,
          412,
          'precondition_failed',
        ],
        [() => airdate.events.list({ after: 'evt_0000zzzzz' }), NotFound, 410, 'cursor_unknown'],
        [
          () => airdate.posts.create({ title: 'A post', caption: 'x'.repeat(70_000) }),
          Refused,
          413,
          'payload_too_large',
        ],
      ];
      for (const [call, Family, status, code] of cases) {
        const error = await call().then(
          () => assert.fail(`${code} was no refusal`),
          (reason) => reason,
        );
        assert.ok(error instanceof Family, `${code}: ${error}`);
        assert.deepEqual([error.status, error.code, error.problem?.code], [status, code, code]);
        assert.match(error.requestId ?? '', /^req_/);
      }
      fates({ status: 429, headers: { 'retry-after': '60' } });
      await assert.rejects(airdate.posts.counts(), RateLimited);
    });

    it('names the fields that are wrong', async () => {
      const error = await airdate.posts.create({ title: '', caption: 'x'.repeat(2201) }).then(
        () => assert.fail(),
        (reason) => reason as AirdateError,
      );
      assert.deepEqual(error.errors.map(({ pointer }) => pointer).sort(), ['/caption', '/title']);
      assert.ok(error.of('title'));
      assert.equal(error.of('hashtags'), undefined);
    });
  });

  describe('a list', () => {
    it('is a page when awaited, and everything when iterated', async () => {
      const other = await service.newOrganization();
      const its = new Airdate({ url: line.url, apiKey: other.key });
      for (let n = 0; n < 7; n++) await its.posts.create({ title: `Post ${n}` });
      const list = its.posts.list({ per_page: 3 });
      line.clear();
      const page = await list;
      assert.deepEqual([page.data.length, page.pagination.total, line.passed.length], [3, 7, 1]);
      const titles: (string | null)[] = [];
      for await (const post of list) titles.push(post.title);
      assert.deepEqual(titles, ['Post 6', 'Post 5', 'Post 4', 'Post 3', 'Post 2', 'Post 1', 'Post 0']);
      const acts: string[] = [];
      for await (const entry of its.organization.audit({ per_page: 2 })) acts.push(entry.id);
      const { pagination } = await its.organization.audit();
      assert.deepEqual([acts.length, new Set(acts).size], [pagination.total, pagination.total]);
    });

    it('sends nothing before it is awaited', () => {
      airdate.posts.list();
      assert.deepEqual(line.passed, []);
    });
  });

  it('takes its address and key from the environment, and needs an address', async () => {
    const { AIRDATE_URL, AIRDATE_API_KEY } = process.env;
    try {
      delete process.env.AIRDATE_URL;
      assert.throws(() => new Airdate(), /AIRDATE_URL/);
      delete process.env.AIRDATE_API_KEY;
      await assert.rejects(new Airdate({ url: line.url }).posts.counts(), /set AIRDATE_API_KEY\.$/);
      Object.assign(process.env, { AIRDATE_URL: line.url, AIRDATE_API_KEY: org.key });
      assert.equal((await new Airdate().organization.me()).organization.id, org.id);
    } finally {
      delete process.env.AIRDATE_URL;
      delete process.env.AIRDATE_API_KEY;
      if (AIRDATE_URL) process.env.AIRDATE_URL = AIRDATE_URL;
      if (AIRDATE_API_KEY) process.env.AIRDATE_API_KEY = AIRDATE_API_KEY;
    }
  });

  it('takes no address that could only fail later', () => {
    assert.throws(() => new Airdate({ url: 'localhost:3000' }), /must begin with http:/);
    assert.throws(() => new Airdate({ url: `${line.url}/api/v1/` }), /Leave \/api\/v1 out/);
  });

  it('is not confused by ids that look like paths', async () => {
    await assert.rejects(airdate.posts.get('../labels?x'), NotFound);
    assert.equal(line.passed.at(-1)?.path, '/api/v1/posts/..%2Flabels%3Fx');
  });

  it('asks for nothing with an id that is empty or leads elsewhere', async () => {
    for (const id of ['', '.', '..'])
      await assert.rejects(async () => airdate.posts.delete(id), {
        name: 'TypeError',
        message: `\`id\` must be an id, but is "${id}".`,
      });
    assert.deepEqual(line.passed, []);
  });

  it('follows no redirect, and takes a page for no answer', async () => {
    fates({ status: 301, headers: { location: `${line.url}/api/v1/posts` } });
    await assert.rejects(airdate.posts.create({ title: 'A post' }), {
      status: 301,
      code: 'unexpected_response',
    });
    line.clear();
    line.decide = () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' });
    await assert.rejects(airdate.posts.list({}, { maxRetries: 0 }), Unreachable);
  });

  it('never calls an answer of a proxy to a publish a failure', async () => {
    for (const status of [500, 504, 502]) {
      line.clear();
      line.decide = () => ({ status });
      const body = { social_account_id: UNKNOWN_ID, privacy_level: 'SELF_ONLY' as const };
      await assert.rejects(airdate.posts.publish(UNKNOWN_ID, body), OutcomeUnknown);
      assert.equal(line.passed.length, status === 502 ? 3 : 1);
    }
  });
});
