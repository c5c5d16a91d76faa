import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Tx } from '../../src/db/database.js';
import { createInvitation } from '../../src/identity/members/invitations.js';
import { removeMember, updateMember } from '../../src/identity/members/members.js';
import { openApp } from '../../src/open-app.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { newPerson, type TestPerson } from '../support/service/people.js';
import { assertRefused } from '../support/service/posts.js';

const MEMBERS = '/api/v1/members';
const ME = '/api/v1/me';

onEngines('sqlite', 'Members', (engine) => {
  const service = useService(engine);
  const newTeam = async () => {
    const org = await service.newOrganization();
    const [owner, admin, editor] = await Promise.all([
      newPerson(service, org.id, 'owner'),
      newPerson(service, org.id, 'admin'),
      newPerson(service, org.id, 'editor'),
    ]);
    return { org, owner, admin, editor };
  };
  const setRole = (by: TestPerson, whose: TestPerson, role: string) =>
    by.browser.call('PATCH', `${MEMBERS}/${whose.id}`, { role });
  const remove = (by: TestPerson, whose: TestPerson) => by.browser.call('DELETE', `${MEMBERS}/${whose.id}`);
  const status = async (answer: ReturnType<typeof remove>) => {
    const { status, json } = await answer;
    return [status, json?.code];
  };

  it('are listed with names, roles and the time of their last visit', async () => {
    const { owner, admin, org } = await newTeam();
    const { json, text } = await owner.browser.call('GET', MEMBERS);
    assert.equal(json.data.length, 3);
    const you = json.data.filter((member: { is_you: boolean }) => member.is_you);
    assert.deepEqual(you, [
      {
        id: owner.id,
        name: 'The owner',
        email: owner.email,
        role: 'owner',
        joined_at: you[0].joined_at,
        last_seen_at: you[0].last_seen_at,
        is_you: true,
      },
    ]);
    assert.ok(json.data.some(({ id }: { id: string }) => id === admin.id));
    assert.ok(!/password|hash|argon/.test(text));
    const byKey = await org.call('GET', MEMBERS);
    assert.ok(byKey.json.data.every(({ is_you }: { is_you: boolean }) => !is_you));
  });

  it('get another role at once, in every session of theirs', async () => {
    const { owner, editor } = await newTeam();
    const write = async () => (await editor.browser.call('POST', '/api/v1/posts', { title: 'x' })).status;
    assert.equal(await write(), 201);
    const { json } = await setRole(owner, editor, 'viewer');
    assert.deepEqual([json.data.id, json.data.role], [editor.id, 'viewer']);
    const refused = await editor.browser.call('POST', '/api/v1/posts', { title: 'x' });
    assert.deepEqual([refused.status, refused.json.code], [403, 'insufficient_scope']);
    assert.match(refused.json.detail, /posts:write.*viewer/);
    await setRole(owner, editor, 'admin');
    assert.equal((await editor.browser.call('GET', MEMBERS)).status, 200);
    assertRefused(await setRole(owner, editor, 'king'), 'role');
  });

  it('get it in other processes too, once their cache expires', async () => {
    const { owner, editor } = await newTeam();
    const other = await openApp(service.app.config, { clock: service.clock, log: silentLog });
    try {
      const seen = async () => (await other.sessionCache.find(editor.browser.token))?.role ?? null;
      assert.equal(await seen(), 'editor');
      await setRole(owner, editor, 'viewer');
      await until('they are a viewer', async () => (await seen()) === 'viewer');
      await remove(owner, editor);
      await until('they are signed out', async () => (await seen()) === null);
    } finally {
      await other.close();
    }
  });

  it('that are removed lose access at once, and keep no way in', async () => {
    const { owner, admin } = await newTeam();
    const invite = await admin.browser.call('POST', '/api/v1/invitations', { role: 'admin' });
    assert.equal(invite.status, 201);
    assert.equal((await admin.browser.call('GET', ME)).status, 200);
    assert.equal((await remove(owner, admin)).status, 204);
    assert.equal((await admin.browser.call('GET', ME)).status, 401);
    assert.deepEqual((await owner.browser.call('GET', '/api/v1/invitations')).json.data, []);
    const token = new URL(invite.json.data.url).hash.slice(1);
    assert.equal((await owner.browser.call('POST', '/api/v1/auth/invitation', { token })).status, 404);
    assert.equal((await remove(owner, admin)).status, 404);
  });

  it('that lose the right to invite lose the invitations they made', async () => {
    const { owner, admin } = await newTeam();
    await admin.browser.call('POST', '/api/v1/invitations', { role: 'admin' });
    await owner.browser.call('POST', '/api/v1/invitations', { role: 'owner' });
    await setRole(owner, admin, 'editor');
    const open = (await owner.browser.call('GET', '/api/v1/invitations')).json.data;
    assert.deepEqual(
      open.map(({ role }: { role: string }) => role),
      ['owner'],
    );
  });

  it('are made owners, and demoted from it, only by owners', async () => {
    const { org, owner, admin, editor } = await newTeam();
    const forbidden = [403, 'forbidden'];
    assert.deepEqual(await status(setRole(admin, editor, 'owner')), forbidden);
    assert.deepEqual(await status(setRole(admin, admin, 'owner')), forbidden);
    assert.deepEqual(await status(setRole(admin, owner, 'viewer')), forbidden);
    assert.deepEqual(await status(remove(admin, owner)), forbidden);
    const invite = (by: TestPerson) => by.browser.call('POST', '/api/v1/invitations', { role: 'owner' });
    assert.deepEqual(await status(invite(admin)), forbidden);
    // A key that an admin issued cannot do it either.
    const byKey = { role: 'owner' };
    assert.equal((await org.call('PATCH', `${MEMBERS}/${admin.id}`, byKey)).status, 403);
    assert.equal((await org.call('DELETE', `${MEMBERS}/${owner.id}`)).status, 403);
    assert.equal((await org.call('POST', '/api/v1/invitations', byKey)).status, 403);
    assert.equal((await setRole(admin, editor, 'admin')).status, 200);
    assert.equal((await setRole(owner, editor, 'owner')).status, 200);
    assert.equal((await setRole(editor, owner, 'viewer')).status, 200);
    assert.equal((await remove(editor, owner)).status, 204);
  });

  it('always include an owner: the last one cannot leave or step down', async () => {
    const { owner, admin } = await newTeam();
    assert.deepEqual(await status(setRole(owner, owner, 'admin')), [409, 'last_owner']);
    assert.deepEqual(await status(remove(owner, owner)), [409, 'last_owner']);
    assert.equal((await setRole(owner, owner, 'owner')).status, 200);
    await setRole(owner, admin, 'owner');
    assert.equal((await remove(owner, owner)).status, 204);
    assert.equal((await owner.browser.call('GET', ME)).status, 401);
    assert.deepEqual(await status(remove(admin, admin)), [409, 'last_owner']);
  });

  it('keep an owner when two of them remove or demote each other at the same moment', async () => {
    for (const attack of [
      (by: TestPerson, whose: TestPerson) => setRole(by, whose, 'viewer'),
      remove,
      (by: TestPerson) => setRole(by, by, 'admin'),
      (by: TestPerson) => remove(by, by),
    ])
      for (let round = 0; round < 4; round++) {
        const org = await service.newOrganization();
        const [a, b] = [await newPerson(service, org.id, 'owner'), await newPerson(service, org.id, 'owner')];
        const answers = await Promise.all([attack(a, b), attack(b, a), attack(a, b), attack(b, a)]);
        const owners = await service.app.db.read
          .selectFrom('people')
          .select('id')
          .where('org_id', '=', org.id)
          .where('role', '=', 'owner')
          .execute();
        assert.equal(owners.length, 1, JSON.stringify(answers.map(({ status: code }) => code)));
        for (const { status: code, text } of answers) assert.ok(code < 500, text);
      }
  });

  it('that are removed or demoted during their request change nothing', async () => {
    const { owner, admin, editor } = await newTeam();
    const { app } = service;
    const session = await app.sessionCache.find(admin.browser.token);
    assert.ok(session);
    const before = { ...session, address: '127.0.0.1' };
    const attempts: ((tx: Tx) => Promise<unknown>)[] = [
      (tx: Tx) => createInvitation(app, tx, before, { role: 'admin' }),
      (tx: Tx) => updateMember(app, tx, before, editor.id, { role: 'admin' }),
      (tx: Tx) => removeMember(app, tx, before, editor.id),
    ];
    await setRole(owner, admin, 'editor');
    for (const attempt of attempts)
      await assert.rejects(app.db.transact(attempt), { code: 'insufficient_scope' });
    await remove(owner, admin);
    for (const attempt of attempts) await assert.rejects(app.db.transact(attempt), { code: 'unauthorized' });
  });

  it('of another organization cannot be found', async () => {
    const { owner } = await newTeam();
    const { editor } = await newTeam();
    assert.equal((await setRole(owner, editor, 'viewer')).status, 404);
    assert.equal((await remove(owner, editor)).status, 404);
    assert.equal((await editor.browser.call('GET', ME)).json.data.role, 'editor');
  });

  it('rename their organization, if they manage it', async () => {
    const { owner, editor } = await newTeam();
    const rename = (by: TestPerson) =>
      by.browser.call('PATCH', '/api/v1/organization', { name: 'Another name' });
    assert.equal((await rename(editor)).status, 403);
    assert.equal((await rename(owner)).json.data.name, 'Another name');
    assert.equal((await editor.browser.call('GET', ME)).json.data.organization.name, 'Another name');
    assertRefused(await owner.browser.call('PATCH', '/api/v1/organization', { plan: 'agency' }), 'plan');
  });

  it('publish with the trigger dashboard in the log of attempts', async () => {
    const org = await service.newOrganization();
    const { browser } = await newPerson(service, org.id, 'editor');
    const account = await org.connectAccount();
    const id = await org.addPost();
    const { readFileSync } = await import('node:fs');
    const slide = readFileSync(new URL('../../../test/media/slide.png', import.meta.url));
    const asked = { filename: 'slide.png', content_type: 'image/png' };
    const { json } = await browser.call('POST', `/api/v1/posts/${id}/assets`, asked);
    await fetch(json.upload_url, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: slide });
    const input = { social_account_id: account, privacy_level: 'SELF_ONLY' };
    const published = await browser.call('POST', `/api/v1/posts/${id}/publish`, input);
    assert.equal(published.status, 200, published.text);
    const { json: log } = await browser.call('GET', `/api/v1/posts/${id}/dispatches`);
    assert.equal(log.data[0].trigger, 'dashboard');
  });
});
