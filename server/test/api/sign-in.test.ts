import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type TestService, useService } from '../support/service/harness.js';
import { anEmail, Browser, newPerson, PASSWORD } from '../support/service/people.js';
import { type Answer, send } from '../support/service/send.js';

const SIGN_IN = '/api/v1/auth/sign-in';
const SIGN_OUT = '/api/v1/auth/sign-out';
const ME = '/api/v1/me';

const flagsOf = ({ headers }: Answer) =>
  (headers.get('set-cookie') ?? '')
    .split('; ')
    .slice(1)
    .filter((flag) => !flag.startsWith('Max-Age'))
    .sort();

onEngines('sqlite', 'POST /api/v1/auth/sign-in', (engine) => {
  const service = useService(engine);
  const person = async (role: 'owner' | 'editor' = 'owner') =>
    newPerson(service, (await service.newOrganization()).id, role, { withPassword: true });

  it('returns the person and sets a cookie that no script can read and no other site can send', async () => {
    const { id, email } = await person('editor');
    const browser = new Browser(service.url);
    const answer = await browser.call('POST', SIGN_IN, { email: email.toUpperCase(), password: PASSWORD });
    assert.equal(answer.status, 200);
    assert.deepEqual([answer.json.data.user.id, answer.json.data.role], [id, 'editor']);
    assert.deepEqual(flagsOf(answer), ['HttpOnly', 'Path=/', 'SameSite=Lax']);
    assert.match(answer.headers.get('set-cookie') ?? '', /Max-Age=1209600(;|$)/);
    assert.equal((await browser.call('GET', ME)).json.data.user.id, id);
  });

  it('answers a wrong password and an unknown email with the same words', async () => {
    const { email } = await person();
    const noPassword = await newPerson(service, (await service.newOrganization()).id, 'owner');
    const tries = [
      { email, password: `${PASSWORD}!` },
      { email: anEmail(), password: PASSWORD },
      { email: noPassword.email, password: PASSWORD },
      { email: 'no email at all', password: 'x' },
    ].map((input) => new Browser(service.url).call('POST', SIGN_IN, input));
    const answers = await Promise.all(tries);
    for (const { status, json, headers } of answers) {
      assert.deepEqual([status, json.code, json.detail], [401, 'unauthorized', answers[0]?.json.detail]);
      assert.equal(headers.get('set-cookie'), null);
    }
  });

  it('takes as long for an unknown email: each try computes one hash', async () => {
    const { email } = await person();
    const { passwords } = service.app;
    const real = passwords.matches;
    const looks: (string | null)[] = [];
    Object.assign(passwords, {
      matches: (kept: string | null, password: string) => {
        looks.push(kept);
        return real(kept, password);
      },
    });
    try {
      for (const name of [email, anEmail()])
        await new Browser(service.url).call('POST', SIGN_IN, { email: name, password: 'not the right one' });
      assert.equal(looks.length, 2);
      assert.match(looks[0] ?? '', /^\$argon2id\$/);
      // Without a stored hash, a dummy hash is compared.
      assert.equal(looks[1], null);
    } finally {
      Object.assign(passwords, { matches: real });
    }
  });

  it('checks one password at a time first where its person is signed in: many at once come like any others', async () => {
    const { email } = await person();
    await new Browser(service.url).call('POST', SIGN_IN, { email, password: PASSWORD });
    const { passwords } = service.app;
    const real = passwords.matches;
    const standings: (string | undefined)[] = [];
    let release = () => {};
    const allAreThere = new Promise<void>((resolve) => {
      release = resolve;
    });
    Object.assign(passwords, {
      matches: async (...given: Parameters<typeof real>) => {
        if (standings.push(given[2]) === 8) release();
        await allAreThere;
        return real(...given);
      },
    });
    try {
      const wrong = { email, password: 'not the right one' };
      await Promise.all(
        Array.from({ length: 8 }, () => new Browser(service.url).call('POST', SIGN_IN, wrong)),
      );
      assert.equal(standings.filter((standing) => standing === 'familiar').length, 1);
    } finally {
      Object.assign(passwords, { matches: real });
    }
  });

  it('never adopts an existing cookie, and gives a new id at each sign-in', async () => {
    const { email } = await person();
    const planted = 'A'.repeat(43);
    const browser = new Browser(service.url, `airdate=${planted}`);
    assert.equal((await browser.call('POST', SIGN_IN, { email, password: PASSWORD })).status, 200);
    const first = browser.token;
    assert.notEqual(first, planted);
    assert.equal((await new Browser(service.url, `airdate=${planted}`).call('GET', ME)).status, 401);
    assert.equal((await browser.call('POST', SIGN_IN, { email, password: PASSWORD })).status, 200);
    assert.notEqual(browser.token, first);
    // The browser's earlier session is over.
    assert.equal((await new Browser(service.url, `airdate=${first}`).call('GET', ME)).status, 401);
  });

  it('ends by signing out, at once and for good', async () => {
    const { browser } = await person();
    const { cookie } = browser;
    const answer = await browser.call('POST', SIGN_OUT);
    assert.equal(answer.status, 204);
    assert.match(answer.headers.get('set-cookie') ?? '', /^airdate=; .*Max-Age=0/);
    assert.equal(browser.cookie, null);
    const again = new Browser(service.url, cookie);
    const { status, json } = await again.call('GET', ME);
    assert.deepEqual([status, json.code], [401, 'unauthorized']);
    assert.equal((await again.call('POST', SIGN_OUT)).status, 401);
    assert.equal((await again.call('GET', '/api/v1/auth')).json.data.signed_in, false);
  });

  it('identifies a caller by the key if there is one, whatever cookie is beside it', async () => {
    const org = await service.newOrganization();
    const { browser } = await newPerson(service, (await service.newOrganization()).id, 'owner');
    for (const cookie of [browser.cookie as string, 'airdate=x', 'other=1; airdate=; more=2']) {
      const { status, json } = await send('GET', service.url + ME, { key: org.key, headers: { cookie } });
      assert.deepEqual([status, json.data.via, json.data.organization.id], [200, 'key', org.id]);
      const post = { key: org.key, headers: { cookie }, body: { title: 'By the key' } };
      assert.equal((await send('POST', `${service.url}/api/v1/posts`, post)).status, 201);
      const wrong = { key: `${org.key}x`, headers: { cookie } };
      assert.equal((await send('GET', service.url + ME, wrong)).status, 401);
    }
    // Without a key, the scheme alone does not let the cookie decide.
    const keyless = { authorization: 'Bearer', cookie: browser.cookie as string };
    assert.equal((await send('GET', service.url + ME, { headers: keyless })).status, 401);
    // A proxy in front may ask for a password of its own.
    const basic = { authorization: 'Basic YTpi', cookie: browser.cookie as string };
    assert.equal((await send('GET', service.url + ME, { headers: basic })).json.data.via, 'session');
    const elsewhere = { cookie: 'theme=dark; airdate2=x' };
    assert.equal((await send('GET', service.url + ME, { key: org.key, headers: elsewhere })).status, 200);
    const among = { cookie: `theme=dark; ${browser.cookie}; x=y` };
    assert.equal((await send('GET', service.url + ME, { headers: among })).json.data.via, 'session');
  });

  it('refuses any cookie that is not a session', async () => {
    for (const value of ['', 'x', 'A'.repeat(43), '../..', '%00', 'é', 'A'.repeat(5000)])
      assert.equal(
        (await send('GET', service.url + ME, { headers: { cookie: `airdate=${encodeURI(value)}` } })).status,
        401,
        value,
      );
  });

  it('describes a key with the same fields', async () => {
    const org = await service.newOrganization();
    const { json } = await org.call('GET', ME);
    assert.deepEqual([json.data.via, json.data.user, json.data.role], ['key', null, null]);
    assert.match(json.data.key_id, /^[0-9a-f-]{36}$/);
  });

  it('survives 200 at the same time: two hashes at once, a bounded queue, and the rest is refused', async () => {
    const { email } = await person();
    await new Browser(service.url).call('POST', SIGN_IN, { email, password: PASSWORD });
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 20);
    const tries = Array.from({ length: 200 }, (_, i) =>
      new Browser(service.url).call('POST', SIGN_IN, {
        email,
        password: i % 2 ? PASSWORD : 'not the right one',
      }),
    );
    const answers = await Promise.all(tries).finally(() => clearInterval(watch));
    const expected = answers.map(({ status }, i) => (status === 503 ? 503 : i % 2 ? 200 : 401));
    assert.deepEqual(
      answers.map(({ status }) => status),
      expected,
    );
    const sentAway = answers.filter(({ status }) => status === 503);
    // An address that has failed often has 40 places in the queue; on a busy machine all come before the first hash is ready.
    assert.ok(sentAway.length <= 200 - 40, `${sentAway.length} were refused`);
    for (const { headers } of sentAway) assert.equal(headers.get('retry-after'), '1');
    // All at the same time they would take 200 × 19 MiB. Most of the limit is for the 200 requests of the test itself.
    assert.ok(most - before < 150e6, `${Math.round((most - before) / 1e6)} MB more`);
  });
});

