// What was made with a key ends with it: invitations are withdrawn, webhooks disabled, begun consents refused.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { disableForExpiredKeys } from '../../src/events/webhooks/ended-keys.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { consent, type Organization, useService } from '../support/service/harness.js';
import {
  anEmail,
  Browser,
  newPerson,
  PASSWORD,
  type TestPerson,
  tokenIn,
} from '../support/service/people.js';
import { at } from '../support/service/posts.js';
import { type Answer, send } from '../support/service/send.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';
import { ALLOW, Receiver, sendAll } from '../support/service/webhooks.js';

const KEYS = '/api/v1/keys';
const INVITATIONS = '/api/v1/invitations';
const WEBHOOKS = '/api/v1/webhooks';
const AUDIT = '/api/v1/audit';
const HOUR = 3_600_000;

interface Made {
  id: string;
  [field: string]: unknown;
}

onEngines('sqlite', 'What was made with a key', (engine) => {
  const service = useService(engine, { ...WITHOUT_WORKER, env: { ...WITHOUT_WORKER.env, ...ALLOW } });
  const receiver = new Receiver();
  before(() => receiver.start());
  after(() => receiver.stop());

  const by = async (key: string, path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await service.request('POST', path, { key, body, headers });
    assert.equal(answer.status, 201, answer.text);
    return answer.json.data;
  };
  const accept = (token: string): Promise<Answer> =>
    new Browser(service.url).call('POST', '/api/v1/auth/accept', {
      token,
      name: 'Grace Hopper',
      email: anEmail(),
      password: PASSWORD,
    });

  async function newTeam() {
    const org = await service.newOrganization();
    const owner = await newPerson(service, org.id, 'owner');
    const admin = await newPerson(service, org.id, 'admin');
    const issue = async (person: TestPerson, more: object = {}) =>
      (await person.browser.call('POST', KEYS, { name: 'Leaked', ...more })).json.data;
    const see = async (path: string) => (await owner.browser.call('GET', path)).json.data;
    const end = async (path: string) => assert.equal((await owner.browser.call('DELETE', path)).status, 204);
    return { org, owner, admin, issue, see, end };
  }

  /** A key, a key made with it, and what each of them made. */
  async function leak(issued: Made & { key: string }) {
    const child = await by(issued.key, KEYS, { name: 'Child' });
    const invitations: Made[] = [];
    const webhooks: Made[] = [];
    for (const { key } of [issued, child]) {
      invitations.push(await by(key, INVITATIONS, { role: 'admin' }));
      webhooks.push(await by(key, WEBHOOKS, { url: `${receiver.url}/${webhooks.length}` }));
    }
    return { child, invitations, webhooks };
  }

  it('is also a webhook whose secret was replaced with it: who knows the secret can send in our name', async () => {
    const { owner, issue, see, end } = await newTeam();
    const key = await issue(owner);
    const { id } = (await owner.browser.call('POST', WEBHOOKS, { url: `${receiver.url}/people` })).json.data;
    const rotated = await service.request('POST', `${WEBHOOKS}/${id}/rotate`, { key: key.key });
    assert.equal(rotated.status, 200, rotated.text);
    assert.deepEqual(
      (await see(`${KEYS}/${key.id}`)).webhooks.map((webhook: Made) => webhook.id),
      [id],
    );
    await end(`${KEYS}/${key.id}`);
    assert.equal((await see(`${WEBHOOKS}/${id}`)).disabled_reason, 'key_ended');
  });

  it('ends with it over all generations, with rows in the audit log and events; the rest stays', async () => {
    const { owner, issue, see, end } = await newTeam();
    const key = await issue(owner, { name: 'CI' });
    const { child, invitations, webhooks } = await leak(key);
    const others = {
      invitation: (await owner.browser.call('POST', INVITATIONS, { role: 'viewer' })).json.data,
      webhook: (await owner.browser.call('POST', WEBHOOKS, { url: `${receiver.url}/people` })).json.data,
    };
    await end(`${KEYS}/${key.id}`);

    for (const { url } of invitations) assert.equal((await accept(tokenIn(url as string))).status, 404);
    assert.deepEqual(idsOf(await see(INVITATIONS)), [others.invitation.id]);
    for (const { id } of webhooks) {
      const { enabled, disabled_reason, disabled_at } = await see(`${WEBHOOKS}/${id}`);
      assert.deepEqual([enabled, disabled_reason], [false, 'key_ended']);
      assert.ok(disabled_at !== null);
    }
    assert.equal((await see(`${WEBHOOKS}/${others.webhook.id}`)).enabled, true);

    const rows: Row[] = await see(AUDIT);
    const ended = rows.slice(0, 6);
    assert.ok(ended.every(({ actor }) => actor.id === owner.id));
    assert.deepEqual(ended.map(({ action, target }) => [action, target.id]).sort(), [
      ...invitations.map(({ id }) => ['invitation.withdrawn', id]),
      ['key.revoked', key.id],
      ['key.revoked', child.id],
      ...webhooks.map(({ id }) => ['webhook.disabled', id]),
    ]);
    const revoked = rows.find(({ target }) => target.id === key.id);
    assert.deepEqual(revoked?.details, { keys_ended: 1, invitations_withdrawn: 2, webhooks_disabled: 2 });
    const events = (await see('/api/v1/events?after=evt_000000000')) as Event[];
    assert.deepEqual(
      events.filter(({ type }) => type === 'webhook.disabled').map(({ data }) => data.webhook_id),
      idsOf(webhooks),
    );
  });

  it('is listed beforehand, with what the keys made that end with it', async () => {
    const { owner, issue, see, end } = await newTeam();
    const key = await issue(owner);
    const { child, invitations, webhooks } = await leak(key);
    const listed = await see(`${KEYS}/${key.id}`);
    assert.deepEqual(listed.keys, [{ id: child.id, name: 'Child', prefix: child.prefix }]);
    assert.deepEqual(idsOf(listed.invitations), idsOf(invitations).reverse());
    assert.deepEqual(
      [listed.invitations[0].email, listed.invitations[0].role, listed.invitations_ending_with_it],
      [null, 'admin', 2],
    );
    assert.ok(!JSON.stringify(listed).includes(tokenIn(invitations[0]?.url as string)));
    assert.deepEqual(
      listed.webhooks.map(({ id, url }: Made) => [id, url]),
      [...webhooks].reverse().map(({ id, url }) => [id, url]),
    );
    assert.deepEqual(idsOf((await see(`${KEYS}/${child.id}`)).invitations), [invitations[1]?.id]);
    // What has ended already, and what is disabled, is not threatened any more.
    await end(`${INVITATIONS}/${invitations[0]?.id}`);
    await owner.browser.call('PATCH', `${WEBHOOKS}/${webhooks[0]?.id}`, { enabled: false });
    const left = await see(`${KEYS}/${key.id}`);
    assert.deepEqual(
      [idsOf(left.invitations), idsOf(left.webhooks)],
      [[invitations[1]?.id], [webhooks[1]?.id]],
    );
  });

  it('gets no event from the moment of the revocation, not even one that was pending', async () => {
    const { org, owner, issue, see, end } = await newTeam();
    const key = await issue(owner);
    const hook = await by(key.key, WEBHOOKS, { url: `${receiver.url}/pending` });
    await org.addPost();
    await end(`${KEYS}/${key.id}`);
    await org.addPost();
    await sendAll(service);
    assert.deepEqual(
      receiver.received.filter(({ path }) => path === '/pending'),
      [],
    );
    // A person can take it over.
    await owner.browser.call('PATCH', `${WEBHOOKS}/${hook.id}`, { enabled: true });
    assert.equal((await see(`${WEBHOOKS}/${hook.id}`)).disabled_reason, null);
    await org.addPost();
    await sendAll(service);
    assert.equal(receiver.received.filter(({ path }) => path === '/pending').length, 1);
  });

  it('includes a webhook that the key pointed elsewhere or enabled, until a person does', async () => {
    const { owner, issue, see, end } = await newTeam();
    const create = async () =>
      (await owner.browser.call('POST', WEBHOOKS, { url: `${receiver.url}/ours` })).json.data.id as string;
    const patch = { url: `${receiver.url}/theirs` };
    const isEnabledAfter = async (id: string, touch: (key: string) => Promise<unknown>) => {
      const key = await issue(owner);
      await touch(key.key);
      await end(`${KEYS}/${key.id}`);
      return (await see(`${WEBHOOKS}/${id}`)).enabled as boolean;
    };
    const byKey = (key: string, id: string, body: object) =>
      service.request('PATCH', `${WEBHOOKS}/${id}`, { key, body });
    const [moved, enabled, described, takenOver] = [
      await create(),
      await create(),
      await create(),
      await create(),
    ];
    assert.equal(await isEnabledAfter(moved, (key) => byKey(key, moved, patch)), false);
    await owner.browser.call('PATCH', `${WEBHOOKS}/${enabled}`, { enabled: false });
    assert.equal(await isEnabledAfter(enabled, (key) => byKey(key, enabled, { enabled: true })), false);
    assert.equal(await isEnabledAfter(described, (key) => byKey(key, described, { description: 'x' })), true);
    const moveTwice = async (key: string) => {
      await byKey(key, takenOver, patch);
      await owner.browser.call('PATCH', `${WEBHOOKS}/${takenOver}`, { url: `${receiver.url}/ours` });
    };
    assert.equal(await isEnabledAfter(takenOver, moveTwice), true);
  });

  it('ends with its person, but not what they made in the dashboard as a webhook', async () => {
    const { admin, issue, see, end } = await newTeam();
    const { webhooks, invitations } = await leak(await issue(admin));
    const own = (await admin.browser.call('POST', WEBHOOKS, { url: `${receiver.url}/own` })).json.data;
    await end(`/api/v1/members/${admin.id}`);
    for (const { id } of webhooks) assert.equal((await see(`${WEBHOOKS}/${id}`)).enabled, false);
    assert.equal((await see(`${WEBHOOKS}/${own.id}`)).enabled, true);
    for (const { url } of invitations) assert.equal((await accept(tokenIn(url as string))).status, 404);
    const [row] = (await see(`${AUDIT}?action=member.removed`)) as Row[];
    assert.deepEqual([row?.details.invitations_withdrawn, row?.details.webhooks_disabled], [2, 2]);
  });

  it('ends when the key expires', async () => {
    const { owner, issue, see } = await newTeam();
    const key = await issue(owner, { expires_at: at(service.clock.now() + HOUR) });
    const { invitations, webhooks } = await leak(key);
    const stays = (await owner.browser.call('POST', WEBHOOKS, { url: `${receiver.url}/stays` })).json.data;
    assert.equal(invitations[0]?.expires_at, key.expires_at);
    service.clock.advance(HOUR - 60_000);
    await disableForExpiredKeys(service.app);
    assert.equal((await see(`${WEBHOOKS}/${webhooks[0]?.id}`)).enabled, true);
    service.clock.advance(60_000);
    assert.equal((await accept(tokenIn(invitations[0]?.url as string))).status, 404);
    await disableForExpiredKeys(service.app);
    for (const { id } of webhooks) {
      const { enabled, disabled_reason } = await see(`${WEBHOOKS}/${id}`);
      assert.deepEqual([enabled, disabled_reason], [false, 'key_ended']);
    }
    assert.equal((await see(`${WEBHOOKS}/${stays.id}`)).enabled, true);
    const rows = (await see(`${AUDIT}?action=webhook.disabled`)) as Row[];
    assert.deepEqual(idsOf(rows.map(({ target }) => target)).sort(), idsOf(webhooks).sort());
    assert.equal(rows[0]?.actor.kind, 'system');
  });

  it('is not made by a key that is revoked at the same moment', async () => {
    const { owner, issue, see, end } = await newTeam();
    for (let i = 0; i < 4; i++) {
      const { id, key } = await issue(owner);
      const post = (path: string, body: object) => service.request('POST', path, { key, body });
      const [invited, hooked] = await Promise.all([
        post(INVITATIONS, { role: 'admin' }),
        post(WEBHOOKS, { url: `${receiver.url}/race` }),
        end(`${KEYS}/${id}`),
      ]);
      if (invited.status === 201) assert.equal((await accept(tokenIn(invited.json.data.url))).status, 404);
      else assert.equal(invited.status, 401, invited.text);
      if (hooked.status !== 201) assert.equal(hooked.status, 401, hooked.text);
    }
    assert.ok(((await see(WEBHOOKS)) as { enabled: boolean }[]).every(({ enabled }) => !enabled));
  });

  it('of an unknown maker, from before makers were recorded, is left alone', async () => {
    const { owner, issue, see, end } = await newTeam();
    const key = await issue(owner);
    const { invitations, webhooks } = await leak(key);
    await service.app.db.transact(async (tx) => {
      await tx.updateTable('invitations').set({ made_with: null }).execute();
      await tx.updateTable('webhook_endpoints').set({ made_with: null }).execute();
    });
    await end(`${KEYS}/${key.id}`);
    assert.equal((await see(`${WEBHOOKS}/${webhooks[0]?.id}`)).enabled, true);
    assert.equal((await accept(tokenIn(invitations[0]?.url as string))).status, 201);
  });
});

