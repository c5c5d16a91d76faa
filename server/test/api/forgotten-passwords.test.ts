// A forgotten password: asking for a link, a link from a colleague, and what a new password ends.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Mail } from '../../src/app/app.js';
import { MINUTE_MS } from '../../src/core/durations.js';
import { createPersonLink } from '../../src/identity/auth/person-links.js';
import { createResetLink } from '../../src/identity/auth/reset.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type TestService, useService } from '../support/service/harness.js';
import {
  anEmail,
  anotherSession,
  Browser,
  newPerson,
  PASSWORD,
  type TestPerson,
  tokenIn,
} from '../support/service/people.js';
import type { Answer } from '../support/service/send.js';

const FORGOT = '/api/v1/auth/forgot';
const RESET = '/api/v1/auth/reset';
const SIGN_IN = '/api/v1/auth/sign-in';
const ANOTHER = 'a rather different one';
const GONE = [410, 'gone'];

const keyOf = ({ orgId, id }: TestPerson) => ({ org_id: orgId, id });
const codeOf = ({ status, json }: Answer) => [status, json?.code];

async function ownLink({ app }: TestService, person: TestPerson): Promise<string> {
  const link = app.db.transact((tx) => createResetLink(app, tx, keyOf(person), person.id));
  return tokenIn((await link).url);
}

const verify = ({ app }: TestService, { id }: TestPerson) =>
  app.db.transact((tx) =>
    tx.updateTable('people').set({ email_verified_at: 1 }).where('id', '=', id).execute(),
  );

onEngines('both', 'A new password with a link', (engine) => {
  const service = useService(engine);
  const aPerson = async () =>
    newPerson(service, (await service.newOrganization()).id, 'owner', { withPassword: true });
  const visit = (path: string, body: object) => new Browser(service.url).call('POST', path, body);
  const reset = (token: string, new_password = ANOTHER) => visit(RESET, { token, new_password });
  const isSignedIn = async (browser: Browser) => (await browser.call('GET', '/api/v1/me')).status === 200;

  it('ends all sessions, links and tickets, keeps keys and second factors, and signs no one in', async () => {
    const person = await aPerson();
    const { browser, email, orgId: org_id, id: person_id } = person;
    const elsewhere = (await anotherSession(service, person)).browser;
    const { json } = await browser.call('POST', '/api/v1/keys', { name: 'Nightly import' });
    const now = service.clock.now();
    const enter = await service.app.db.transact(async (tx) => {
      await tx
        .insertInto('sign_in_tickets')
        .values({
          hash: 'one',
          org_id,
          person_id,
          password_mark: 'one',
          tries: 0,
          expires_at: now + MINUTE_MS,
        })
        .execute();
      await tx
        .insertInto('person_factors')
        .values({
          org_id,
          id: service.app.newId(),
          person_id,
          kind: 'totp',
          name: 'Phone',
          secret: service.app.seal.seal('a secret', ['a factor']),
          last_step: 0,
          created_at: now,
          confirmed_at: now,
          last_used_at: null,
        })
        .execute();
      const link = { purpose: 'enter', madeBy: null, lastsMs: MINUTE_MS } as const;
      return createPersonLink(service.app, tx, keyOf(person), link);
    });
    const token = await ownLink(service, person);
    const other = await ownLink(service, person);

    const done = await reset(token);
    assert.deepEqual([done.status, done.text, done.headers.get('set-cookie')], [204, '', null], done.text);
    assert.deepEqual([await isSignedIn(browser), await isSignedIn(elsewhere)], [false, false]);
    assert.deepEqual(codeOf(await reset(other)), GONE);
    assert.deepEqual(codeOf(await visit('/api/v1/auth/enter', { token: tokenIn(enter.url) })), GONE);
    const count = async (table: 'person_links' | 'sign_in_tickets' | 'person_factors' | 'sessions') =>
      (
        await service.app.db.read
          .selectFrom(table)
          .select('org_id')
          .where('person_id', '=', person_id)
          .execute()
      ).length;
    assert.deepEqual(
      [await count('person_links'), await count('sign_in_tickets'), await count('sessions')],
      [0, 0, 0],
    );
    assert.equal(await count('person_factors'), 1);
    assert.equal((await service.request('GET', '/api/v1/me', { key: json.data.key })).status, 200);
    assert.equal((await visit(SIGN_IN, { email, password: PASSWORD })).status, 401);
    const audited = await service.app.db.read
      .selectFrom('audit')
      .select(['actor_id', 'details'])
      .where('target_id', '=', person_id)
      .where('action', '=', 'person.password_reset')
      .execute();
    assert.deepEqual(audited, [{ actor_id: person_id, details: '{"sessions_ended":2}' }]);
  });

  it('is what the person signs in with from then on', async () => {
    const person = await aPerson();
    assert.equal((await reset(await ownLink(service, person))).status, 204);
    assert.equal((await visit(SIGN_IN, { email: person.email, password: ANOTHER })).status, 200);
  });

  it('is refused if it is weak, and the link goes on', async () => {
    const token = await ownLink(service, await aPerson());
    for (const weak of ['short', 'qwerty123456']) assert.equal((await reset(token, weak)).status, 400, weak);
    assert.equal((await reset(token)).status, 204);
  });

  it('is refused in the same words, whatever is wrong with the link', async (t) => {
    t.after(() => service.clock.resume());
    const person = await aPerson();
    const used = await ownLink(service, person);
    assert.equal((await reset(used)).status, 204);
    const entering = await service.app.db.transact((tx) =>
      createPersonLink(service.app, tx, keyOf(person), {
        purpose: 'enter',
        madeBy: null,
        lastsMs: MINUTE_MS,
      }),
    );
    const expired = await ownLink(service, person);
    service.clock.advance(30 * MINUTE_MS);
    const never = 'kS3vX9m2bQe7TnYw1LrZ5cHgUd8oJpFa0xVtRi4sMBE';
    const details = new Set<string>();
    for (const token of [used, expired, tokenIn(entering.url), never, 'malformed', '']) {
      const answer = await reset(token);
      assert.deepEqual(codeOf(answer), GONE, token);
      details.add(answer.json.detail);
    }
    assert.equal(details.size, 1);
  });

  it('is refused after the password was changed', async () => {
    const person = await aPerson();
    const token = await ownLink(service, person);
    const change = { current_password: PASSWORD, new_password: 'changed by its person' };
    assert.equal((await person.browser.call('POST', '/api/v1/auth/password', change)).status, 204);
    assert.deepEqual(codeOf(await reset(token)), GONE);
  });

  it('is set once by fifty uses of a link at the same time', async () => {
    const person = await aPerson();
    const token = await ownLink(service, person);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => reset(token, `the password of number ${n}`)),
    );
    const winners = answers.flatMap(({ status }, n) => (status === 204 ? [n] : []));
    assert.equal(winners.length, 1);
    assert.ok(answers.every(({ status }) => status === 204 || status === 410));
    const password = `the password of number ${winners[0]}`;
    assert.equal((await visit(SIGN_IN, { email: person.email, password })).status, 200);
  });
});