onEngines('sqlite', 'Signing in behind TLS', (engine) => {
  const PUBLIC_URL = 'https://airdate.example.com';
  const service = useService(engine, { env: { PUBLIC_URL } });

  it('binds the cookie to TLS and to this host, by its name', async () => {
    const org = await service.newOrganization();
    const { email } = await newPerson(service, org.id, 'owner', { withPassword: true });
    const headers = { origin: PUBLIC_URL, 'x-airdate': 'dashboard' };
    const post = (path: string, body: unknown, more = {}) =>
      send('POST', service.url + path, { body, headers: { ...headers, ...more } });
    const answer = await post(SIGN_IN, { email, password: PASSWORD });
    assert.equal(answer.status, 200);
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] as string;
    assert.match(cookie, /^__Host-airdate=[\w-]{43}$/);
    assert.deepEqual(flagsOf(answer), ['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure']);
    assert.equal((await send('GET', service.url + ME, { headers: { cookie } })).status, 200);
    // A man in the middle could have set a cookie with the bare name.
    const bare = { cookie: cookie.replace('__Host-', '') };
    assert.equal((await send('GET', service.url + ME, { headers: bare })).status, 401);
    // A page without TLS is a foreign origin, even on the same host.
    const { host } = new URL(service.url);
    const plain = await post('/api/v1/posts', { title: 'x' }, { cookie, origin: `http://${host}` });
    assert.equal(plain.status, 403);
    assert.equal((await post('/api/v1/posts', { title: 'x' }, { cookie })).status, 201);
    const out = await post(SIGN_OUT, undefined, { cookie });
    assert.match(out.headers.get('set-cookie') ?? '', /^__Host-airdate=; Path=\/; Max-Age=0; .*Secure/);
  });
});

