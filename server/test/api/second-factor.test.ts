// Authenticator apps and recovery codes: enrolled with a proof, asked for at sign-in, each code for one use.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { beforeEach, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../src/core/durations.js';
import { createEntryLink } from '../../src/identity/auth/entry-links.js';
import { createResetLink } from '../../src/identity/auth/reset.js';
import { onEngines } from '../support/runner/test-tiers.js';
import {
  addFactor,
  addRecoveryCodes,
  codeNow,
  fromBase32,
  removeFactors,
  ticketOf,
} from '../support/service/factors.js';
import { useService } from '../support/service/harness.js';
import { Browser, newPerson, PASSWORD, type TestPerson, tokenIn } from '../support/service/people.js';
import type { Answer } from '../support/service/send.js';

const FACTORS = '/api/v1/auth/factors';
const SECOND = '/api/v1/auth/second-factor';
const CONFIRM = '/api/v1/auth/confirm';
const SIGN_IN = '/api/v1/auth/sign-in';

const asked = ({ status, json }: Answer) => [status, json?.code];
const NOT_PROVED = [403, 'reauthentication_required'];
const from = (address: string) => ({ 'x-forwarded-for': address });

onEngines('both', 'A second factor', (engine) => {
  const service = useService(engine, { env: { TRUST_PROXY: 'loopback' } });
  // Codes change every 30 seconds, but not in the middle of a test.
  beforeEach(() => service.clock.stopAt(Date.now()));
  const newBrowser = () => new Browser(service.url);

  async function newMember(role: 'owner' | 'viewer' = 'owner'): Promise<TestPerson> {
    const org = await service.newOrganization();
    return newPerson(service, org.id, role, { withPassword: true });
  }
  async function withFactor(): Promise<TestPerson & { factor: string }> {
    const person = await newMember();
    return { ...person, factor: await addFactor(service, person) };
  }
  const ticket = (person: TestPerson) => ticketOf({ email: person.email, browser: newBrowser() });
  const sendCode = (given: string, code: string, address = '127.0.0.1', browser = newBrowser()) =>
    browser.call('POST', SECOND, { ticket: given, code }, from(address));
  /** Not the code of now, nor of the steps around it. */
  function wrongCode(): string {
    const right = [-2, -1, 0, 1, 2].map((off) => codeNow(service.app, undefined, off));
    for (;;) {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      if (!right.includes(code)) return code;
    }
  }
  const sessionsOf = ({ id }: TestPerson) =>
    service.app.db.read.selectFrom('sessions').select('proof').where('person_id', '=', id).execute();

  it('is added in two steps, with recovery codes that are shown once', async () => {
    const { browser, email } = await newMember();
    const created = await browser.call('POST', FACTORS, { name: 'My phone' });
    assert.equal(created.status, 201, created.text);
    const { id, secret, otpauth_url } = created.json.data;
    assert.equal(new URL(otpauth_url).searchParams.get('secret'), secret);
    assert.deepEqual((await browser.call('GET', FACTORS)).json.data, []);
    assert.equal((await newBrowser().call('POST', SIGN_IN, { email, password: PASSWORD })).status, 200);

    const path = `${FACTORS}/${id}/confirm`;
    const wrong = await browser.call('POST', path, { code: '000000' });
    assert.deepEqual([wrong.status, wrong.json.errors?.[0].pointer], [400, '/code'], wrong.text);
    const code = codeNow(service.app, fromBase32(secret));
    const confirmed = await browser.call('POST', path, { code: `${code.slice(0, 3)} ${code.slice(3)}` });
    assert.equal(confirmed.status, 200, confirmed.text);
    const { recovery_codes } = confirmed.json.data;
    assert.equal(new Set(recovery_codes).size, 10);
    for (const each of recovery_codes) assert.match(each, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    assert.equal((await browser.call('POST', path, { code })).status, 404);

    const { data, recovery_codes_left } = (await browser.call('GET', FACTORS)).json;
    assert.deepEqual(
      data.map(({ id, name, kind }: Record<string, string>) => [id, name, kind]),
      [[id, 'My phone', 'totp']],
    );
    assert.equal(recovery_codes_left, 10);
    const { user } = (await browser.call('GET', '/api/v1/me')).json.data;
    assert.equal(user.has_second_factor, true);
  });

  it('is not stored in the clear, and neither are recovery codes', async () => {
    const person = await newMember();
    const { json } = await person.browser.call('POST', FACTORS, {});
    const { secret } = await service.app.db.read
      .selectFrom('person_factors')
      .select('secret')
      .where('person_id', '=', person.id)
      .executeTakeFirstOrThrow();
    const raw = fromBase32(json.data.secret);
    for (const form of [json.data.secret, raw.toString('base64url'), raw.toString('hex')])
      assert.ok(!secret.includes(form));
    const [code = ''] = await addRecoveryCodes(service, person);
    const rows = await service.app.db.read.selectFrom('recovery_codes').selectAll().execute();
    assert.ok(!JSON.stringify(rows).includes(code.replaceAll('-', '')));
  });

  it('is asked for after the password: no cookie until the code is right', async () => {
    const person = await withFactor();
    await addRecoveryCodes(service, person);
    const browser = newBrowser();
    const answer = await browser.call('POST', SIGN_IN, { email: person.email, password: PASSWORD });
    assert.equal(answer.status, 202, answer.text);
    assert.equal(answer.headers.get('set-cookie'), null);
    const { ticket, methods, expires_at } = answer.json.data;
    assert.deepEqual(methods, ['totp', 'recovery_code']);
    assert.equal(Date.parse(expires_at), Math.floor((service.clock.now() + 5 * MINUTE_MS) / 1000) * 1000);
    assert.equal((await browser.call('GET', '/api/v1/me')).status, 401);
    const wrong = await sendCode(ticket, wrongCode());
    assert.deepEqual(asked(wrong), [401, 'unauthorized']);
    assert.equal(wrong.headers.get('set-cookie'), null);
    const right = await browser.call('POST', SECOND, { ticket, code: codeNow(service.app) });
    assert.equal(right.status, 200, right.text);
    assert.equal(right.json.data.user.id, person.id);
    assert.equal((await browser.call('GET', '/api/v1/me')).status, 200);
    // It proves who signed in.
    assert.equal((await browser.call('POST', '/api/v1/auth/recovery-codes')).status, 200);
  });

  it('is asked for after an entry link, too', async () => {
    const org = await service.newOrganization();
    const person = await newPerson(service, org.id, 'owner');
    await addFactor(service, person);
    const key = { org_id: org.id, id: person.id };
    const url = await service.app.db.transact((tx) => createEntryLink(service.app, tx, key));
    const browser = newBrowser();
    const entered = await browser.call('POST', '/api/v1/auth/enter', { token: tokenIn(url) });
    assert.deepEqual([entered.status, browser.cookie], [202, null], entered.text);
    const { ticket, methods } = entered.json.data;
    assert.deepEqual(methods, ['totp']);
    assert.equal((await sendCode(ticket, codeNow(service.app))).status, 200);
  });

  it('is asked for after the password was reset, too', async () => {
    const person = await withFactor();
    const key = { org_id: person.orgId, id: person.id };
    const link = await service.app.db.transact((tx) => createResetLink(service.app, tx, key, null));
    const waiting = await ticket(person);
    const body = { token: tokenIn(link.url), new_password: 'a rather different one' };
    assert.equal((await newBrowser().call('POST', '/api/v1/auth/reset', body)).status, 204);
    assert.equal((await sendCode(waiting, codeNow(service.app))).status, 410);
    const signIn = { email: person.email, password: body.new_password };
    assert.equal((await newBrowser().call('POST', SIGN_IN, signIn)).status, 202);
  });

  it('takes the code of the step before and after, and refuses those two steps away', async () => {
    for (const [off, status] of [
      [-2, 401],
      [-1, 200],
      [1, 200],
      [2, 401],
    ] as const) {
      const person = await withFactor();
      const answer = await sendCode(await ticket(person), codeNow(service.app, undefined, off));
      assert.equal(answer.status, status, `${off}: ${answer.text}`);
    }
  });

  it('takes a code once, and none that is older than the last one', async () => {
    const person = await withFactor();
    const code = codeNow(service.app);
    assert.equal((await sendCode(await ticket(person), code)).status, 200);
    assert.equal((await sendCode(await ticket(person), code)).status, 401);
    const before = codeNow(service.app, undefined, -1);
    assert.equal((await sendCode(await ticket(person), before)).status, 401);
    assert.equal((await sendCode(await ticket(person), codeNow(service.app, undefined, 1))).status, 200);
  });

  it('begins one session when the same code is used 50 times at once', async () => {
    const person = await withFactor();
    const tickets: string[] = [];
    for (let i = 0; i < 50; i++) tickets.push(await ticket(person));
    const before = (await sessionsOf(person)).length;
    const code = codeNow(service.app);
    const statuses = await Promise.all(tickets.map(async (one) => (await sendCode(one, code)).status));
    assert.deepEqual(
      [
        statuses.filter((status) => status === 200).length,
        statuses.filter((status) => status === 401).length,
      ],
      [1, 49],
    );
    assert.equal((await sessionsOf(person)).length, before + 1);
  });

  it('begins one session when the same ticket is used 50 times at once', async () => {
    const person = await withFactor();
    const given = await ticket(person);
    const code = codeNow(service.app);
    const answers = await Promise.all(Array.from({ length: 50 }, () => sendCode(given, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [
      200,
      ...Array.from({ length: 49 }, () => 410),
    ]);
  });

  it('gives a ticket five tries: the sixth is refused, although its code is right', async () => {
    const person = await withFactor();
    const given = await ticket(person);
    for (let i = 0; i < 5; i++) assert.equal((await sendCode(given, wrongCode())).status, 401);
    assert.deepEqual(asked(await sendCode(given, codeNow(service.app))), [410, 'gone']);
    assert.equal((await sendCode(await ticket(person), codeNow(service.app))).status, 200);
  });

  it('gives a ticket five minutes', async () => {
    const person = await withFactor();
    const given = await ticket(person);
    service.clock.advance(5 * MINUTE_MS);
    assert.deepEqual(asked(await sendCode(given, codeNow(service.app))), [410, 'gone']);
  });

  it('ends tickets when the password changes, and when the person is removed', async () => {
    const person = await withFactor();
    const changed = await ticket(person);
    const body = { current_password: PASSWORD, new_password: 'a rather different one' };
    assert.equal((await person.browser.call('POST', '/api/v1/auth/password', body)).status, 204);
    assert.deepEqual(asked(await sendCode(changed, codeNow(service.app))), [410, 'gone']);

    const leaver = await newPerson(service, person.orgId, 'editor', { withPassword: true });
    await addFactor(service, leaver);
    await addRecoveryCodes(service, leaver);
    const left = await ticket(leaver);
    const removed = await person.browser.call('DELETE', `/api/v1/members/${leaver.id}`);
    assert.equal(removed.status, 204, removed.text);
    assert.deepEqual(asked(await sendCode(left, codeNow(service.app))), [410, 'gone']);
  });

  it('ends a ticket whose password changed in the same moment, by its mark', async () => {
    const person = await withFactor();
    const given = await ticket(person);
    await service.app.db.transact((tx) =>
      tx.updateTable('people').set({ password_hash: 'another' }).where('id', '=', person.id).execute(),
    );
    assert.deepEqual(asked(await sendCode(given, codeNow(service.app))), [410, 'gone']);
  });

  it('takes no code and no recovery code of another person, and no ticket that was never given', async () => {
    const [one, other] = [await withFactor(), await newMember()];
    const { json } = await other.browser.call('POST', FACTORS, {});
    const secret = fromBase32(json.data.secret);
    const confirm = `${FACTORS}/${json.data.id}/confirm`;
    const confirmed = await other.browser.call('POST', confirm, {
      code: codeNow(service.app, secret, -1),
    });
    assert.equal(confirmed.status, 200, confirmed.text);
    const given = await ticket(one);
    const theirs = codeNow(service.app, secret);
    if (theirs !== codeNow(service.app)) assert.equal((await sendCode(given, theirs)).status, 401);
    assert.equal((await sendCode(given, confirmed.json.data.recovery_codes[0])).status, 401);
    for (const unknown of ['x', 'A'.repeat(43), ''])
      assert.deepEqual(asked(await sendCode(unknown, codeNow(service.app))), [410, 'gone']);
    // And an app of one cannot be confirmed, listed or removed by another.
    assert.equal((await other.browser.call('DELETE', `${FACTORS}/${one.factor}`)).status, 404);
  });

  it('can be replaced by a recovery code, once each, in any spelling', async () => {
    const person = await withFactor();
    const [first = '', second = ''] = await addRecoveryCodes(service, person);
    const browser = newBrowser();
    const typed = first.replaceAll('-', ' ').toUpperCase();
    assert.equal((await sendCode(await ticket(person), typed, '127.0.0.1', browser)).status, 200);
    assert.equal((await browser.call('GET', FACTORS)).json.recovery_codes_left, 9);
    assert.equal((await sendCode(await ticket(person), first)).status, 401);
    const tickets = await Promise.all([ticket(person), ticket(person), ticket(person)]);
    const answers = await Promise.all(tickets.map((one) => sendCode(one, second)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
  });

  it('gets new recovery codes, which end the earlier ones', async () => {
    const person = await withFactor();
    const [old = ''] = await addRecoveryCodes(service, person);
    const { json } = await person.browser.call('POST', '/api/v1/auth/recovery-codes');
    assert.equal(json.data.recovery_codes.length, 10);
    assert.equal((await sendCode(await ticket(person), old)).status, 401);
    assert.equal((await sendCode(await ticket(person), json.data.recovery_codes[3])).status, 200);
  });

  it('refuses recovery codes to who has no authenticator app', async () => {
    const { browser } = await newMember();
    const answer = await browser.call('POST', '/api/v1/auth/recovery-codes');
    assert.deepEqual(asked(answer), [409, 'no_second_factor']);
  });

  it('is what a proof needs then: a password is none, not even one given before', async () => {
    const person = await newMember();
    const signedIn = newBrowser();
    const body = { email: person.email, password: PASSWORD };
    assert.equal((await signedIn.call('POST', SIGN_IN, body)).status, 200);
    await addFactor(service, person);
    assert.deepEqual(asked(await signedIn.call('POST', FACTORS, {})), NOT_PROVED);
    const byPassword = await signedIn.call('POST', CONFIRM, { password: PASSWORD });
    assert.deepEqual([byPassword.status, byPassword.json.errors[0].pointer], [400, '/code']);
    const wrong = await signedIn.call('POST', CONFIRM, { code: wrongCode() });
    assert.deepEqual([wrong.status, wrong.json.errors[0].pointer], [400, '/code']);
    assert.deepEqual(asked(await signedIn.call('POST', FACTORS, {})), NOT_PROVED);
    const code = codeNow(service.app);
    assert.equal((await signedIn.call('POST', CONFIRM, { code })).status, 204);
    assert.equal((await signedIn.call('POST', FACTORS, {})).status, 201);
    // The code is spent.
    assert.equal((await signedIn.call('POST', CONFIRM, { code })).status, 400);
  });

  it('cannot be added by who began before there was one, and has only the password', async () => {
    const person = await newMember();
    const thief = newBrowser();
    await thief.call('POST', SIGN_IN, { email: person.email, password: PASSWORD });
    const begun = (await thief.call('POST', FACTORS, {})).json.data;
    await addFactor(service, person);
    const code = codeNow(service.app, fromBase32(begun.secret));
    assert.deepEqual(asked(await thief.call('POST', `${FACTORS}/${begun.id}/confirm`, { code })), NOT_PROVED);
  });

  it('guards the first password of who has none', async () => {
    const org = await service.newOrganization();
    const person = await newPerson(service, org.id, 'owner');
    await addFactor(service, person);
    await service.app.db.transact((tx) =>
      tx.updateTable('sessions').set({ proof: 'link' }).where('person_id', '=', person.id).execute(),
    );
    service.app.sessionCache.clear();
    const answer = await person.browser.call('POST', '/api/v1/auth/password', { new_password: PASSWORD });
    assert.deepEqual(asked(answer), NOT_PROVED);
  });

  it('signs out every other session when it is removed, and then sign-in asks for no code', async () => {
    const person = await withFactor();
    await addRecoveryCodes(service, person);
    const elsewhere = newBrowser();
    await sendCode(await ticket(person), codeNow(service.app), '127.0.0.1', elsewhere);
    const waiting = await ticket(person);
    assert.equal((await person.browser.call('DELETE', `${FACTORS}/${person.factor}`)).status, 204);
    assert.equal((await elsewhere.call('GET', '/api/v1/me')).status, 401);
    assert.equal((await sendCode(waiting, codeNow(service.app))).status, 410);
    const body = { email: person.email, password: PASSWORD };
    assert.equal((await newBrowser().call('POST', SIGN_IN, body)).status, 200);
    const { recovery_codes_left } = (await person.browser.call('GET', FACTORS)).json;
    assert.equal(recovery_codes_left, 0);
  });

  it('has a limit: five apps', async () => {
    const person = await newMember();
    for (let i = 0; i < 5; i++) await addFactor(service, person);
    assert.deepEqual(asked(await person.browser.call('POST', FACTORS, {})), [409, 'limit_reached']);
  });

  it('lets ten wrong codes an hour through, over all tickets, then only networks that were right before', async () => {
    const person = await withFactor();
    const [recovery = ''] = await addRecoveryCodes(service, person);
    const [home, elsewhere, abroad] = ['203.0.113.7', '198.51.100.8', '198.51.100.9'];
    assert.equal(
      (await sendCode(await ticket(person), codeNow(service.app, undefined, -1), home)).status,
      200,
    );
    const guess = async (address: string, code = wrongCode()) =>
      sendCode(await ticket(person), code, address);
    for (let i = 0; i < 10; i++) assert.equal((await guess(elsewhere)).status, 401, String(i));
    const refused = await guess(abroad, codeNow(service.app));
    assert.deepEqual(asked(refused), [429, 'rate_limited']);
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds > 0 && seconds <= 3600, String(seconds));
    // The person is not locked out: neither at home, nor elsewhere with a recovery code.
    assert.equal((await guess(home, codeNow(service.app))).status, 200);
    assert.equal((await guess(abroad, recovery)).status, 200);
    service.clock.advance(HOUR_MS);
    assert.equal((await guess(elsewhere, codeNow(service.app))).status, 200);
  });

  it('lets wrong recovery codes block neither the app nor the right recovery code, and does not count what no code looks like', async () => {
    const person = await withFactor();
    const guess = async (code: string) => sendCode(await ticket(person), code, '198.51.100.8');
    for (let i = 0; i < 12; i++) assert.equal((await guess('12345')).status, 401);
    for (let i = 0; i < 10; i++) assert.equal((await guess('aaaa-bbbb-cccc-dddd')).status, 401);
    const [recovery = ''] = await addRecoveryCodes(service, person);
    assert.equal((await guess('aaaa-bbbb-cccc-dddd')).status, 401);
    assert.equal((await guess(recovery)).status, 200);
    assert.equal((await guess(codeNow(service.app))).status, 200);
  });

  it('counts wrong codes of confirmations together with those of sign-ins', async () => {
    const person = await withFactor();
    for (let i = 0; i < 10; i++)
      assert.equal((await person.browser.call('POST', CONFIRM, { code: wrongCode() })).status, 400);
    assert.equal((await person.browser.call('POST', CONFIRM, { code: codeNow(service.app) })).status, 429);
    assert.equal((await sendCode(await ticket(person), codeNow(service.app), '198.51.100.8')).status, 429);
  });

  it('is recorded in the audit log: wrong codes, and what was used', async () => {
    const person = await withFactor();
    const [recovery = ''] = await addRecoveryCodes(service, person);
    const given = await ticket(person);
    await sendCode(given, wrongCode());
    await sendCode(given, recovery);
    const { data } = (await person.browser.call('GET', '/api/v1/audit')).json;
    assert.deepEqual(
      data.slice(0, 3).map(({ action, details }: { action: string; details: object }) => [action, details]),
      [
        ['person.signed_in', { with: 'recovery_code' }],
        ['person.recovery_code_used', { recovery_codes_left: 9 }],
        ['person.sign_in_failed', { count: 1 }],
      ],
    );
  });
});

onEngines('both', 'An organization that requires a second factor', (engine) => {
  const service = useService(engine);
  beforeEach(() => service.clock.stopAt(Date.now()));
  const REFUSED = [403, 'second_factor_required'];

  it('shows those without one only their own account, also by MCP and in open streams; keys go on', async () => {
    const org = await service.newOrganization();
    const owner = await newPerson(service, org.id, 'owner', { withPassword: true });
    const member = await newPerson(service, org.id, 'admin', { withPassword: true });
    const required = { second_factor: 'required' };
    const without = await owner.browser.call('PATCH', '/api/v1/organization', required);
    assert.deepEqual(asked(without), REFUSED);
    await addFactor(service, owner);

    const stream = await fetch(`${service.url}/api/v1/events`, {
      headers: { ...member.browser.headers, accept: 'text/event-stream' },
    });
    assert.equal(stream.status, 200);
    const changed = await owner.browser.call('PATCH', '/api/v1/organization', required);
    assert.equal(changed.status, 200, changed.text);
    // The stream ends by itself.
    await stream.text();

    for (const [method, path, body] of [
      ['GET', '/api/v1/posts'],
      ['GET', '/api/v1/events'],
      ['GET', '/api/v1/members'],
      ['POST', '/api/v1/keys', { name: 'One more', scopes: ['posts:read'] }],
      ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ] as const)
      assert.deepEqual(asked(await member.browser.call(method, path, body)), REFUSED, path);
    for (const path of ['/api/v1/me', '/api/v1/auth/sessions', FACTORS])
      assert.equal((await member.browser.call('GET', path)).status, 200, path);
    assert.equal((await org.call('GET', '/api/v1/posts')).status, 200);
    assert.equal((await owner.browser.call('GET', '/api/v1/posts')).status, 200);

    const { json } = await member.browser.call('POST', FACTORS, {});
    const code = codeNow(service.app, fromBase32(json.data.secret));
    const confirmed = await member.browser.call('POST', `${FACTORS}/${json.data.id}/confirm`, { code });
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.equal((await member.browser.call('GET', '/api/v1/posts')).status, 200);
    await removeFactors(service, member);
    assert.deepEqual(asked(await member.browser.call('GET', '/api/v1/posts')), REFUSED);
  });
});
