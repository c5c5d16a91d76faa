// The process is killed while a visitor signs up or accepts an invitation: they become a member completely, or not at all.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { createPostgresDatabase, type PostgresDatabase } from '../support/databases/fresh-databases.js';
import { itInProofs, onEngines } from '../support/runner/test-tiers.js';
import { TEST_KEY } from '../support/service/harness.js';
import { anEmail, Browser, PASSWORD, tokenIn } from '../support/service/people.js';
import { inLife, KillableService } from './processes/killable-service.js';

const SIGN_UP = '/api/v1/auth/sign-up';
const SIGN_IN = '/api/v1/auth/sign-in';
const ACCEPT = '/api/v1/auth/accept';

onEngines('postgres', 'kill -9 during sign-up and invitation', (engine) => {
  let dir: string;
  let database: PostgresDatabase | null = null;
  let service: KillableService;
  /** Owns the organization after the second test; the later ones build on that. */
  const ada = { name: 'Ada', email: anEmail(), password: PASSWORD, organization_name: 'Maps' };

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-entrance-'));
    database = engine === 'postgres' ? await createPostgresDatabase() : null;
    service = new KillableService({
      DATA_DIR: dir,
      ENCRYPTION_KEY: TEST_KEY,
      DEMO: 'off',
      ...(database ? { DATABASE_URL: database.url } : {}),
    });
  });
  after(async () => {
    await service.stop();
    await database?.drop();
    rmSync(dir, { recursive: true, force: true });
    assert.deepEqual(service.complaints, []);
  });

  const newBrowser = async () => new Browser((await service.current()).url);
  const call = async (method: string, path: string, body?: unknown) =>
    (await newBrowser()).call(method, path, body);
  const entrance = async () => (await call('GET', '/api/v1/auth')).json.data.sign_up;
  const signIn = async ({ email }: { email: string }) => {
    const browser = await newBrowser();
    const { status } = await browser.call('POST', SIGN_IN, { email, password: PASSWORD });
    return { browser, status };
  };
  const dies = async (path: string, body: object) => {
    const life = await service.current();
    const answer = await inLife(life, (url) => new Browser(url).call('POST', path, body));
    assert.equal(answer, null, `it never reached the stop: ${answer?.text}`);
    await life.ended;
  };

  // Each kill takes a restart, so every day one kind of commit has the kill before it and the other after it.
  itInProofs(
    'before the commit of a sign-up: there is no account, and sign-up is as open as before',
    async () => {
      await service.arm({ stop: 'signed up, not committed' });
      await dies(SIGN_UP, ada);
      assert.equal(await entrance(), 'first');
      assert.equal((await signIn(ada)).status, 401);
    },
  );

  it('after the commit of a sign-up: they sign in, own their organization, and no other visitor can be the first', async () => {
    await service.arm({ stop: 'signed up, not answered' });
    await dies(SIGN_UP, ada);
    assert.equal(await entrance(), 'closed');
    const { browser, status } = await signIn(ada);
    assert.equal(status, 200);
    const { json } = await browser.call('GET', '/api/v1/me');
    const { organization, role, user } = json.data;
    assert.deepEqual([organization.name, role, user.email], ['Maps', 'owner', ada.email]);
    assert.equal((await browser.call('GET', '/api/v1/members')).json.data.length, 1);
    assert.equal((await call('POST', SIGN_UP, ada)).status, 403);
  });

  /** The body that accepts an invitation, and the invitation as the owner sees it. */
  async function invited() {
    const { browser } = await signIn(ada);
    const { json } = await browser.call('POST', '/api/v1/invitations', { role: 'editor' });
    const token = tokenIn(json.data.url);
    const guest = { token, name: 'Grace', email: anEmail(), password: PASSWORD };
    const seen = async () => {
      const { browser: now } = await signIn(ada);
      const members = (await now.call('GET', '/api/v1/members')).json.data as { email: string }[];
      const open = (await now.call('GET', '/api/v1/invitations')).json.data as unknown[];
      return { guests: members.filter(({ email }) => email === guest.email).length, open: open.length };
    };
    return { guest, token, seen };
  }

  itInProofs(
    'before the commit of an acceptance: the invitation is still open, and is accepted once',
    async () => {
      const { guest, token, seen } = await invited();
      await service.arm({ stop: 'accepted, not committed' });
      await dies(ACCEPT, guest);
      assert.equal((await signIn(guest)).status, 401);
      assert.deepEqual(await seen(), { guests: 0, open: 1 });
      assert.equal((await call('POST', '/api/v1/auth/invitation', { token })).json.data.role, 'editor');
      assert.equal((await call('POST', ACCEPT, guest)).status, 201);
      assert.equal((await call('POST', ACCEPT, { ...guest, email: anEmail() })).status, 404);
      assert.deepEqual(await seen(), { guests: 1, open: 0 });
    },
  );

  itInProofs(
    'after the commit of an acceptance: they sign in with the invited role, and the invitation is used up',
    async () => {
      const { guest, token, seen } = await invited();
      await service.arm({ stop: 'accepted, not answered' });
      await dies(ACCEPT, guest);
      assert.equal((await call('POST', '/api/v1/auth/invitation', { token })).status, 404);
      assert.equal((await call('POST', ACCEPT, { ...guest, email: anEmail() })).status, 404);
      const { browser, status } = await signIn(guest);
      assert.equal(status, 200);
      const { role, organization } = (await browser.call('GET', '/api/v1/me')).json.data;
      assert.deepEqual([role, organization.name], ['editor', 'Maps']);
      assert.deepEqual(await seen(), { guests: 1, open: 0 });
    },
  );
});
