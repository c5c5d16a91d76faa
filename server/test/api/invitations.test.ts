import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { anEmail, Browser, newPerson, PASSWORD, tokenIn } from '../support/service/people.js';
import { assertProblem, assertRefused } from '../support/service/posts.js';

const INVITATIONS = '/api/v1/invitations';
const DAY_MS = 86_400_000;

onEngines('sqlite', 'Invitations', (engine) => {
  const service = useService(engine);
  const read = (token: string) => new Browser(service.url).call('POST', '/api/v1/auth/invitation', { token });
  const accept = (token: string, more: object = {}, browser = new Browser(service.url)) =>
    browser.call('POST', '/api/v1/auth/accept', {
      token,
      name: 'Grace Hopper',
      email: anEmail(),
      password: PASSWORD,
      ...more,
    });
  const invite = async (org: Organization, input: object = { role: 'editor' }) => {
    const { status, json, text } = await org.call('POST', INVITATIONS, input);
    assert.equal(status, 201, text);
    return { ...json.data, token: tokenIn(json.data.url) };
  };

  it('are links with their secret after the #, shown once', async () => {
    const org = await service.newOrganization();
    const { browser } = await newPerson(service, org.id, 'admin');
    const email = anEmail();
    const { status, json, headers } = await browser.call('POST', INVITATIONS, { role: 'editor', email });
    assert.equal(status, 201);
    assert.match(json.data.url, new RegExp(`^${service.url}/invitation#[\\w-]{43}$`));
    assert.equal(headers.get('location'), `${INVITATIONS}/${json.data.id}`);
    const { url, ...shown } = json.data;
    assert.deepEqual([shown.role, shown.email, shown.invited_by], ['editor', email, 'The admin']);
    assert.equal(Date.parse(shown.expires_at) - Date.parse(shown.created_at), 7 * DAY_MS);
    const list = await browser.call('GET', INVITATIONS);
    assert.deepEqual(list.json.data, [shown]);
    const path = `${INVITATIONS}/${shown.id}`;
    assert.deepEqual((await browser.call('GET', path)).json.data, shown);
    const rows = JSON.stringify(await service.app.db.read.selectFrom('invitations').selectAll().execute());
    assert.ok(!rows.includes(tokenIn(url)), 'only a hash is kept');
    assert.equal((await browser.call('DELETE', path)).status, 204);
    assert.equal((await browser.call('GET', path)).status, 404);
  });

  it('made with a key never offer a role with more scopes than the key', async () => {
    const org = await service.newOrganization();
    const key = await org.keyWith(['org:manage', 'posts:read', 'analytics:read']);
    const byKey = (method: string, path: string, role: string) =>
      service.request(method, path, { key, body: { role } });
    for (const role of ['owner', 'admin', 'editor'])
      assertProblem(await byKey('POST', INVITATIONS, role), 403, 'insufficient_scope');
    assert.equal((await byKey('POST', INVITATIONS, 'viewer')).status, 201);
    await newPerson(service, org.id, 'owner');
    const viewer = await newPerson(service, org.id, 'viewer');
    assertProblem(await byKey('PATCH', `/api/v1/members/${viewer.id}`, 'admin'), 403, 'insufficient_scope');
  });

  it('say what they offer, and give one visitor a session and the role', async () => {
    const org = await service.newOrganization({ name: 'The Map Folders' });
    const { token } = await invite(org, { role: 'editor' });
    const offer = await read(token);
    assert.deepEqual(offer.json.data, { organization_name: 'The Map Folders', role: 'editor', email: null });
    const browser = new Browser(service.url);
    const email = anEmail();
    const { status, json } = await accept(token, { email }, browser);
    assert.equal(status, 201);
    assert.deepEqual(
      [json.data.organization.id, json.data.role, json.data.user.email],
      [org.id, 'editor', email],
    );
    assert.equal((await browser.call('GET', '/api/v1/posts')).status, 200);
    const signIn = { email, password: PASSWORD };
    assert.equal((await new Browser(service.url).call('POST', '/api/v1/auth/sign-in', signIn)).status, 200);
  });

  it('work once, even for many visitors at the same moment', async () => {
    const org = await service.newOrganization();
    const { token } = await invite(org);
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 404, 404, 404, 404]);
    assert.equal((await read(token)).status, 404);
    assert.deepEqual((await org.call('GET', INVITATIONS)).json.data, []);
    assert.equal((await org.call('GET', '/api/v1/members')).json.data.length, 1);
  });

  it('work for seven days', async () => {
    const org = await service.newOrganization();
    const { token } = await invite(org);
    service.clock.advance(7 * DAY_MS - 60_000);
    assert.equal((await read(token)).status, 200);
    service.clock.advance(60_000);
    assert.equal((await read(token)).status, 404);
    assert.equal((await accept(token)).status, 404);
    assert.deepEqual((await org.call('GET', INVITATIONS)).json.data, []);
  });

  it('can be withdrawn', async () => {
    const org = await service.newOrganization();
    const { id, token } = await invite(org);
    assert.equal((await org.call('DELETE', `${INVITATIONS}/${id}`)).status, 204);
    assert.equal((await read(token)).status, 404);
    assert.equal((await accept(token)).status, 404);
    assert.equal((await org.call('DELETE', `${INVITATIONS}/${id}`)).status, 404);
  });

  it('survive an email that is taken, and a password that is too short', async () => {
    const org = await service.newOrganization();
    const { email } = await newPerson(service, (await service.newOrganization()).id, 'viewer');
    const { token } = await invite(org);
    const taken = await accept(token, { email: email.toUpperCase() });
    assert.deepEqual([taken.status, taken.json.code], [409, 'email_taken']);
    assertRefused(await accept(token, { password: 'short' }), 'password');
    assertRefused(await accept(token, { password: 'letmein12345' }), 'password');
    assert.equal((await accept(token)).status, 201);
  });

  it('for one email work only with that email', async () => {
    const org = await service.newOrganization();
    const email = anEmail();
    const { token } = await invite(org, { role: 'viewer', email });
    assert.equal((await read(token)).json.data.email, email);
    assertRefused(await accept(token), 'email');
    assert.equal((await accept(token, { email: email.toUpperCase() })).status, 201);
    assertRefused(await org.call('POST', INVITATIONS, { role: 'viewer', email: 'not-an-email' }), 'email');
  });

  it('answer the same for a token that never existed', async () => {
    const words = new Set<string>();
    for (const token of ['', 'x', 'A'.repeat(43), "' or 1=1 --"]) {
      const answers = [await read(token), await accept(token)];
      for (const { status, json } of answers) {
        assert.equal(status, 404);
        words.add(json.detail);
      }
    }
    assert.equal(words.size, 1);
  });

  it('bring the first owner into an organization that has none, by its key', async () => {
    const org = await service.newOrganization();
    const first = await invite(org, { role: 'owner' });
    const second = await invite(org, { role: 'owner' });
    assert.equal((await accept(first.token)).json.data.role, 'owner');
    assert.equal((await org.call('POST', INVITATIONS, { role: 'owner' })).status, 403);
    assert.equal((await org.call('GET', INVITATIONS)).json.data[0].invited_by, null);
    assert.equal((await accept(second.token)).status, 201);
  });

  it('are shown again for the same Idempotency-Key to the same person only', async () => {
    const org = await service.newOrganization();
    const [owner, admin] = [
      await newPerson(service, org.id, 'owner'),
      await newPerson(service, org.id, 'admin'),
    ];
    const key = { 'idempotency-key': 'the-same' };
    const input = { role: 'owner' };
    const first = await owner.browser.call('POST', INVITATIONS, input, key);
    const again = await owner.browser.call('POST', INVITATIONS, input, key);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const other = await admin.browser.call('POST', INVITATIONS, input, key);
    assert.deepEqual([other.status, other.json.code], [422, 'idempotency_key_reused']);
    assert.ok(!other.text.includes(tokenIn(first.json.data.url)));
  });
});