onEngines('sqlite', 'Guessing a password', (engine) => {
  const service = useService(engine, { env: { RATE_LIMIT: 'on' } });

  it('is limited to five tries a minute per account and address, even for the right password', async () => {
    const org = await service.newOrganization();
    const [one, other] = [
      await newPerson(service, org.id, 'owner', { withPassword: true }),
      await newPerson(service, org.id, 'owner', { withPassword: true }),
    ];
    const attempt = (email: string, password: string) =>
      new Browser(service.url).call('POST', SIGN_IN, { email, password });
    for (let i = 0; i < 5; i++) assert.equal((await attempt(one.email, `guess number ${i}`)).status, 401);
    for (const email of [one.email, one.email.toUpperCase()]) {
      const { status, json, headers } = await attempt(email, PASSWORD);
      assert.deepEqual([status, json.code], [429, 'rate_limited']);
      const seconds = Number(headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= 60, `${seconds} s`);
    }
    assert.equal((await attempt(other.email, PASSWORD)).status, 200);
    // A client cannot claim another address.
    const spoofed = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };
    const { status } = await new Browser(service.url).call(
      'POST',
      SIGN_IN,
      { email: one.email, password: PASSWORD },
      spoofed,
    );
    assert.equal(status, 429);
  });

  it('is limited for a signed-in person too, when they change it', async () => {
    const org = await service.newOrganization();
    const { browser } = await newPerson(service, org.id, 'owner', { withPassword: true });
    const change = (current_password: string) =>
      browser.call('POST', '/api/v1/auth/password', { current_password, new_password: `${PASSWORD} two` });
    for (let i = 0; i < 5; i++) assert.equal((await change(`guess ${i}`)).status, 400);
    assert.equal((await change(PASSWORD)).status, 429);
  });

  it('has a wider limit per address, for all accounts together', async () => {
    const enter = () => new Browser(service.url).call('POST', '/api/v1/auth/enter', { token: 'x' });
    const statuses = new Set<number>();
    for (let i = 0; i < 110; i++) statuses.add((await enter()).status);
    assert.deepEqual([...statuses].sort(), [410, 429]);
  });
});