onEngines('sqlite', 'A consent that was begun with a key', (engine) => {
  const service = useService(engine);

  it('ends with the key: its callback connects nothing', async () => {
    const org = await service.newOrganization();
    const { id, key } = (await org.call('POST', KEYS, { name: 'Leaked' })).json.data;
    const { json } = await service.request('POST', '/api/v1/social-accounts/connect', { key });
    const back = await consent(json.data.authorize_url, { decision: 'allow', username: 'theirs' });
    assert.equal((await org.call('DELETE', `${KEYS}/${id}`)).status, 204);
    assert.equal((await send('GET', back, {})).status, 400);
    assert.deepEqual((await org.call('GET', '/api/v1/social-accounts')).json.data, []);
    assert.ok(await org.connectAccount());
  });
});

onEngines('sqlite', 'A secret in a replayed response', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  const headers = { 'idempotency-key': 'the-same' };
  const upload = { content_type: 'image/png', filename: 'a.png' };
  const requests: [string, (org: Organization) => Promise<{ path: string; body: object }>][] = [
    ['a key', async () => ({ path: KEYS, body: { name: 'Another' } })],
    ['an invitation', async () => ({ path: INVITATIONS, body: { role: 'viewer' } })],
    ['a webhook', async () => ({ path: WEBHOOKS, body: { url: 'https://hooks.example.com/airdate' } })],
    ['a consent', async () => ({ path: '/api/v1/social-accounts/connect', body: {} })],
    [
      'an upload',
      async (org) => ({
        path: `/api/v1/posts/${await org.addPost({ post_type: 'slides' })}/assets`,
        body: upload,
      }),
    ],
  ];
  for (const [what, request] of requests)
    it(`is given only to the caller that made it: ${what}`, async () => {
      const org = await service.newOrganization();
      const { path, body } = await request(org);
      const first = await org.call('POST', path, body, headers);
      assert.ok(first.status < 300, first.text);
      const again = await org.call('POST', path, body, headers);
      assert.equal(again.text, first.text);
      const twin = (await by(org.key, KEYS, { name: 'Twin' })).key;
      const other = await service.request('POST', path, { key: twin, body, headers });
      assert.deepEqual([other.status, other.json.code], [422, 'idempotency_key_reused']);
    });

  const by = async (key: string, path: string, body: object) =>
    (await service.request('POST', path, { key, body })).json.data;
});

interface Event {
  type: string;
  data: { webhook_id?: string };
}

interface Row {
  action: string;
  actor: { id: string | null; kind: string };
  target: { id: string };
  details: Record<string, unknown>;
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
