import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recount } from '../../src/db/recount.js';
import { sweep } from '../../src/worker/sweep.js';
import { type Statement, statementsOf } from '../support/databases/recorded-statements.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, consent, type Organization, useService } from '../support/service/harness.js';
import { anEmail, Browser, newPerson, PASSWORD, tokenIn } from '../support/service/people.js';
import { quotasOf, setQuotas } from '../support/service/quotas.js';
import { send } from '../support/service/send.js';
import { askForUpload, WITHOUT_WORKER } from '../support/service/uploads.js';

const DAY_MS = 86_400_000;

const post = (org: Organization, headers?: Record<string, string>) =>
  org.call('POST', '/api/v1/posts', { title: 'A post' }, headers);
const key = (org: Organization) => org.call('POST', '/api/v1/keys', { name: 'A key' });
const invite = (org: Organization) => org.call('POST', '/api/v1/invitations', { role: 'editor' });

/** Statuses, sorted. */
const together = async (count: number, ask: () => Promise<{ status: number }>) =>
  (await Promise.all(Array.from({ length: count }, ask))).map(({ status }) => status).sort();

onEngines('postgres', 'quotas', (engine) => {
  const service = useService(engine, {
    ...WITHOUT_WORKER,
    env: { ...WITHOUT_WORKER.env, QUOTA_KEYS_STARTER: '2', QUOTA_MEMBERS_API_ONLY: '1' },
  });

  it('are told in GET /me: what is used, and the limit; null is none', async () => {
    const org = await service.newOrganization({ plan: 'starter' });
    await org.addPost();
    await org.addAccount();
    await invite(org);
    await newPerson(service, org.id, 'owner');
    assert.deepEqual(await quotasOf(org), {
      bytes: { used: 0, limit: 20_000_000_000 },
      posts_per_day: { used: 1, limit: null },
      keys: { used: 1, limit: 2 },
      members: { used: 1, limit: null },
      accounts: { used: 1, limit: null },
      invitations: { used: 1, limit: null },
    });
  });

  it('are set for one organization by the operator: a number, 0 for no limit, null for the plan’s', async () => {
    const org = await service.newOrganization({ plan: 'starter' });
    const changed = await setQuotas(service, org, { keys: 7, posts_per_day: 3 });
    assert.deepEqual(changed.quotas.keys, { used: 1, limit: 7, overridden: true });
    assert.deepEqual(changed.quotas.members, { used: 0, limit: null, overridden: false });
    const limit = async () => (await quotasOf(org)).keys.limit;
    assert.equal(await limit(), 7);
    await setQuotas(service, org, { keys: 0 });
    assert.equal(await limit(), null);
    const back = await setQuotas(service, org, { keys: null });
    assert.deepEqual(back.quotas.keys, { used: 1, limit: 2, overridden: false });
    // What a change does not name stays.
    assert.equal(back.quotas.posts_per_day.limit, 3);
    const list = await service.request('GET', '/api/admin/v1/organizations', { key: ADMIN_TOKEN });
    const listed = list.json.data.find(({ id }: { id: string }) => id === org.id);
    assert.deepEqual(listed.quotas, back.quotas);
  });

  it('refuse wrong values, naming the field', async () => {
    const org = await service.newOrganization();
    for (const quotas of [{ bytes: -1 }, { keys: 1.5 }, { members: '3' }, { posts: 3 }, { bytes: 1e16 }]) {
      const path = `/api/admin/v1/organizations/${org.id}`;
      const { status, json } = await service.request('PATCH', path, { key: ADMIN_TOKEN, body: { quotas } });
      assert.equal(status, 400, JSON.stringify(quotas));
      assert.match(json.errors[0].pointer, new RegExp(`^/quotas/${Object.keys(quotas)[0]}`));
    }
  });

  it('refuse a key beyond the last place; expired and revoked ones hold none', async () => {
    const org = await service.newOrganization({ plan: 'starter' });
    const second = await key(org);
    assert.equal(second.status, 201);
    const third = await key(org);
    assert.equal(third.status, 409);
    assert.equal(third.json.code, 'quota_exceeded');
    assert.match(third.json.detail, /has 2 of its 2 API keys\. Revoke one/);
    await org.call('DELETE', `/api/v1/keys/${second.json.data.id}`);
    const expires_at = new Date(service.clock.now() + 60_000).toISOString();
    assert.equal((await org.call('POST', '/api/v1/keys', { name: 'Short', expires_at })).status, 201);
    assert.equal((await key(org)).status, 409);
    service.clock.advance(61_000);
    assert.equal((await key(org)).status, 201);
    service.clock.resume();
  });

  it('do not bind the operator, who sets them', async () => {
    const org = await service.newOrganization({ plan: 'starter' });
    await org.keyWith(['posts:read']);
    await org.keyWith(['posts:read']);
    assert.deepEqual((await quotasOf(org)).keys, { used: 3, limit: 2 });
  });

  it('refuse an invitation beyond the last place; a withdrawn or expired one holds none', async () => {
    const org = await service.newOrganization();
    await setQuotas(service, org, { invitations: 1 });
    const first = await invite(org);
    assert.equal(first.status, 201);
    assert.equal((await invite(org)).json.code, 'quota_exceeded');
    await org.call('DELETE', `/api/v1/invitations/${first.json.data.id}`);
    assert.equal((await invite(org)).status, 201);
    service.clock.advance(8 * DAY_MS);
    assert.equal((await invite(org)).status, 201);
    service.clock.resume();
  });

  it('refuse a member beyond the last place, and leave the invitation valid', async () => {
    const org = await service.newOrganization({ plan: 'api_only' });
    const owner = await newPerson(service, org.id, 'owner');
    const { url } = (await invite(org)).json.data;
    const body = { token: tokenIn(url), name: 'Ada', email: anEmail(), password: PASSWORD };
    const accept = () => new Browser(service.url).call('POST', '/api/v1/auth/accept', body);
    const refused = await accept();
    assert.equal(refused.status, 409);
    assert.match(refused.json.detail, /has 1 of its 1 members/);
    assert.equal((await quotasOf(org)).invitations.used, 1);
    await setQuotas(service, org, { members: 2 });
    assert.equal((await accept()).status, 201);
    assert.equal((await quotasOf(org)).members.used, 2);
    assert.ok(owner);
  });

  it('refuse a post beyond those of today, and allow it after midnight UTC; deleted posts stay counted', async () => {
    service.clock.stopAt(Date.UTC(2031, 0, 1, 23, 59));
    try {
      const org = await service.newOrganization();
      await org.addPost();
      // Posts of before the limit was set count too.
      await setQuotas(service, org, { posts_per_day: 3 });
      const second = await post(org);
      assert.equal((await post(org)).status, 201);
      const refused = await post(org);
      assert.equal(refused.status, 409);
      assert.equal(refused.json.code, 'quota_exceeded');
      assert.match(refused.json.detail, /has created 3 of its 3 posts today\. Continue after midnight UTC/);
      await org.call('DELETE', `/api/v1/posts/${second.json.data.id}`);
      assert.equal((await post(org)).status, 409);
      assert.deepEqual((await quotasOf(org)).posts_per_day, { used: 3, limit: 3 });
      // A change of the limit does not forget them either.
      await setQuotas(service, org, { posts_per_day: 4 });
      assert.deepEqual(await together(3, () => post(org)), [201, 409, 409]);
      service.clock.advance(60_000);
      assert.equal((await post(org)).status, 201);
      assert.deepEqual((await quotasOf(org)).posts_per_day, { used: 1, limit: 4 });
    } finally {
      service.clock.resume();
    }
  });

  it('are never exceeded by concurrent requests: one of them takes the last place', async () => {
    const org = await service.newOrganization();
    await setQuotas(service, org, { keys: 2, invitations: 1, posts_per_day: 3 });
    assert.deepEqual(await together(8, () => key(org)), [201, ...Array(7).fill(409)]);
    assert.deepEqual(await together(8, () => invite(org)), [201, ...Array(7).fill(409)]);
    // The first posts of a day, and the last of it.
    assert.deepEqual(await together(8, () => post(org)), [201, 201, 201, ...Array(5).fill(409)]);
    const id = await service.app.db.read
      .selectFrom('posts')
      .select('id')
      .where('org_id', '=', org.id)
      .executeTakeFirstOrThrow();
    await setQuotas(service, org, { bytes: 250 });
    const upload = () =>
      askForUpload(org, id.id, { filename: 'a.png', content_type: 'image/png', content_length: 100 });
    assert.deepEqual(await together(8, upload), [200, 200, ...Array(6).fill(409)]);
    assert.equal((await quotasOf(org)).bytes.used, 200);
    const invitations = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        await setQuotas(service, org, { invitations: 0 });
        return (await invite(org)).json.data.url as string;
      }),
    );
    await setQuotas(service, org, { members: 2 });
    let next = 0;
    const accept = () =>
      new Browser(service.url).call('POST', '/api/v1/auth/accept', {
        token: tokenIn(invitations[next++] as string),
        name: 'Ada',
        email: anEmail(),
        password: PASSWORD,
      });
    assert.deepEqual(await together(4, accept), [201, 201, 409, 409]);
  });

  it('keep a refusal for its Idempotency-Key, like any 409, and count a repeated request once', async () => {
    const org = await service.newOrganization();
    await setQuotas(service, org, { posts_per_day: 1 });
    const headers = { 'idempotency-key': 'once' };
    const [first, again] = [await post(org, headers), await post(org, headers)];
    assert.equal(again.json.data.id, first.json.data.id);
    assert.equal((await post(org, { 'idempotency-key': 'twice' })).status, 409);
    await setQuotas(service, org, { posts_per_day: null });
    const replayed = await post(org, { 'idempotency-key': 'twice' });
    assert.equal(replayed.status, 409);
    assert.equal(replayed.headers.get('idempotency-replayed'), 'true');
    assert.equal((await post(org, { 'idempotency-key': 'new' })).status, 201);
  });

  it('count kept answers as stored bytes until they are pruned, and never refuse a request for them', async () => {
    const org = await service.newOrganization();
    await setQuotas(service, org, { bytes: 1 });
    for (const name of ['a', 'b', 'c'])
      assert.equal((await post(org, { 'idempotency-key': name })).status, 201);
    const { used } = (await quotasOf(org)).bytes;
    assert.ok(used > 900, `${used} bytes`);
    assert.deepEqual(await recount(service.app.db, ['bytes']), []);
    service.clock.advance(DAY_MS);
    // An expired key that is used again is counted anew.
    await post(org, { 'idempotency-key': 'a' });
    assert.deepEqual(await recount(service.app.db, ['bytes']), []);
    service.clock.advance(DAY_MS + 1);
    await sweep(service.app);
    assert.equal((await quotasOf(org)).bytes.used, 0);
    service.clock.resume();
  });

  it('cost creating a post nothing without a limit, and one statement with one', async () => {
    const org = await service.newOrganization();
    const statements = async () => {
      const sent: Statement[] = [];
      const end = statementsOf(engine, sent);
      assert.equal((await post(org)).status, 201);
      end();
      return sent.filter(
        // The last use of a key is recorded by itself, some time after the first request.
        ({ text }) =>
          !/^(begin|commit|savepoint|release|notify|select pg_notify|update "api_keys")/i.test(text),
      );
    };
    await statements();
    const without = await statements();
    assert.ok(!without.some(({ text }) => /daily_post_counts|stored_bytes|quotas/.test(text)));
    await setQuotas(service, org, { posts_per_day: 100 });
    await statements();
    const limited = await statements();
    assert.equal(limited.length, without.length + 1, JSON.stringify(limited));
    assert.match(limited.find(({ text }) => /daily_post_counts/.test(text))?.text ?? '', /^insert/);
  });
});

