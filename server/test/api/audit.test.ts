// GET /api/v1/audit: who did what, to what and from where, for the organization's admins.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import type { AuditEntry } from '../../src/audit/schema.js';
import { sweep } from '../../src/worker/sweep.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ADMIN_TOKEN, type Organization, useService } from '../support/service/harness.js';
import { anotherSession, Browser, newPerson, PASSWORD, tokenIn } from '../support/service/people.js';
import { at, UNKNOWN_ID } from '../support/service/posts.js';

const DAY_MS = 86_400_000;

onEngines('postgres', 'GET /api/v1/audit', (engine) => {
  const service = useService(engine, { env: { AUDIT_DAYS: '30' } });

  async function list(org: Organization, query = ''): Promise<AuditEntry[]> {
    const { status, json, text } = await org.call('GET', `/api/v1/audit?${query}`);
    assert.equal(status, 200, text);
    return json.data;
  }
  const actions = async (org: Organization, query = '') =>
    (await list(org, query)).map(({ action }) => action);
  const issue = async (org: Organization, name: string, key = org.key) =>
    (await service.request('POST', '/api/v1/keys', { key, body: { name } })).json.data;

  it('tells who did what, to what and from where, newest first', async () => {
    const org = await service.newOrganization({ name: 'Log keepers' });
    const key = await issue(org, 'CI');
    const admin = await newPerson(service, org.id, 'admin');
    assert.equal((await admin.browser.call('DELETE', `/api/v1/keys/${key.id}`)).status, 204);
    const [revoked, created, first, founded] = await list(org);
    assert.deepEqual(revoked, {
      id: revoked?.id,
      at: revoked?.at,
      actor: { kind: 'person', id: admin.id, name: 'The admin' },
      address: '127.0.0.1',
      action: 'key.revoked',
      target: { kind: 'key', id: key.id, name: 'CI' },
      details: { keys_ended: 0, invitations_withdrawn: 0, webhooks_disabled: 0 },
    });
    assert.match(revoked?.at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.deepEqual(
      [created?.action, created?.actor.kind, created?.actor.name],
      ['key.created', 'key', 'Test key'],
    );
    assert.deepEqual(created?.details.expires_at, null);
    assert.deepEqual(
      [first?.action, first?.actor, first?.address, founded?.address],
      ['key.created', { kind: 'operator', id: null, name: 'Operator' }, null, null],
    );
    assert.deepEqual(founded?.target, { kind: 'organization', id: org.id, name: 'Log keepers' });
    assert.deepEqual(founded?.details, { plan: 'growth' });
  });

  it('counts the keys that end with a key, and those of a member who is removed', async () => {
    const org = await service.newOrganization();
    const root = await issue(org, 'Root');
    const child = await issue(org, 'Child', root.key);
    await issue(org, 'Grandchild', child.key);
    await org.call('DELETE', `/api/v1/keys/${root.id}`);
    assert.deepEqual((await list(org))[0]?.details, {
      keys_ended: 2,
      invitations_withdrawn: 0,
      webhooks_disabled: 0,
    });

    const owner = await newPerson(service, org.id, 'owner');
    const admin = await newPerson(service, org.id, 'admin');
    await admin.browser.call('POST', '/api/v1/keys', { name: 'Of the admin' });
    await admin.browser.call('POST', '/api/v1/invitations', { role: 'viewer' });
    await anotherSession(service, admin);
    await owner.browser.call('DELETE', `/api/v1/members/${admin.id}`);
    const [removed] = await list(org);
    assert.deepEqual(removed?.details, {
      role: 'admin',
      keys_ended: 1,
      sessions_ended: 2,
      invitations_withdrawn: 1,
      webhooks_disabled: 0,
    });
    assert.deepEqual([removed?.action, removed?.target.name], ['member.removed', 'The admin']);
    const other = await newPerson(service, org.id, 'admin');
    await other.browser.call('DELETE', `/api/v1/members/${other.id}`);
    assert.deepEqual((await actions(org))[0], 'member.left');
  });

  it('counts failed sign-ins of a member in one row for each address and minute, and none of strangers', async () => {
    const org = await service.newOrganization();
    const person = await newPerson(service, org.id, 'editor', { withPassword: true });
    const fail = (email: string, password = 'wrong') =>
      new Browser(service.url).call('POST', '/api/v1/auth/sign-in', { email, password });
    // To the beginning of a minute.
    service.clock.advance(60_000 - (service.clock.now() % 60_000));
    const rows = () => list(org, 'action=person.sign_in_failed');
    const counts = async () => (await rows()).map(({ details }) => details.count);
    for (let n = 0; n < 3; n++) assert.equal((await fail(person.email)).status, 401);
    await fail('stranger@example.com');
    await until('all are counted', async () => (await counts())[0] === 3);
    const [row] = await rows();
    assert.deepEqual(row?.actor, { kind: 'system', id: null, name: 'Airdate' });
    assert.deepEqual(row?.target, { kind: 'person', id: person.id, name: 'The editor' });
    assert.equal(row?.address, '127.0.0.1');
    service.clock.advance(60_000);
    await fail(person.email);
    await until('the next minute has its row', async () => (await counts()).length === 2);
    assert.deepEqual(await counts(), [1, 3]);
    assert.equal((await fail(person.email, PASSWORD)).status, 200);
    assert.equal((await actions(org))[0], 'person.signed_in');
  });

  it('tells of the session that a browser replaces by signing in again', async () => {
    const org = await service.newOrganization();
    const person = await newPerson(service, org.id, 'editor', { withPassword: true });
    await person.browser.call('POST', '/api/v1/auth/sign-in', { email: person.email, password: PASSWORD });
    const [ended, signedIn] = await list(org);
    assert.deepEqual([ended?.action, ended?.details], ['session.ended', { is_replaced: true }]);
    assert.deepEqual([signedIn?.action, signedIn?.details], ['person.signed_in', { with: 'password' }]);
  });

  it('keeps names as they were, also of members who are gone', async () => {
    const org = await service.newOrganization();
    const owner = await newPerson(service, org.id, 'owner');
    const admin = await newPerson(service, org.id, 'admin');
    await admin.browser.call('POST', '/api/v1/keys', { name: 'First' });
    await admin.browser.call('PATCH', '/api/v1/auth/profile', { name: 'Ada Byron' });
    await admin.browser.call('POST', '/api/v1/keys', { name: 'Second' });
    await owner.browser.call('DELETE', `/api/v1/members/${admin.id}`);
    const mine = await list(org, `actor_id=${admin.id}`);
    assert.deepEqual(
      mine.map(({ actor, target }) => [actor.name, target.name]),
      [
        ['Ada Byron', 'Second'],
        ['The admin', 'Ada Byron'],
        ['The admin', 'First'],
      ],
    );
    assert.deepEqual(mine[1]?.details, { from: 'The admin', to: 'Ada Byron' });
  });

  it('tells of slots that are booked, moved and given up, of the archive and of deletions', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'Night train' });
    const account = await org.addAccount();
    const patch = (body: object) => org.call('PATCH', `/api/v1/posts/${id}`, body);
    const [slot, later] = [3_600_000, 7_200_000].map((ms) => at(service.clock.now() + ms));
    const booking = {
      status: 'scheduled',
      scheduled_at: slot,
      social_account_id: account,
      privacy_level: 'SELF_ONLY',
    };
    assert.equal((await patch(booking)).status, 200);
    await patch({ caption: 'Only the text' });
    await patch({ scheduled_at: later });
    await patch({ status: 'draft' });
    for (const action of ['archive', 'archive', 'unarchive'])
      await org.call('PATCH', '/api/v1/posts/batch', { ids: [id, UNKNOWN_ID], action });
    await org.call('DELETE', `/api/v1/posts/${id}`);
    const rows = (await list(org, `target_id=${id}`)).reverse();
    assert.deepEqual(
      rows.map(({ action, details }) => [action, details]),
      [
        ['post.scheduled', { scheduled_at: slot, social_account_id: account }],
        ['post.edited', { fields: ['caption'] }],
        ['post.scheduled', { from: slot, scheduled_at: later, social_account_id: account }],
        ['post.unscheduled', { from: later }],
        ['post.archived', { status: 'draft' }],
        ['post.unarchived', { status: 'archived' }],
        ['post.deleted', { status: 'draft', files: 0 }],
      ],
    );
    assert.ok(rows.every(({ target }) => target.name === 'Night train'));
  });

  it('tells of each plan, trial and quota that the operator changes', async () => {
    const org = await service.newOrganization({ trial_days: 0 });
    const trial_ends_at = at(service.clock.now() + DAY_MS);
    const change = (body: object) =>
      service.request('PATCH', `/api/admin/v1/organizations/${org.id}`, { key: ADMIN_TOKEN, body });
    await change({ plan: 'agency', trial_ends_at });
    await change({ plan: 'agency' });
    await change({ quotas: { keys: 7 } });
    const rows = await list(org, 'target_kind=organization&actor_kind=operator');
    assert.deepEqual(
      rows.map(({ action, details }) => [action, details]),
      [
        ['organization.quotas_changed', { from: null, to: '{"keys":7}' }],
        ['organization.trial_changed', { from: null, to: trial_ends_at }],
        ['organization.plan_changed', { from: 'growth', to: 'agency' }],
        ['organization.created', { plan: 'growth' }],
      ],
    );
  });

  it('names a connected account as soon as the platform tells its name, and tells whether it is new', async () => {
    const org = await service.newOrganization();
    const id = await org.connectAccount('night.baker');
    await org.call('DELETE', `/api/v1/social-accounts/${id}`);
    await org.connectAccount('night.baker');
    const rows = await list(org, 'target_kind=account');
    assert.deepEqual(
      rows.map(({ action, target, details }) => [action, target.name, details]),
      [
        ['account.connected', 'night.baker', { platform: 'tiktok', is_reconnected: true }],
        ['account.disconnected', 'night.baker', { platform: 'tiktok' }],
        ['account.connected', 'night.baker', { platform: 'tiktok', is_reconnected: false }],
      ],
    );
    assert.ok(rows.every(({ actor }) => actor.kind === 'key'));
  });

  it('has no row for a request that is repeated, refused or rolled back', async () => {
    const org = await service.newOrganization();
    const before = await actions(org);
    const twice = () => org.call('POST', '/api/v1/keys', { name: 'Twice' }, { 'idempotency-key': 'one-key' });
    const [first, second] = [await twice(), await twice()];
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
    assert.equal(second.json.data.id, first.json.data.id);
    await org.call('POST', '/api/v1/keys', { name: 'Too much', expires_at: at(service.clock.now() - 1) });
    await org.call('DELETE', `/api/v1/keys/${UNKNOWN_ID}`);
    const { json } = await org.call('POST', '/api/v1/invitations', { role: 'viewer' });
    const person = await newPerson(service, org.id, 'viewer');
    // The email is taken: the invitation was deleted and its row written, and both are rolled back.
    const taken = { token: tokenIn(json.data.url), name: 'Ada', email: person.email, password: PASSWORD };
    assert.equal((await new Browser(service.url).call('POST', '/api/v1/auth/accept', taken)).status, 409);
    assert.deepEqual(await actions(org), ['invitation.created', 'key.created', ...before]);
  });

  it('holds no secret', async () => {
    const org = await service.newOrganization();
    const key = await issue(org, 'CI');
    const { json } = await org.call('POST', '/api/v1/invitations', { role: 'viewer' });
    const { rows } = await service.app.db.transact((tx) => sql`select * from audit`.execute(tx));
    const text = JSON.stringify(rows);
    for (const secret of [key.key, org.key, tokenIn(json.data.url), PASSWORD, ADMIN_TOKEN])
      assert.ok(!text.includes(secret));
  });

  it('filters by actor, action, target and time, alone and together', async () => {
    const org = await service.newOrganization();
    const admin = await newPerson(service, org.id, 'admin');
    service.clock.advance(1_000);
    const begin = at(service.clock.now());
    const post = await org.addPost();
    await admin.browser.call('DELETE', `/api/v1/posts/${post}`);
    const key = await issue(org, 'CI');
    await admin.browser.call('DELETE', `/api/v1/keys/${key.id}`);
    service.clock.advance(2_000);
    const end = at(service.clock.now() - 1_000);
    await admin.browser.call('PATCH', '/api/v1/organization', { name: 'Renamed' });

    assert.deepEqual(await actions(org, 'actor_kind=person'), [
      'organization.renamed',
      'key.revoked',
      'post.deleted',
    ]);
    assert.deepEqual(await actions(org, `actor_id=${admin.id.toUpperCase()}`), [
      'organization.renamed',
      'key.revoked',
      'post.deleted',
    ]);
    assert.deepEqual(await actions(org, 'action=post.deleted,key.revoked'), ['key.revoked', 'post.deleted']);
    assert.deepEqual(await actions(org, 'target_kind=key'), ['key.revoked', 'key.created', 'key.created']);
    assert.deepEqual(await actions(org, `target_id=${key.id}`), ['key.revoked', 'key.created']);
    assert.deepEqual(await actions(org, `from=${begin}&to=${end}`), [
      'key.revoked',
      'key.created',
      'post.deleted',
    ]);
    assert.deepEqual(await actions(org, `actor_id=${admin.id}&target_kind=key`), ['key.revoked']);
    assert.deepEqual(await actions(org, `actor_kind=key&target_id=${key.id}`), ['key.created']);
    assert.deepEqual(await actions(org, 'target_kind=post&action=key.created'), []);
    assert.deepEqual(await actions(org, `from=${end}`), ['organization.renamed']);
    for (const query of [
      'action=post.eaten',
      'action=',
      'actor_id=me',
      'from=yesterday',
      'actor_kind=robot',
      'who=me',
    ])
      assert.equal((await org.call('GET', `/api/v1/audit?${query}`)).status, 400, query);
  });

  it('is paged like other lists', async () => {
    const org = await service.newOrganization();
    for (let n = 1; n <= 5; n++) await issue(org, `Key ${n}`);
    const seen: (string | null)[] = [];
    for (const page of [1, 2, 3]) {
      const { json } = await org.call('GET', `/api/v1/audit?action=key.created&per_page=2&page=${page}`);
      assert.deepEqual(json.pagination, { page, per_page: 2, total: 6, total_pages: 3 });
      seen.push(...json.data.map(({ target }: AuditEntry) => target.name));
    }
    assert.deepEqual(seen, ['Key 5', 'Key 4', 'Key 3', 'Key 2', 'Key 1', 'Test key']);
  });

  it('is for those who manage the organization', async () => {
    const org = await service.newOrganization();
    for (const [role, expected] of [
      ['viewer', 403],
      ['editor', 403],
      ['admin', 200],
      ['owner', 200],
    ] as const) {
      const { browser } = await newPerson(service, org.id, role);
      assert.equal((await browser.call('GET', '/api/v1/audit')).status, expected, role);
    }
  });

  it('has one row for what a caller edits on a post within ten minutes', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ title: 'Maps' });
    const { browser } = await newPerson(service, org.id, 'editor');
    const edit = async (fields: object, call = org.call.bind(org)) =>
      assert.equal((await call('PATCH', `/api/v1/posts/${id}`, fields)).status, 200);
    const edits = async () =>
      (await list(org, 'action=post.edited')).map(({ actor, details }) => [actor.kind, details.fields]);
    // Created is told by its event, and what changes nothing by nothing.
    await edit({ title: 'Maps' });
    assert.deepEqual(await edits(), []);
    await edit({ caption: 'One' });
    await edit({ caption: 'Two' });
    await edit({ caption: 'Three', title: 'Old maps' });
    assert.deepEqual(await edits(), [['key', ['caption', 'title']]]);
    await edit({ hashtags: '#maps' }, browser.call.bind(browser));
    service.clock.advance(11 * 60_000);
    await edit({ privacy_level: 'SELF_ONLY' });
    assert.deepEqual(await edits(), [
      ['key', ['privacy_level']],
      ['person', ['hashtags']],
      ['key', ['caption', 'title']],
    ]);
  });

  it('says what was changed on a webhook and a label', async () => {
    const org = await service.newOrganization();
    const detailsOf = async (action: string) =>
      (await list(org, `action=${action}`)).map(({ details }) => details);
    const { id } = (await org.call('POST', '/api/v1/webhooks', { url: 'https://one.example/secret' })).json
      .data;
    for (const change of [
      { url: 'https://two.example/secret', types: ['post.published'] },
      { enabled: false },
      { description: 'For the archive' },
    ])
      assert.equal((await org.call('PATCH', `/api/v1/webhooks/${id}`, change)).status, 200);
    assert.deepEqual(await detailsOf('webhook.changed'), [
      { fields: ['description'] },
      { fields: ['enabled'], enabled: false },
      {
        fields: ['url', 'types'],
        from: 'https://one.example',
        to: 'https://two.example',
        types: ['post.published'],
      },
    ]);
    const label = (await org.call('POST', '/api/v1/labels', { name: 'Maps', colour: 'teal' })).json.data.id;
    await org.call('PATCH', `/api/v1/labels/${label}`, { name: 'Old maps', colour: 'teal' });
    assert.deepEqual(await detailsOf('label.changed'), [{ fields: ['name'], from: 'Maps', to: 'Old maps' }]);
  });

  it('counts wrong operator tokens by minute, without telling organizations the address', async () => {
    const org = await service.newOrganization();
    service.clock.stopAt(service.clock.now());
    const ask = (key: string) => service.request('GET', '/api/admin/v1/organizations', { key });
    for (let n = 0; n < 3; n++) assert.equal((await ask(`wrong-${n}`)).status, 401);
    assert.equal((await ask(ADMIN_TOKEN)).status, 200);
    const [row, ...more] = await list(org, 'action=installation.token_refused');
    assert.deepEqual([row?.actor.kind, row?.address, row?.details, more], ['system', null, { count: 3 }, []]);
    const stored = await service.app.db.read
      .selectFrom('audit')
      .select('address')
      .where('action', '=', 'installation.token_refused')
      .execute();
    assert.deepEqual(stored, [{ address: '127.0.0.1' }]);
    service.clock.resume();
  });

  it('forgets rows after AUDIT_DAYS, in bounded steps', async () => {
    // Past all earlier tests: ids never go back in time, although the clock did.
    service.clock.advance(DAY_MS);
    const org = await service.newOrganization();
    const old = await issue(org, 'Old');
    await service.app.db.transact((tx) =>
      tx
        .insertInto('audit')
        .values(
          Array.from({ length: 1_200 }, () => ({
            id: service.app.newId(),
            org_id: org.id,
            at: service.clock.now(),
            actor_kind: 'system' as const,
            actor_name: 'Airdate',
            action: 'post.publish_started',
            target_kind: 'post',
          })),
        )
        .execute(),
    );
    service.clock.advance(29 * DAY_MS);
    await sweep(service.app);
    assert.equal((await list(org, `target_id=${old.id}`)).length, 1);
    service.clock.advance(DAY_MS - 60_000);
    const kept = await issue(org, 'Kept');
    service.clock.advance(120_000);
    await sweep(service.app);
    assert.deepEqual(
      (await list(org)).map(({ target }) => target.id),
      [kept.id],
    );
  });
});
