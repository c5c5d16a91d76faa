// Acts that would outlive a stolen session ask a signed-in person for a fresh proof.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MINUTE_MS } from '../../src/core/durations.js';
import { createEntryLink } from '../../src/identity/auth/entry-links.js';
import { STEP_UP } from '../../src/request/access.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  anEmail,
  Browser,
  newPerson,
  PASSWORD,
  type TestPerson,
  tokenIn,
} from '../support/service/people.js';
import type { Answer } from '../support/service/send.js';

const KEYS = '/api/v1/keys';
const CONFIRM = '/api/v1/auth/confirm';
const asked = ({ status, json }: Answer) => [status, json?.code];
const REFUSED = [403, 'reauthentication_required'];

onEngines('both', 'Step-up', (engine) => {
  const service = useService(engine, { env: { WEBHOOK_ALLOW: '127.0.0.0/8' } });
  const newKey = (browser: Browser) =>
    browser.call('POST', KEYS, { name: 'One more', scopes: ['posts:read'] });
  async function newOwner(): Promise<TestPerson> {
    const org = await service.newOrganization();
    return newPerson(service, org.id, 'owner', { withPassword: true });
  }

  it('asks again a quarter of an hour after the password was given, and then not for another', async (t) => {
    t.after(() => service.clock.resume());
    const { browser } = await newOwner();
    assert.equal((await newKey(browser)).status, 201);
    service.clock.advance(15 * MINUTE_MS);
    assert.deepEqual(asked(await newKey(browser)), REFUSED);
    assert.deepEqual(asked(await browser.call('POST', CONFIRM, { password: 'another password' })), [
      400,
      'validation_failed',
    ]);
    assert.deepEqual(asked(await newKey(browser)), REFUSED);
    assert.equal((await browser.call('POST', CONFIRM, { password: PASSWORD })).status, 204);
    assert.equal((await newKey(browser)).status, 201);
    service.clock.advance(14 * MINUTE_MS);
    assert.equal((await newKey(browser)).status, 201);
  });

  it('believes a proof that was given to another process a moment ago', async (t) => {
    t.after(() => service.clock.resume());
    const { browser, orgId } = await newOwner();
    service.clock.advance(15 * MINUTE_MS);
    assert.deepEqual(asked(await newKey(browser)), REFUSED);
    await service.app.db.transact((tx) =>
      tx
        .updateTable('sessions')
        .set({ proof: 'password', proved_at: service.clock.now() })
        .where('org_id', '=', orgId)
        .execute(),
    );
    assert.equal((await newKey(browser)).status, 201);
  });

  it('takes a link for a proof only from who has nothing else', async () => {
    const org = await service.newOrganization();
    for (const [withPassword, expected] of [
      [true, 403],
      [false, 201],
    ] as const) {
      const person = await newPerson(service, org.id, 'owner', { withPassword });
      const key = { org_id: org.id, id: person.id };
      const url = await service.app.db.transact((tx) => createEntryLink(service.app, tx, key));
      const browser = new Browser(service.url);
      const entered = await browser.call('POST', '/api/v1/auth/enter', { token: tokenIn(url) });
      assert.equal(entered.status, 200, entered.text);
      assert.equal((await newKey(browser)).status, expected);
    }
  });

  it('does not take an accepted invitation for a proof', async () => {
    const { browser } = await newOwner();
    const { json } = await browser.call('POST', '/api/v1/invitations', { role: 'admin' });
    const invited = new Browser(service.url);
    const body = { token: tokenIn(json.data.url), name: 'Grace', email: anEmail(), password: PASSWORD };
    assert.equal((await invited.call('POST', '/api/v1/auth/accept', body)).status, 201);
    assert.deepEqual(asked(await newKey(invited)), REFUSED);
    assert.equal((await invited.call('POST', CONFIRM, { password: PASSWORD })).status, 204);
    assert.equal((await newKey(invited)).status, 201);
  });

  it('asks for it to make someone an admin or an owner, and not for an editor', async (t) => {
    t.after(() => service.clock.resume());
    const { browser, orgId } = await newOwner();
    const { id } = await newPerson(service, orgId, 'viewer');
    service.clock.advance(15 * MINUTE_MS);
    for (const [role, isAsked] of [
      ['editor', false],
      ['admin', true],
      ['owner', true],
    ] as const) {
      const invited = await browser.call('POST', '/api/v1/invitations', { role });
      const changed = await browser.call('PATCH', `/api/v1/members/${id}`, { role });
      assert.deepEqual([invited.status, changed.status], isAsked ? [403, 403] : [201, 200], role);
    }
  });

  it('asks for it to point a webhook elsewhere, and not to describe it', async (t) => {
    t.after(() => service.clock.resume());
    const { browser } = await newOwner();
    const created = await browser.call('POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:9/one' });
    assert.equal(created.status, 201, created.text);
    const path = `/api/v1/webhooks/${created.json.data.id}`;
    service.clock.advance(15 * MINUTE_MS);
    assert.equal((await browser.call('PATCH', path, { description: 'Ours' })).status, 200);
    assert.equal((await browser.call('PATCH', path, { url: 'http://127.0.0.1:9/one' })).status, 200);
    assert.deepEqual(asked(await browser.call('PATCH', path, { url: 'http://127.0.0.1:9/two' })), REFUSED);
  });

  it('asks no key, and names only routes that exist', async () => {
    const org = await service.newOrganization();
    assert.equal((await org.call('POST', KEYS, { name: 'One more', scopes: ['posts:read'] })).status, 201);
    assert.ok(Object.keys(STEP_UP).length > 10);
  });
});

