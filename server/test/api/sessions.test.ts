import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sweep } from '../../src/worker/sweep.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { Stream } from '../support/service/event-streams.js';
import { type TestService, useService } from '../support/service/harness.js';
import { anotherSession, Browser, newPerson, PASSWORD } from '../support/service/people.js';
import { assertRefused } from '../support/service/posts.js';

const ME = '/api/v1/me';
const SESSIONS = '/api/v1/auth/sessions';
const CHANGE = '/api/v1/auth/password';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const signedIn = async (browser: Browser) => (await browser.call('GET', ME)).status === 200;

/** The use of a session is stored in the background. */
async function noted(service: TestService, id: string): Promise<void> {
  for (const began = performance.now(); performance.now() - began < 10_000; ) {
    const { last_seen_at } = await service.app.db.read
      .selectFrom('people')
      .select('last_seen_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (last_seen_at !== null && service.clock.now() - last_seen_at < 60_000) return;
    await new Promise(setImmediate);
  }
  assert.fail('the use of a session was not stored');
}

onEngines('sqlite', 'A session', (engine) => {
  const service = useService(engine);
  const person = async (withPassword = false) =>
    newPerson(service, (await service.newOrganization()).id, 'owner', { withPassword });

  it('refuses what a page of another person asks, and does nothing', async () => {
    const mine = await person();
    const { browser, id } = await person();
    const named = (who: string, method: string, path: string, body?: unknown) =>
      browser.call(method, path, body, { 'x-airdate-person': who });
    assert.equal((await named(id, 'GET', ME)).status, 200);
    assert.equal((await named(id, 'POST', '/api/v1/posts', { title: 'Own' })).status, 201);
    for (const who of [mine.id, '', 'unknown']) {
      const { status, json } = await named(who, 'POST', '/api/v1/posts', { title: 'Of another person' });
      assert.deepEqual([status, json.code], [401, 'unauthorized'], who);
      assert.equal((await named(who, 'GET', ME)).status, 401, who);
    }
    assert.equal((await browser.call('GET', '/api/v1/posts')).json.pagination.total, 1);
  });

  it('ends after 12 hours without a request, and not before', async () => {
    const { browser } = await person();
    service.clock.advance(12 * HOUR_MS - 5_000);
    assert.equal(await signedIn(browser), true);
    const idle = (await person()).browser;
    service.clock.advance(12 * HOUR_MS);
    const { status, json } = await idle.call('GET', ME);
    assert.deepEqual([status, json.code], [401, 'unauthorized']);
  });

  it('is kept alive by requests, but never longer than 14 days', async () => {
    const { id, browser } = await person();
    for (let hours = 0; hours < 14 * 24 - 11; hours += 11) {
      // Only the clock of the test moves: the cache would still be fresh.
      service.app.sessionCache.clear();
      assert.equal(await signedIn(browser), true, `after ${hours} hours`);
      await noted(service, id);
      service.clock.advance(11 * HOUR_MS);
    }
    service.clock.advance(11 * HOUR_MS);
    assert.equal(await signedIn(browser), false);
  });

  it('is not kept alive by an open stream, and ends it', async () => {
    const { browser } = await person();
    const { sessionCache } = service.app;
    const { peek } = sessionCache;
    let looks = 0;
    Object.assign(sessionCache, {
      peek: (token: string) => {
        looks++;
        return peek(token);
      },
    });
    const stream = await Stream.open(service.url, null, { headers: { cookie: browser.cookie as string } });
    try {
      assert.equal(stream.response.status, 200);
      service.clock.advance(11 * HOUR_MS);
      sessionCache.clear();
      const before = looks;
      await until('the stream has checked its session', () => looks > before + 1);
      assert.equal(stream.ended, false);
      service.clock.advance(HOUR_MS);
      sessionCache.clear();
      await stream.untilEnd();
      assert.equal(await signedIn(browser), false);
    } finally {
      Object.assign(sessionCache, { peek });
      stream.close();
    }
  });

  it('is listed to its person with times, address and browser, and no secret', async () => {
    const one = await person();
    const other = await anotherSession(service, one);
    const { json, text } = await one.browser.call('GET', SESSIONS);
    assert.equal(json.data.length, 2);
    const [current] = json.data.filter((session: { current: boolean }) => session.current);
    assert.notEqual(current.id, other.id);
    assert.deepEqual([current.user_agent, current.ip], ['a test', '127.0.0.1']);
    assert.ok(!text.includes(one.browser.token) && !text.includes('hash'));
    const stranger = await person();
    assert.equal((await stranger.browser.call('GET', SESSIONS)).json.data.length, 1);
  });

  it('can be ended only by its person, at once', async () => {
    const one = await person();
    const other = await anotherSession(service, one);
    const colleague = await newPerson(service, one.orgId, 'owner');
    const stranger = await person();
    assert.equal(await signedIn(other.browser), true);
    for (const { browser } of [colleague, stranger])
      assert.equal((await browser.call('DELETE', `${SESSIONS}/${other.id}`)).status, 404);
    assert.equal(await signedIn(other.browser), true);
    assert.equal((await one.browser.call('DELETE', `${SESSIONS}/${other.id}`)).status, 204);
    assert.equal(await signedIn(other.browser), false);
    assert.equal((await one.browser.call('DELETE', `${SESSIONS}/${other.id}`)).status, 404);
    assert.equal(await signedIn(one.browser), true);
  });

  it('ends with a change of the password, unless it made the change', async () => {
    const one = await person(true);
    const other = await anotherSession(service, one);
    assert.equal(await signedIn(other.browser), true);
    const next = `${PASSWORD}, and another`;
    const change = (input: object) => one.browser.call('POST', CHANGE, input);
    assertRefused(await change({ new_password: next }), 'current_password');
    assertRefused(await change({ current_password: 'wrong', new_password: next }), 'current_password');
    assertRefused(await change({ current_password: PASSWORD, new_password: 'short' }), 'new_password');
    assertRefused(await change({ current_password: PASSWORD, new_password: 'qwerty123456' }), 'new_password');
    assert.equal(await signedIn(other.browser), true);
    assert.equal((await change({ current_password: PASSWORD, new_password: next })).status, 204);
    assert.equal(await signedIn(other.browser), false);
    assert.equal(await signedIn(one.browser), true);
    const signIn = (password: string) =>
      new Browser(service.url).call('POST', '/api/v1/auth/sign-in', { email: one.email, password });
    assert.equal((await signIn(PASSWORD)).status, 401);
    assert.equal((await signIn(next)).status, 200);
  });

  it('does not start with a password that was changed while it was being checked', async () => {
    const one = await person(true);
    const { passwords } = service.app;
    const real = passwords.matches;
    let checked = () => {};
    const isChecked = new Promise<void>((resolve) => {
      checked = resolve;
    });
    let goOn = () => {};
    const canContinue = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    Object.assign(passwords, {
      async matches(kept: string | null, password: string) {
        const isRight = await real(kept, password);
        checked();
        await canContinue;
        return isRight;
      },
    });
    const browser = new Browser(service.url);
    const late = browser.call('POST', '/api/v1/auth/sign-in', { email: one.email, password: PASSWORD });
    await isChecked;
    Object.assign(passwords, { matches: real });
    const change = { current_password: PASSWORD, new_password: 'something else altogether' };
    assert.equal((await one.browser.call('POST', CHANGE, change)).status, 204);
    goOn();
    assert.equal((await late).status, 401);
  });

  it('can set a first password without an old one, and only the first', async () => {
    const { browser, email } = await person();
    const input = { new_password: PASSWORD };
    assertRefused(
      await browser.call('POST', CHANGE, { ...input, current_password: 'x' }),
      'current_password',
    );
    assert.equal((await browser.call('GET', ME)).json.data.user.has_password, false);
    assert.equal((await browser.call('POST', CHANGE, input)).status, 204);
    assert.equal((await browser.call('GET', ME)).json.data.user.has_password, true);
    assertRefused(await browser.call('POST', CHANGE, input), 'current_password');
    const signIn = { email, password: PASSWORD };
    assert.equal((await new Browser(service.url).call('POST', '/api/v1/auth/sign-in', signIn)).status, 200);
  });

  it('lets its person change their name, and nothing else', async () => {
    const { browser, email } = await person();
    const { status, json } = await browser.call('PATCH', '/api/v1/auth/profile', { name: 'Ada' });
    assert.deepEqual([status, json.data.user.name, json.data.user.email], [200, 'Ada', email]);
    assertRefused(
      await browser.call('PATCH', '/api/v1/auth/profile', { role: 'owner', email: 'x@y' }),
      'email',
      'role',
    );
    assert.equal((await browser.call('PATCH', '/api/v1/auth/profile', {})).json.data.user.name, 'Ada');
  });

  it('is refused to a key: it has no person', async () => {
    const org = await service.newOrganization();
    const { status, json } = await org.call('GET', SESSIONS);
    assert.deepEqual([status, json.code], [403, 'forbidden']);
  });

  it('that is over is deleted by the sweep, with expired links and invitations', async () => {
    const org = await service.newOrganization();
    const one = await newPerson(service, org.id, 'owner');
    await org.call('POST', '/api/v1/invitations', { role: 'viewer' });
    const count = async (table: 'sessions' | 'invitations') =>
      (await service.app.db.read.selectFrom(table).select('id').where('org_id', '=', org.id).execute())
        .length;
    await sweep(service.app);
    assert.deepEqual([await count('sessions'), await count('invitations')], [1, 1]);
    service.clock.advance(13 * HOUR_MS);
    await anotherSession(service, one);
    await sweep(service.app);
    assert.deepEqual([await count('sessions'), await count('invitations')], [1, 1]);
    service.clock.advance(7 * DAY_MS);
    await sweep(service.app);
    assert.deepEqual([await count('sessions'), await count('invitations')], [0, 0]);
  });

  it('has the limits and the plan of its organization', async () => {
    const org = await service.newOrganization({ plan: 'starter', trial_days: 0 });
    const { browser } = await newPerson(service, org.id, 'owner');
    assert.equal((await browser.call('GET', '/api/v1/analytics')).json.code, 'plan_required');
  });
});