onEngines('both', 'A reset link from a colleague', (engine) => {
  const service = useService(engine);
  const linkFor = (browser: Browser, id: string) => browser.call('POST', `/api/v1/members/${id}/reset-link`);
  const works = async (url: string) => {
    const body = { token: tokenIn(url), new_password: ANOTHER };
    const { status } = await new Browser(service.url).call('POST', RESET, body);
    assert.ok(status === 204 || status === 410, String(status));
    return status === 204;
  };
  async function team() {
    const org = await service.newOrganization();
    const member = (role: 'owner' | 'admin' | 'editor') => newPerson(service, org.id, role);
    return {
      org,
      owner: await member('owner'),
      admin: await member('admin'),
      editor: await member('editor'),
    };
  }

  it('works once, within 24 hours, at the public address', async (t) => {
    t.after(() => service.clock.resume());
    const { owner, editor } = await team();
    const { status, json } = await linkFor(owner.browser, editor.id);
    assert.equal(status, 200);
    assert.ok(json.data.url.startsWith(`${service.app.urls.publicUrl}/reset#`));
    const lastsMs = Date.parse(json.data.expires_at) - service.clock.now();
    assert.ok(lastsMs > 24 * 60 * MINUTE_MS - MINUTE_MS && lastsMs <= 24 * 60 * MINUTE_MS);
    service.clock.advance(24 * 60 * MINUTE_MS - MINUTE_MS);
    assert.deepEqual([await works(json.data.url), await works(json.data.url)], [true, false]);
  });

  it('is made by admins and owners, and for an owner only by an owner', async () => {
    const { org, owner, admin, editor } = await team();
    const stranger = await team();
    const path = `/api/v1/members/${editor.id}/reset-link`;
    assert.deepEqual(codeOf(await org.call('POST', path)), [403, 'forbidden']);
    assert.equal((await linkFor(admin.browser, editor.id)).status, 200);
    assert.equal((await linkFor(admin.browser, admin.id)).status, 200);
    assert.deepEqual(codeOf(await linkFor(admin.browser, owner.id)), [403, 'forbidden']);
    assert.equal((await linkFor(owner.browser, owner.id)).status, 200);
    assert.deepEqual(codeOf(await linkFor(editor.browser, editor.id)), [403, 'insufficient_scope']);
    assert.deepEqual(codeOf(await linkFor(stranger.owner.browser, editor.id)), [404, 'not_found']);
  });

  it('needs a fresh proof', async (t) => {
    t.after(() => service.clock.resume());
    const { owner, editor } = await team();
    service.clock.advance(15 * MINUTE_MS);
    assert.deepEqual(codeOf(await linkFor(owner.browser, editor.id)), [403, 'reauthentication_required']);
  });

  it('is in the audit log, without its token', async () => {
    const { org, owner, editor } = await team();
    const { json } = await linkFor(owner.browser, editor.id);
    const entries = await org.call('GET', '/api/v1/audit');
    const [entry] = entries.json.data;
    assert.deepEqual(
      [entry.action, entry.actor.id, entry.target.id],
      ['member.reset_link_created', owner.id, editor.id],
    );
    assert.ok(!entries.text.includes(tokenIn(json.data.url)));
  });

  it('does not end the links that the person asked for, nor the other way round', async () => {
    const { owner, admin, editor } = await team();
    const own = await ownLink(service, editor);
    const [first, second] = [
      await linkFor(owner.browser, editor.id),
      await linkFor(owner.browser, editor.id),
    ];
    const third = await linkFor(admin.browser, editor.id);
    for (let n = 0; n < 3; n++) await ownLink(service, editor);
    assert.equal(await works(first.json.data.url), false, 'the second one ended it');
    const rows = await service.app.db.read
      .selectFrom('person_links')
      .select('made_by')
      .where('person_id', '=', editor.id)
      .execute();
    const makers = rows.map(({ made_by }) => made_by).sort();
    assert.deepEqual(makers, [owner.id, admin.id, editor.id, editor.id, editor.id].sort());
    assert.ok(own !== '' && second.status === 200 && third.status === 200);
  });

  const CHANGES: [
    string,
    (team: { owner: TestPerson; admin: TestPerson; editor: TestPerson }) => Promise<Answer>,
  ][] = [
    [
      'its maker was removed',
      ({ owner, admin }) => owner.browser.call('DELETE', `/api/v1/members/${admin.id}`),
    ],
    [
      'its maker was made an editor',
      ({ owner, admin }) => owner.browser.call('PATCH', `/api/v1/members/${admin.id}`, { role: 'editor' }),
    ],
    [
      'the member became an owner',
      ({ owner, editor }) => owner.browser.call('PATCH', `/api/v1/members/${editor.id}`, { role: 'owner' }),
    ],
  ];
  for (const [what, change] of CHANGES)
    it(`is worth nothing once ${what}`, async () => {
      const people = await team();
      const { json } = await linkFor(people.admin.browser, people.editor.id);
      assert.ok((await change(people)).status < 300);
      assert.equal(await works(json.data.url), false);
    });
});

