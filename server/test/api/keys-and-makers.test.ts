// A key records the member who created it, never has more scopes than they have, and is revoked when they are removed.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ROLE_SCOPES, SCOPES } from '../../src/app/scopes.js';
import { createOwnKey, issuerOf } from '../../src/identity/keys/keys.js';
import { createInvitation } from '../../src/identity/members/invitations.js';
import { openApp } from '../../src/open-app.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { Stream } from '../support/service/event-streams.js';
import { useService } from '../support/service/harness.js';
import { Browser, newPerson, PASSWORD, type TestPerson } from '../support/service/people.js';

const KEYS = '/api/v1/keys';
const MEMBERS = '/api/v1/members';
const INVITATIONS = '/api/v1/invitations';

interface Issued {
  id: string;
  key: string;
  scopes: string[];
  created_by: { id: string; name: string } | null;
}

onEngines('sqlite', 'A key and the member who created it', (engine) => {
  const service = useService(engine);
  const newTeam = async () => {
    const org = await service.newOrganization();
    const [owner, admin] = [
      await newPerson(service, org.id, 'owner'),
      await newPerson(service, org.id, 'admin'),
    ];
    return { org, owner, admin };
  };
  const issue = async ({ browser }: { browser: Browser }, body: object = {}): Promise<Issued> => {
    const { status, json, text } = await browser.call('POST', KEYS, { name: 'A key', ...body });
    assert.equal(status, 201, text);
    return json.data;
  };
  const issueWith = async (key: string): Promise<Issued> => {
    const { status, json, text } = await service.request('POST', KEYS, {
      key,
      body: { name: 'Made by a key' },
    });
    assert.equal(status, 201, text);
    return json.data;
  };
  const me = (key: string) => service.request('GET', '/api/v1/me', { key });
  const listed = async ({ browser }: TestPerson): Promise<Issued[]> =>
    (await browser.call('GET', KEYS)).json.data;
  const setRole = (by: TestPerson, whose: TestPerson, role: string) =>
    by.browser.call('PATCH', `${MEMBERS}/${whose.id}`, { role });
  const remove = async (by: TestPerson, whose: TestPerson) =>
    assert.equal((await by.browser.call('DELETE', `${MEMBERS}/${whose.id}`)).status, 204);

  it('are listed together; a key of the operator has no creator', async () => {
    const { org, admin, owner } = await newTeam();
    const made = await issue(admin);
    const maker = { id: admin.id, name: 'The admin' };
    assert.deepEqual(made.created_by, maker);
    const makers = (await listed(owner)).map(({ id, created_by }) => [id, created_by]);
    assert.deepEqual(makers[0], [made.id, maker]);
    assert.deepEqual(makers[1]?.[1], null, 'the key of the operator');
    assert.equal((await issueWith(org.key)).created_by, null);
  });

  it('go together: it answers 401 at once and leaves the list, and the keys of others keep working', async () => {
    const { org, owner, admin } = await newTeam();
    const [theirs, second, other] = [await issue(admin), await issue(admin), await issue(owner)];
    for (const { key } of [theirs, second, other]) assert.equal((await me(key)).status, 200);
    await remove(owner, admin);
    for (const { key } of [theirs, second]) {
      const refused = await me(key);
      assert.deepEqual([refused.status, refused.json.code], [401, 'unauthorized']);
    }
    for (const key of [other.key, org.key]) assert.equal((await me(key)).status, 200);
    assert.deepEqual(
      (await listed(owner)).map(({ created_by }) => created_by?.id ?? null),
      [owner.id, null],
    );
  });

  it('go together even if the key was created with another key of theirs', async () => {
    const { owner, admin } = await newTeam();
    const child = await issueWith((await issue(admin)).key);
    const grandchild = await issueWith(child.key);
    assert.equal(grandchild.created_by?.id, admin.id);
    await remove(owner, admin);
    for (const { key } of [child, grandchild]) assert.equal((await me(key)).status, 401);
  });

  it('take the invitations with them that the key created', async () => {
    const { owner, admin } = await newTeam();
    const { key } = await issue(admin);
    const body = { role: 'admin' };
    const { status, json } = await service.request('POST', INVITATIONS, { key, body });
    assert.deepEqual([status, json.data.invited_by], [201, 'The admin']);
    await remove(owner, admin);
    assert.deepEqual((await owner.browser.call('GET', INVITATIONS)).json.data, []);
    const token = new URL(json.data.url).hash.slice(1);
    const taken = { token, name: 'Back again', email: 'back@example.com', password: PASSWORD };
    const back = await new Browser(service.url).call('POST', '/api/v1/auth/accept', taken);
    assert.equal(back.status, 404);
  });

  it('cannot invite any more even while the key is still cached', async () => {
    const { owner, admin } = await newTeam();
    const remembered = await service.app.keyCache.find((await issue(admin)).key);
    assert.ok(remembered);
    const caller = { ...remembered, address: '127.0.0.1' };
    const invite = () =>
      service.app.db.transact((tx) => createInvitation(service.app, tx, caller, { role: 'viewer' }));
    assert.equal((await setRole(owner, admin, 'editor')).status, 200);
    await assert.rejects(invite, { code: 'insufficient_scope' });
    await remove(owner, admin);
    await assert.rejects(invite, { code: 'unauthorized' });
  });

  it('go together in other processes too, once their cache expires', async () => {
    const { owner, admin } = await newTeam();
    const { key } = await issue(admin);
    const other = await openApp(service.app.config, { clock: service.clock, log: silentLog });
    try {
      const scopes = async () => [...((await other.keyCache.find(key))?.scopes ?? [])];
      assert.deepEqual(await scopes(), [...SCOPES]);
      const become = (expected: readonly string[]) =>
        until('the key may do less', async () => (await scopes()).join() === expected.join());
      await setRole(owner, admin, 'viewer');
      await become(SCOPES.filter((scope) => ROLE_SCOPES.viewer.includes(scope)));
      await remove(owner, admin);
      await become([]);
    } finally {
      await other.close();
    }
  });

  it('go together even when the key is created at that very moment', async () => {
    const { owner, admin } = await newTeam();
    const before = await service.app.sessionCache.find(admin.browser.token);
    assert.ok(before);
    await remove(owner, admin);
    const late = service.app.db.transact((tx) =>
      createOwnKey(service.app, tx, issuerOf({ ...before, address: '127.0.0.1' }), { name: 'Too late' }),
    );
    await assert.rejects(late, { code: 'unauthorized' });
    for (let round = 0; round < 4; round++) {
      const hasty = await newPerson(service, owner.orgId, 'admin');
      const [made] = await Promise.all([
        hasty.browser.call('POST', KEYS, { name: 'Just in time' }),
        remove(owner, hasty),
      ]);
      assert.ok([201, 401].includes(made.status), made.text);
      if (made.status === 201) assert.equal((await me(made.json.data.key)).status, 401);
    }
    assert.ok((await listed(owner)).every(({ created_by }) => created_by === null));
  });

  it('end the streams that were opened with it', async () => {
    const { owner, admin } = await newTeam();
    const stream = await Stream.open(service.url, (await issue(admin)).key);
    assert.equal(stream.response.status, 200);
    await remove(owner, admin);
    await stream.untilEnd();
  });

  it('have the same limits: with a lower role it does less at once, and with the old one as much as before', async () => {
    const { owner, admin } = await newTeam();
    const all = await issue(admin);
    const narrow = await issue(admin, { scopes: ['posts:read', 'org:manage'] });
    const may = async ({ key }: Issued) => (await me(key)).json.data.scopes;
    assert.deepEqual(await may(all), [...SCOPES]);
    await setRole(owner, admin, 'editor');
    const refused = await service.request('GET', KEYS, { key: all.key });
    assert.deepEqual([refused.status, refused.json.code], [403, 'insufficient_scope']);
    assert.equal((await service.request('GET', '/api/v1/posts', { key: all.key })).status, 200);
    assert.deepEqual(
      await may(all),
      SCOPES.filter((scope) => ROLE_SCOPES.editor.includes(scope)),
    );
    assert.deepEqual(await may(narrow), ['posts:read']);
    // The list shows the scopes that keys have now, not those they were created with.
    const shown = (await listed(owner)).find(({ id }) => id === narrow.id);
    assert.deepEqual(shown?.scopes, ['posts:read']);
    await setRole(owner, admin, 'admin');
    assert.deepEqual(await may(all), [...SCOPES]);
    assert.deepEqual(await may(narrow), ['posts:read', 'org:manage']);
  });
});