onEngines('sqlite', 'a quota of accounts', (engine) => {
  const service = useService(engine);

  /** The status of the last page of the consent. */
  async function connect(org: Organization, username: string): Promise<{ status: number; text: string }> {
    const { json } = await org.call('POST', '/api/v1/social-accounts/connect');
    return send('GET', await consent(json.data.authorize_url, { decision: 'allow', username }), {});
  }

  it('refuses a new account, and always allows to reconnect one that the organization has', async () => {
    const org = await service.newOrganization();
    const first = await org.connectAccount('first');
    await setQuotas(service, org, { accounts: 1 });
    const refused = await connect(org, 'second');
    assert.equal(refused.status, 409);
    assert.match(refused.text, /has 1 of its 1 connected accounts/);
    assert.deepEqual((await quotasOf(org)).accounts, { used: 1, limit: 1 });
    assert.equal((await connect(org, 'first')).status, 200);
    // A disconnected account has given its place back.
    await org.call('DELETE', `/api/v1/social-accounts/${first}`);
    assert.equal((await connect(org, 'second')).status, 200);
    assert.equal((await connect(org, 'first')).status, 409);
  });

  it('lets one of two concurrent consents take the last place', async () => {
    const org = await service.newOrganization();
    await setQuotas(service, org, { accounts: 1 });
    const statuses = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => (await connect(org, name)).status),
    );
    assert.deepEqual(statuses.sort(), [200, 409, 409]);
  });
});
