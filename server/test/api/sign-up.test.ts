import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createOrganization } from '../../src/identity/organizations/organizations.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { startTestService, type TestService, useService } from '../support/service/harness.js';
import { anEmail, Browser, newPerson, PASSWORD } from '../support/service/people.js';
import { assertRefused } from '../support/service/posts.js';
import type { Answer } from '../support/service/send.js';

const SIGN_UP = '/api/v1/auth/sign-up';
const someone = () => ({
  name: 'Ada Byron',
  email: anEmail(),
  password: PASSWORD,
  organization_name: 'The Map Folders',
});

/** Without an operator. */
const UNMANAGED = { env: { ADMIN_TOKEN: '' } };

onEngines('sqlite', 'POST /api/v1/auth/sign-up', (engine) => {
  it('makes the first visitor the owner of an organization in its trial, and signs them in', async () => {
    const service = await startTestService(engine, UNMANAGED);
    try {
      const browser = new Browser(service.url);
      const entrance = async () => (await browser.call('GET', '/api/v1/auth')).json.data;
      assert.deepEqual(await entrance(), { signed_in: false, sign_up: 'first', mail: false });
      const input = someone();
      const { status, json, headers } = await browser.call('POST', SIGN_UP, input);
      assert.equal(status, 201);
      const { organization, in_trial, via, key_id, user, role, scopes, platform } = json.data;
      assert.deepEqual(
        [organization.name, organization.plan, in_trial],
        ['The Map Folders', 'starter', true],
      );
      const days = (Date.parse(organization.trial_ends_at) - service.clock.now()) / 86_400_000;
      assert.ok(Math.abs(days - 14) < 0.01, `${days} days of trial`);
      assert.deepEqual([via, key_id, role], ['session', null, 'owner']);
      assert.deepEqual(
        { ...user, id: '' },
        {
          id: '',
          name: 'Ada Byron',
          email: input.email,
          email_verified: false,
          has_password: true,
          has_second_factor: false,
          time_format: null,
        },
      );
      assert.equal(scopes.length, 6);
      assert.deepEqual(platform, { is_sandbox: true, feed_url: '/sandbox/' });
      assert.match(headers.get('set-cookie') ?? '', /^airdate=[\w-]{43};/);
      assert.deepEqual(await entrance(), { signed_in: true, sign_up: 'closed', mail: false });
      assert.equal((await browser.call('GET', '/api/v1/posts')).status, 200);

      const late = await new Browser(service.url).call('POST', SIGN_UP, someone());
      assert.deepEqual([late.status, late.json.code], [403, 'forbidden']);
      assert.equal(late.headers.get('set-cookie'), null);
    } finally {
      await service.stop();
    }
  });

  it('lets exactly one of many concurrent visitors be the first', async () => {
    const service = await startTestService(engine, UNMANAGED);
    try {
      const tries = Array.from({ length: 12 }, () =>
        new Browser(service.url).call('POST', SIGN_UP, someone()),
      );
      const answers = await Promise.all(tries);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [
        201,
        ...Array.from({ length: 11 }, () => 403),
      ]);
      for (const table of ['people', 'organizations', 'sessions'] as const)
        assert.equal((await service.app.db.read.selectFrom(table).selectAll().execute()).length, 1, table);
    } finally {
      await service.stop();
    }
  });

  it('is closed where an operator manages the installation', async () => {
    const refused = async (service: TestService, what: string) => {
      const browser = new Browser(service.url);
      assert.equal((await browser.call('GET', '/api/v1/auth')).json.data.sign_up, 'closed', what);
      const { status, json } = await browser.call('POST', SIGN_UP, someone());
      assert.deepEqual([status, json.code], [403, 'forbidden'], what);
    };
    const withToken = await startTestService(engine);
    const without = await startTestService(engine, UNMANAGED);
    try {
      await refused(withToken, 'with ADMIN_TOKEN');
      const make = (name: string) =>
        without.app.db.transact((tx) => createOrganization(without.app, tx, { name, plan: 'starter' }));
      await make('Demo organization');
      const { json } = await new Browser(without.url).call('GET', '/api/v1/auth');
      assert.equal(json.data.sign_up, 'first', 'the demo organization does not count');
      await make('Made by the operator');
      await refused(without, 'with an organization, but without people');
    } finally {
      await withToken.stop();
      await without.stop();
    }
  });

  const service = useService(engine, { env: { SIGNUP: 'open' } });

  it('stays open with SIGNUP=open, for every visitor with an unused email', async () => {
    const first = someone();
    const sign = (input: object): Promise<Answer> => new Browser(service.url).call('POST', SIGN_UP, input);
    const one = await sign(first);
    const other = await sign(someone());
    assert.deepEqual([one.status, other.status], [201, 201]);
    assert.notEqual(one.json.data.organization.id, other.json.data.organization.id);
    assert.equal((await sign({ ...first, email: first.email.toUpperCase() })).json.code, 'email_taken');
    const same = someone();
    const twins = await Promise.all([sign(same), sign(same), sign(same)]);
    assert.deepEqual(twins.map(({ status }) => status).sort(), [201, 409, 409]);
    const { json } = await new Browser(service.url).call('GET', '/api/v1/auth');
    assert.equal(json.data.sign_up, 'open');
  });

  it('refuses passwords of less than 12 or more than 128 characters, and invalid emails', async () => {
    const sign = (input: object) =>
      new Browser(service.url).call('POST', SIGN_UP, { ...someone(), ...input });
    assertRefused(await sign({ password: 'x'.repeat(11) }), 'password');
    assertRefused(await sign({ password: 'x'.repeat(129) }), 'password');
    assertRefused(await sign({ password: 'Password2026!' }), 'password');
    for (const email of [
      '',
      'ada',
      'ada@',
      '@example.com',
      'a b@example.com',
      `${'x'.repeat(255)}@example.com`,
    ])
      assertRefused(await sign({ email }), 'email');
    assertRefused(await sign({ name: '' }), 'name');
    assertRefused(await sign({ role: 'owner' }), 'role');
    for (const password of [
      '😀😁😂🤣😃😄😅😆😉😊😋😎',
      'seven words '.repeat(11).slice(0, 128),
      ' a b c d e f',
    ])
      assert.equal((await sign({ password })).status, 201);
  });

  it('stores the password as argon2id with the documented parameters, and the session as a hash', async () => {
    const browser = new Browser(service.url);
    const { json } = await browser.call('POST', SIGN_UP, someone());
    const person = await service.app.db.read
      .selectFrom('people')
      .selectAll()
      .where('id', '=', json.data.user.id)
      .executeTakeFirstOrThrow();
    assert.match(person.password_hash ?? '', /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const sessions = JSON.stringify(await service.app.db.read.selectFrom('sessions').selectAll().execute());
    assert.ok(!sessions.includes(browser.token) && browser.token.length === 43);
  });

  it('is closed once a person was invited', async () => {
    const closed = await startTestService(engine);
    try {
      await newPerson(closed, (await closed.newOrganization()).id, 'viewer');
      assert.equal((await new Browser(closed.url).call('POST', SIGN_UP, someone())).status, 403);
    } finally {
      await closed.stop();
    }
  });
});