onEngines('sqlite', 'Signing in behind a proxy', (engine) => {
  const tries = async (service: TestService, count: number, from: (n: number) => string) => {
    const email = anEmail();
    const statuses: number[] = [];
    for (let n = 0; n < count; n++) {
      const headers = { 'x-forwarded-for': from(n) };
      const body = { email, password: 'not the right one' };
      statuses.push((await send('POST', service.url + SIGN_IN, { body, headers })).status);
    }
    return statuses;
  };
  const RATE_LIMIT = 'on';
  const trusting = useService(engine, { env: { RATE_LIMIT, TRUST_PROXY: 'loopback' } });
  const alone = useService(engine, { env: { RATE_LIMIT } });

  it('counts tries by the address that a trusted proxy reports, not by the one that the visitor claims', async () => {
    assert.deepEqual(await tries(trusting, 6, (n) => `203.0.113.${n}`), Array(6).fill(401));
    const one = await tries(trusting, 6, (n) => `198.51.100.${n}, 192.0.2.7`);
    assert.deepEqual(one, [401, 401, 401, 401, 401, 429]);
  });

  it('a right password from a new network is checked at once, while guesses from others wait; who leaves gives the place back', async () => {
    const { id } = await trusting.newOrganization();
    const { email } = await newPerson(trusting, id, 'owner', { withPassword: true });
    const account = hash('sha256', email, 'hex');
    const guessers = Array.from({ length: 11 }, (_, n) => `198.51.100.${100 + n}`);
    // So often that each waits for half a minute.
    for (const network of guessers)
      for (let n = 0; n < 9; n++) trusting.app.state.signIns.failed(account, network);
    const leave = new AbortController();
    const guess = (network: string) =>
      fetch(trusting.url + SIGN_IN, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': network },
        body: JSON.stringify({ email, password: 'not the right one' }),
        signal: leave.signal,
      });
    const waiting = guessers.slice(0, 10).map((network) => assert.rejects(guess(network)));
    await until('ten of them wait', () => trusting.app.state.signIns.waitingFor(account) === 10);
    assert.equal((await guess(guessers[10] as string)).status, 429);
    const headers = { 'x-forwarded-for': '203.0.113.77' };
    const body = { email, password: PASSWORD };
    assert.equal((await send('POST', trusting.url + SIGN_IN, { body, headers })).status, 200);
    leave.abort();
    await Promise.all(waiting);
    await until('the places are free again', () => trusting.app.state.signIns.waitingFor(account) === 0);
  });

  it('trusts no proxy that is not named in TRUST_PROXY', async () => {
    const forged = await tries(alone, 6, (n) => `203.0.113.${n}`);
    assert.deepEqual(forged, [401, 401, 401, 401, 401, 429]);
  });
});