onEngines('sqlite', 'Signing out everywhere', (engine) => {
  const service = useService(engine);
  const isSignedIn = async (browser: Browser) => (await browser.call('GET', '/api/v1/me')).status === 200;

  it('ends all of one’s own sessions but this one', async () => {
    const org = await service.newOrganization();
    const person = await newPerson(service, org.id, 'viewer', { withPassword: true });
    const elsewhere = new Browser(service.url);
    const signIn = { email: person.email, password: PASSWORD };
    assert.equal((await elsewhere.call('POST', '/api/v1/auth/sign-in', signIn)).status, 200);
    assert.equal((await person.browser.call('DELETE', '/api/v1/auth/sessions')).status, 204);
    assert.deepEqual([await isSignedIn(person.browser), await isSignedIn(elsewhere)], [true, false]);
  });

  it('is what an owner can do for a member, and no one else', async () => {
    const org = await service.newOrganization();
    const [owner, admin, viewer] = [
      await newPerson(service, org.id, 'owner'),
      await newPerson(service, org.id, 'admin'),
      await newPerson(service, org.id, 'viewer'),
    ];
    const path = `/api/v1/members/${viewer.id}/sessions`;
    assert.equal((await org.call('DELETE', path)).status, 403);
    assert.equal((await viewer.browser.call('DELETE', path)).status, 403);
    assert.equal((await admin.browser.call('DELETE', path)).status, 403);
    assert.equal(await isSignedIn(viewer.browser), true);
    assert.equal((await owner.browser.call('DELETE', path)).status, 204);
    assert.equal(await isSignedIn(viewer.browser), false);
  });

  it('gives this session another token when the password changes, so that a stolen cookie is worth nothing', async () => {
    const org = await service.newOrganization();
    const { browser } = await newPerson(service, org.id, 'viewer', { withPassword: true });
    const stolen = new Browser(service.url, browser.cookie);
    const body = { current_password: PASSWORD, new_password: 'a rather different one' };
    assert.equal((await browser.call('POST', '/api/v1/auth/password', body)).status, 204);
    assert.deepEqual([await isSignedIn(browser), await isSignedIn(stolen)], [true, false]);
  });
});