onEngines('sqlite', 'Asking for a link', (engine) => {
  const service = useService(engine);
  const ask = (email: unknown, headers: Record<string, string> = {}) =>
    service.request('POST', FORGOT, { body: { email }, headers });
  async function aTeam() {
    const org = await service.newOrganization();
    const [verified, unverified] = [
      await newPerson(service, org.id, 'owner'),
      await newPerson(service, org.id, 'owner'),
    ];
    await verify(service, verified);
    return { verified, unverified };
  }
  const withMail = (mail: Mail | null) => Object.assign(service.app, { mail });

  it('answers with the same bytes for every address, and mails only a verified one', async (t) => {
    t.after(() => withMail(null));
    const { verified, unverified } = await aTeam();
    const asked = [verified.email, verified.email.toUpperCase(), unverified.email, anEmail(), 'no address'];
    const mailed: string[] = [];
    for (const mail of [null, { sendResetLink: async ({ id }: { id: string }) => void mailed.push(id) }]) {
      withMail(mail);
      const answers = new Set<string>();
      for (const email of asked) {
        const { status, text, headers } = await ask(email);
        const told = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
        answers.add(JSON.stringify([status, text, told]));
      }
      assert.equal(answers.size, 1, [...answers].join('\n'));
      assert.match([...answers].join(), /^\[202,/);
      const state = await service.request('GET', '/api/v1/auth');
      assert.equal(state.json.data.mail, mail !== null);
    }
    await until('both spellings were mailed', () => mailed.length === 2);
    assert.deepEqual(new Set(mailed), new Set([verified.id]));
  });

  it('answers before anything is looked up', async (t) => {
    t.after(() => withMail(null));
    const { verified } = await aTeam();
    let sent = () => {};
    let begun = false;
    withMail({
      sendResetLink: () =>
        new Promise((resolve) => {
          begun = true;
          sent = resolve;
        }),
    });
    assert.equal((await ask(verified.email)).status, 202);
    await until('the mail is being sent', () => begun);
    sent();
  });

  it('takes the address of the link from PUBLIC_URL, whatever the request says', async (t) => {
    t.after(() => withMail(null));
    const { verified } = await aTeam();
    const urls: string[] = [];
    const { app } = service;
    withMail({
      async sendResetLink(person) {
        urls.push((await app.db.transact((tx) => createResetLink(app, tx, person, person.id))).url);
      },
    });
    const foreign = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    assert.equal((await ask(verified.email, foreign)).status, 202);
    await until('the link is made', () => urls.length === 1);
    assert.ok(urls[0]?.startsWith(`${app.urls.publicUrl}/reset#`), urls[0]);
  });

  it('refuses an address that is not text', async () => {
    const { verified } = await aTeam();
    for (const email of [[verified.email], { $ne: '' }, 7, null, '', 'x'.repeat(255)])
      assert.deepEqual(codeOf(await ask(email)), [400, 'validation_failed'], JSON.stringify(email));
  });

  it('logs a mail that was not sent, without the address', async (t) => {
    t.after(() => withMail(null));
    const { verified } = await aTeam();
    const warned = t.mock.method(service.app.log, 'warn', () => {});
    withMail({ sendResetLink: async () => Promise.reject(new Error('no connection')) });
    assert.equal((await ask(verified.email)).status, 202);
    await until('it is logged', () => warned.mock.callCount() === 1);
    assert.ok(!JSON.stringify(warned.mock.calls[0]?.arguments).includes(verified.email));
  });
});

onEngines('sqlite', 'The limits on asking for a link', (engine) => {
  const service = useService(engine, { env: { RATE_LIMIT: 'on', TRUST_PROXY: 'loopback' } });
  const ask = async (email: string, network: number) => {
    const headers = { 'x-forwarded-for': `203.0.${network}.7` };
    return service.request('POST', FORGOT, { body: { email }, headers });
  };

  it('are three an hour for an address, known or not, from anywhere', async (t) => {
    const now = Date.now();
    const time = t.mock.method(Date, 'now', () => now);
    const person = await newPerson(service, (await service.newOrganization()).id, 'owner');
    const answers = [];
    for (const email of [person.email, anEmail()]) {
      for (let n = 0; n < 3; n++) assert.equal((await ask(email, 10 + n)).status, 202);
      const refused = await ask(email.toUpperCase(), 14);
      assert.deepEqual(codeOf(refused), [429, 'rate_limited']);
      answers.push([refused.json.detail, refused.headers.get('retry-after')]);
    }
    assert.deepEqual(answers[0], answers[1]);
    time.mock.mockImplementation(() => now + 59 * MINUTE_MS);
    assert.equal((await ask(person.email, 15)).status, 429);
    time.mock.mockImplementation(() => now + 60 * MINUTE_MS);
    assert.equal((await ask(person.email, 15)).status, 202);
  });

  it('are twenty an hour from a network', async (t) => {
    const now = Date.now() + 120 * MINUTE_MS;
    t.mock.method(Date, 'now', () => now);
    for (let n = 0; n < 20; n++) assert.equal((await ask(anEmail(), 20)).status, 202);
    const person = anEmail();
    assert.equal((await ask(person, 20)).status, 429);
    // The refused request does not count against the address.
    for (let n = 0; n < 3; n++) assert.equal((await ask(person, 21 + n)).status, 202);
  });
});
