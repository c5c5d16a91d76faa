import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import fc from 'fast-check';
import type { DispatchTable } from '../../src/db/tables.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type Organization, type TestService, useService } from '../support/service/harness.js';
import {
  addDispatch,
  archive,
  assertProblem,
  assertRefused,
  at,
  resolve,
  setPost,
} from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const PATH = '/api/v1/analytics/timeline';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const OUTCOMES = ['started', 'accepted', 'published', 'in_inbox', 'failed', 'unknown'] as const;
const NOON = Date.parse('2026-03-29T12:00:00Z');

type Attempt = Pick<DispatchTable, 'outcome' | 'started_at' | 'scheduled_for' | 'error_code'>;

/** The sums of the rows, counted the slow way. */
function recount(
  posts: { created_at: number; posted_at: number | null }[],
  attempts: Attempt[],
  from: number,
  to: number,
) {
  const isIn = (ms: number | null): ms is number => ms !== null && ms >= from && ms < to;
  const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const successful = (list: Attempt[]) =>
    list.filter(({ outcome }) => ['accepted', 'published', 'in_inbox'].includes(outcome)).length;
  const counted = attempts.filter(({ started_at }) => isIn(started_at));
  const dates: string[] = [];
  for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < to; day += DAY_MS) dates.push(dateOf(day));
  const days = dates.map((date) => {
    const own = counted.filter(({ started_at }) => dateOf(started_at) === date);
    const late = own
      .flatMap(({ started_at, scheduled_for }) =>
        scheduled_for === null ? [] : [started_at - scheduled_for],
      )
      .sort((a, b) => a - b);
    const rank = (share: number) => late.find((_, i) => (i + 1) / late.length >= share) ?? null;
    return {
      date,
      posts_created: posts.filter(({ created_at }) => isIn(created_at) && dateOf(created_at) === date).length,
      posts_published: posts.filter(({ posted_at }) => isIn(posted_at) && dateOf(posted_at) === date).length,
      dispatches: Object.fromEntries(
        OUTCOMES.map((one) => [one, own.filter(({ outcome }) => outcome === one).length]),
      ),
      success_rate: own.length === 0 ? null : Math.round((100 * successful(own)) / own.length),
      lateness_p50_ms: rank(0.5),
      lateness_p99_ms: rank(0.99),
    };
  });
  const codes = counted.flatMap(({ outcome, error_code }) =>
    outcome === 'failed' ? [error_code as string] : [],
  );
  const failures = [...new Set(codes)]
    .map((code) => ({ code, count: codes.filter((one) => one === code).length }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
  return {
    days,
    failures,
    totals: {
      dispatches: counted.length,
      successful: successful(counted),
      failed: codes.length,
      unknown: counted.filter(({ outcome }) => outcome === 'unknown').length,
    },
  };
}

async function fromRows({ app }: TestService, org: Organization, from: number, to: number) {
  const posts = await app.db.read
    .selectFrom('posts')
    .select(['created_at', 'posted_at'])
    .where('org_id', '=', org.id)
    .execute();
  const attempts = await app.db.read
    .selectFrom('dispatches')
    .select(['outcome', 'started_at', 'scheduled_for', 'error_code'])
    .where('org_id', '=', org.id)
    .execute();
  return recount(posts, attempts, from, to);
}

onEngines('postgres', `GET ${PATH}`, (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  afterEach(() => service.clock.resume());

  async function ask(org: Organization, query: { from?: string; to?: string; time_zone?: string } = {}) {
    return (await org.sdk.request('GET', PATH, { query })).data;
  }

  const iso = (ms: number) => new Date(ms).toISOString();

  it('has the last 30 days, today included, with zeros where nothing happened', async () => {
    service.clock.stopAt(NOON);
    const { from, to, days, failures, totals } = await ask(await service.newOrganization());
    assert.deepEqual([from, to], ['2026-02-28T00:00:00Z', '2026-03-29T12:00:00Z']);
    assert.equal(days.length, 30);
    assert.deepEqual(days[0], {
      date: '2026-02-28',
      posts_created: 0,
      posts_published: 0,
      dispatches: { started: 0, accepted: 0, published: 0, in_inbox: 0, failed: 0, unknown: 0 },
      success_rate: null,
      lateness_p50_ms: null,
      lateness_p99_ms: null,
    });
    assert.deepEqual([days.at(-1)?.date, failures], ['2026-03-29', []]);
    assert.deepEqual(totals, { dispatches: 0, successful: 0, failed: 0, unknown: 0 });
  });

  it('counts exactly the rows, at the first request and at the next, in any range', async () => {
    const attempt = fc.record({
      outcome: fc.constantFrom('published', 'in_inbox', 'failed' as const),
      ageMs: fc.integer({ min: 0, max: 12 * DAY_MS }),
      latenessMs: fc.option(fc.integer({ min: 0, max: 5_000 })),
      code: fc.constantFrom('spam', 'format', 'auth'),
    });
    const cut = fc.tuple(fc.integer({ min: 0, max: 13 * DAY_MS }), fc.integer({ min: 1, max: 5 * DAY_MS }));
    const run = async (
      attempts: {
        outcome: 'published' | 'in_inbox' | 'failed';
        ageMs: number;
        latenessMs: number | null;
        code: string;
      }[],
      cuts: [number, number][],
    ) => {
      service.clock.stopAt(NOON);
      const org = await service.newOrganization();
      const account = await org.addAccount();
      for (const [i, { outcome, ageMs, latenessMs, code }] of attempts.entries()) {
        const started_at = NOON - ageMs;
        const id = await org.addPost();
        await service.app.db.transact((tx) =>
          tx
            .updateTable('posts')
            .set({
              created_at: started_at - i * HOUR_MS,
              posted_at: outcome === 'failed' ? null : started_at + 1,
            })
            .where('id', '=', id)
            .execute(),
        );
        await addDispatch(service, org, id, {
          social_account_id: account,
          outcome,
          started_at,
          scheduled_for: latenessMs === null ? null : started_at - latenessMs,
          error_code: outcome === 'failed' ? code : null,
        });
      }
      for (const [startMs, lengthMs] of [...cuts, ...cuts]) {
        const [from, to] = [NOON - 13 * DAY_MS + startMs, NOON - 13 * DAY_MS + startMs + lengthMs];
        const {
          from: _from,
          to: _to,
          time_zone: _zone,
          ...found
        } = await ask(org, { from: iso(from), to: iso(to) });
        assert.deepEqual(found, await fromRows(service, org, from, to));
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(attempt, { maxLength: 25 }),
        fc.array(cut, { minLength: 1, maxLength: 4 }),
        run,
      ),
      { numRuns: 8, seed: 20261115 },
    );
  });

  it('notices changes to days that are long over', async () => {
    service.clock.stopAt(NOON);
    const org = await service.newOrganization();
    const account = await org.addAccount();
    const old = NOON - 5 * DAY_MS;
    const range = { from: iso(NOON - 10 * DAY_MS), to: iso(NOON) };
    const check = async () => {
      const { from: _from, to: _to, time_zone: _zone, ...found } = await ask(org, range);
      assert.deepEqual(found, await fromRows(service, org, NOON - 10 * DAY_MS, NOON));
      return found;
    };
    service.clock.stopAt(old);
    const [gone, unknown] = [await org.addPost(), await org.addPost()];
    const fields = { social_account_id: account, started_at: old };
    await addDispatch(service, org, gone, { ...fields, outcome: 'failed', error_code: 'spam' });
    await addDispatch(service, org, unknown, { ...fields, outcome: 'unknown' });
    await setPost(service, unknown, { status: 'publishing' });
    service.clock.stopAt(NOON);
    assert.equal((await check()).totals.unknown, 1);
    assert.equal((await resolve(org, unknown, 'posted')).status, 200);
    assert.equal((await check()).totals.unknown, 0);
    await archive(org, gone);
    assert.equal((await org.call('DELETE', `/api/v1/posts/${gone}`)).status, 204);
    const { totals, failures } = await check();
    assert.deepEqual([totals.dispatches, failures], [1, []]);
  });

  it('cuts days at midnight in UTC, and ranges to the millisecond', async () => {
    service.clock.stopAt(NOON);
    const org = await service.newOrganization();
    const midnight = Date.parse('2026-03-29T00:00:00Z');
    for (const started_at of [midnight - 1, midnight, midnight + 1])
      await addDispatch(service, org, await org.addPost(), { started_at });
    const whole = await ask(org, { from: '2026-03-28T02:00:00+02:00', to: '2026-03-30T00:00:00Z' });
    assert.deepEqual(
      whole.days.map(({ dispatches }) => dispatches.published),
      [1, 2],
    );
    const part = await ask(org, { from: iso(midnight), to: iso(midnight + 1) });
    assert.deepEqual(
      part.days.map(({ date, dispatches }) => [date, dispatches.published]),
      [['2026-03-29', 1]],
    );
  });

  it('takes plain dates, the last one included, as days of a time zone', async () => {
    service.clock.stopAt(NOON);
    const org = await service.newOrganization();
    // In Berlin the 29th has 23 hours.
    const starts = ['2026-03-27T23:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'];
    for (const start of starts)
      for (const started_at of [Date.parse(start) - 1, Date.parse(start)])
        await addDispatch(service, org, await org.addPost(), { started_at });
    const query = { from: '2026-03-28', to: '2026-03-29' };
    const shown = async (time_zone: string) => {
      const { from, to, time_zone: zone, days } = await ask(org, { ...query, time_zone });
      const perDay = days.map(({ date, dispatches }) => [date, dispatches.published]);
      return { from, to, zone, perDay };
    };
    for (const _again of [1, 2])
      assert.deepEqual(await shown('Europe/Berlin'), {
        from: starts[0],
        to: starts[2],
        zone: 'Europe/Berlin',
        perDay: [
          ['2026-03-28', 2],
          ['2026-03-29', 2],
        ],
      });
    assert.deepEqual(await shown('UTC'), {
      from: '2026-03-28T00:00:00Z',
      to: '2026-03-30T00:00:00Z',
      zone: 'UTC',
      perDay: [
        ['2026-03-28', 2],
        ['2026-03-29', 2],
      ],
    });
    const year = await ask(org, { from: '2026-01-01', to: '2026-12-31', time_zone: 'Australia/Lord_Howe' });
    assert.equal(year.days.length, 365);
    assert.equal(year.days.at(-1)?.date, '2026-12-31');
    const usual = await ask(org, { time_zone: 'Asia/Tokyo' });
    assert.deepEqual([usual.days.length, usual.from], [30, '2026-02-27T15:00:00Z']);
    const last = await ask(org, { from: '9999-12-31', to: '9999-12-31', time_zone: 'America/Lima' });
    assert.equal(last.to, '9999-12-31T23:59:59Z');
  });

  it('shows nothing of another organization', async () => {
    const [mine, theirs] = [await service.newOrganization(), await service.newOrganization()];
    await addDispatch(service, theirs, await theirs.addPost(), {});
    const { totals, days } = await ask(mine);
    assert.equal(totals.dispatches, 0);
    assert.ok(days.every(({ posts_created }) => posts_created === 0));
  });

  it('400: a range that ends before it begins, or is longer than 366 days', async () => {
    const org = await service.newOrganization();
    const call = (from: number, to: number) => org.call('GET', `${PATH}?from=${at(from)}&to=${at(to)}`);
    assert.equal((await call(NOON - 366 * DAY_MS, NOON)).json.data.days.length, 367);
    assert.equal(
      (await call(NOON - 366 * DAY_MS + DAY_MS / 2, NOON + DAY_MS / 2)).json.data.days.length,
      366,
    );
    assertRefused(await call(NOON - 366 * DAY_MS - 1_000, NOON), 'from');
    assertRefused(await call(NOON, NOON), 'from');
    assertRefused(await call(NOON + 1_000, NOON), 'from');
    for (const wrong of ['2026-02-30', '2026-3-1', '2026-03-29T12:00', '26-03-29', 'today'])
      assertRefused(await org.call('GET', `${PATH}?from=${wrong}`), 'from');
    assertRefused(await org.call('GET', `${PATH}?from=2026-03-02&to=2026-03-01`), 'from');
    assertRefused(await org.call('GET', `${PATH}?from=2025-01-01&to=2026-01-02`), 'from');
    for (const wrong of ['Europe/Atlantis', '+02:00', '', 'x'.repeat(65)])
      assertRefused(await org.call('GET', `${PATH}?time_zone=${encodeURIComponent(wrong)}`), 'time_zone');
    assertRefused(await org.call('GET', `${PATH}?to=0000-01-01T00:00:00Z`), 'from');
    assertRefused(await org.call('GET', `${PATH}?day=1`), 'day');
  });

  it('403: outside of the trial and of the plans that include analytics, and without its scope', async () => {
    const org = await service.newOrganization({ plan: 'starter', trial_days: 0 });
    assertProblem(await org.call('GET', PATH), 403, 'plan_required');
    const body = { plan: 'agency' };
    await service.request('PATCH', `/api/admin/v1/organizations/${org.id}`, { key: ADMIN_TOKEN, body });
    assert.equal((await org.call('GET', PATH)).status, 200);
    const key = await org.keyWith(['posts:read']);
    assertProblem(await service.request('GET', PATH, { key }), 403, 'insufficient_scope');
  });
});
