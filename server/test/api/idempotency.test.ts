import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Kysely } from 'kysely';
import type { Tables } from '../../src/db/tables.js';
import { sweep } from '../../src/worker/sweep.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type Organization, useService } from '../support/service/harness.js';
import type { Answer } from '../support/service/send.js';

const POSTS = '/api/v1/posts';
const HOUR = 3_600_000;

const withKey = (key: string) => ({ 'idempotency-key': key });
const isReplay = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

const create = (org: Organization, key: string, title = 'A post') =>
  org.call('POST', POSTS, { title }, withKey(key));

const countPosts = async (org: Organization) => (await org.call('GET', POSTS)).json.pagination.total;

onEngines('both', 'Idempotency-Key', (engine) => {
  const service = useService(engine);
  const records = (org: Organization) =>
    service.app.db.read.selectFrom('idempotency_records').selectAll().where('org_id', '=', org.id).execute();

  /** Every value in every table, as one text. */
  async function wholeDatabase(): Promise<string> {
    const db = service.app.db.read as unknown as Kysely<Tables>;
    const tables = await db.introspection.getTables();
    const rows = [];
    for (const { name } of tables) {
      // The parts of the search's index hold no text, and are not meant to be read.
      if (name.startsWith('post_search_fts')) continue;
      rows.push(
        ...(await db
          .selectFrom(name as 'posts')
          .selectAll()
          .execute()),
      );
    }
    return JSON.stringify(rows);
  }

  it('replays a creation byte for byte, with its Location, and creates nothing', async () => {
    const org = await service.newOrganization();
    const first = await create(org, 'create-1', 'Ünïcode 🎈');
    assert.equal(first.status, 201);
    assert.ok(!isReplay(first));
    const again = await create(org, 'create-1', 'Ünïcode 🎈');
    assert.equal(again.status, 201);
    assert.ok(isReplay(again));
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('location'), first.headers.get('location'));
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
    assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'));
    assert.equal(await countPosts(org), 1);
  });

  it('replays the response to a change, whatever has changed since', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const rename = (title: string, headers = {}) => org.call('PATCH', `${POSTS}/${id}`, { title }, headers);
    const first = await rename('First', withKey('rename'));
    await rename('Second');
    const again = await rename('First', withKey('rename'));
    assert.ok(isReplay(again));
    assert.equal(again.text, first.text);
    assert.equal((await org.call('GET', `${POSTS}/${id}`)).json.data.title, 'Second');
  });

  it('replays a batch', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const batch = (action: string, headers = {}) =>
      org.call('PATCH', `${POSTS}/batch`, { ids: [id], action }, headers);
    const first = await batch('archive', withKey('archive'));
    await batch('unarchive');
    const again = await batch('archive', withKey('archive'));
    assert.ok(isReplay(again));
    assert.equal(again.text, first.text);
    assert.deepEqual(again.json, { data: { archived: 1 } });
    assert.equal((await org.call('GET', `${POSTS}/${id}`)).json.data.status, 'draft');
  });

  it('replays whatever the whitespace of the JSON', async () => {
    const org = await service.newOrganization();
    const send = (raw: string) =>
      service.request('POST', POSTS, {
        key: org.key,
        raw,
        headers: { ...withKey('spaced'), 'content-type': 'application/json' },
      });
    await send('{"title":"A"}');
    assert.ok(isReplay(await send('{ "title" :\n"A" }')));
  });

  it('replays to another key of the same organization', async () => {
    const org = await service.newOrganization();
    const first = await create(org, 'shared');
    const key = await org.keyWith(['posts:write']);
    const again = await service.request('POST', POSTS, {
      key,
      body: { title: 'A post' },
      headers: withKey('shared'),
    });
    assert.ok(isReplay(again));
    assert.equal(again.text, first.text);
  });

  it('replays nothing to a key without the scope', async () => {
    const org = await service.newOrganization();
    await create(org, 'not-for-readers');
    const key = await org.keyWith(['posts:read']);
    const refused = await service.request('POST', POSTS, {
      key,
      body: { title: 'A post' },
      headers: withKey('not-for-readers'),
    });
    assert.equal(refused.status, 403);
  });

  it('used again with another body is 422, and the first response stays', async () => {
    const org = await service.newOrganization();
    const first = await create(org, 'reused');
    const refused = await create(org, 'reused', 'Another post');
    assert.equal(refused.status, 422);
    assert.equal(refused.json.code, 'idempotency_key_reused');
    assert.ok(!isReplay(refused));
    assert.equal((await create(org, 'reused')).text, first.text);
    assert.equal(await countPosts(org), 1);
  });

  it('used again on another route, method or path is 422', async () => {
    const org = await service.newOrganization();
    const [one, other] = [await org.addPost(), await org.addPost()];
    await org.call('PATCH', `${POSTS}/${one}`, { title: 'New' }, withKey('routed'));
    for (const [method, path] of [
      ['PATCH', `${POSTS}/${other}`],
      ['POST', POSTS],
    ] as const) {
      const refused = await org.call(method, path, { title: 'New' }, withKey('routed'));
      assert.equal(refused.status, 422, path);
      assert.equal(refused.json.code, 'idempotency_key_reused');
    }
    assert.equal((await org.call('GET', `${POSTS}/${other}`)).json.data.title, 'A post');
  });

  it('is kept per organization: the same key of another one is another key', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const first = await create(org, 'common');
    const second = await create(other, 'common');
    assert.equal(second.status, 201);
    assert.ok(!isReplay(second));
    assert.notEqual(second.json.data.id, first.json.data.id);
    assert.equal(second.json.data.org_id, other.id);
  });

  it('of 50 concurrent requests makes one row and 50 equal responses', async () => {
    const org = await service.newOrganization();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(org, 'all-at-once')));
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [201]);
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
    assert.equal(answers.filter((answer) => !isReplay(answer)).length, 1);
    assert.equal(await countPosts(org), 1);
  });

  it('of 50 different concurrent requests serves one and answers 422 to the others', async () => {
    const org = await service.newOrganization();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => create(org, 'contested', `Post ${i}`)),
    );
    const codes = answers.map((answer) => answer.status).sort();
    assert.deepEqual(codes, [201, ...Array(49).fill(422)]);
    assert.equal(await countPosts(org), 1);
  });

  it('keeps a 409 and replays it, even when the state would allow the change now', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const batch = (action: string) => org.call('PATCH', `${POSTS}/batch`, { ids: [id], action });
    const rename = () => org.call('PATCH', `${POSTS}/${id}`, { title: 'New' }, withKey('refused'));
    await batch('archive');
    const first = await rename();
    assert.equal(first.status, 409);
    assert.ok(!isReplay(first));
    await batch('unarchive');
    const again = await rename();
    assert.equal(again.status, 409);
    assert.ok(isReplay(again));
    assert.match(again.headers.get('content-type') ?? '', /^application\/problem\+json/);
    assert.deepEqual({ ...again.json, request_id: null }, { ...first.json, request_id: null });
    assert.equal(again.json.request_id, again.headers.get('x-request-id'));
    assert.equal((await org.call('GET', `${POSTS}/${id}`)).json.data.title, 'A post');
  });

  it('does not keep a 400: the corrected request succeeds with the same key', async () => {
    const org = await service.newOrganization();
    const refused = [
      await org.call('POST', POSTS, {}, withKey('corrected')),
      await org.call('POST', POSTS, { title: 'A', social_account_id: org.id }, withKey('corrected')),
      await service.request('POST', POSTS, {
        key: org.key,
        raw: '{',
        headers: { ...withKey('corrected'), 'content-type': 'application/json' },
      }),
    ];
    for (const answer of refused) assert.equal(answer.status, 400);
    const corrected = await create(org, 'corrected');
    assert.equal(corrected.status, 201);
    assert.ok(!isReplay(corrected));
  });

  it('does not keep a 401, 403 or 404', async () => {
    const org = await service.newOrganization();
    const reader = await org.keyWith(['posts:read']);
    const headers = withKey('later');
    const body = { title: 'A post' };
    assert.equal((await service.request('POST', POSTS, { body, headers })).status, 401);
    assert.equal((await service.request('POST', POSTS, { key: reader, body, headers })).status, 403);
    assert.equal((await org.call('PATCH', `${POSTS}/${org.id}`, body, headers)).status, 404);
    assert.deepEqual(await records(org), []);
    assert.equal((await create(org, 'later')).status, 201);
  });

  it('does not keep an internal error', async () => {
    const org = await service.newOrganization();
    const { db } = service.app;
    await db.withMigrationLock((_tx, run) => run('alter table post_counters rename to away'));
    const failed = await create(org, 'try-again');
    await db.withMigrationLock((_tx, run) => run('alter table away rename to post_counters'));
    assert.equal(failed.status, 500);
    const again = await create(org, 'try-again');
    assert.equal(again.status, 201);
    assert.ok(!isReplay(again));
    assert.equal(await countPosts(org), 1);
  });

  it('is kept 24 hours, then it is forgotten', async () => {
    const org = await service.newOrganization();
    service.clock.stopAt(Date.UTC(2031, 0, 1));
    try {
      const first = await create(org, 'daily');
      service.clock.advance(24 * HOUR - 1);
      assert.equal((await create(org, 'daily')).text, first.text);
      service.clock.advance(1);
      const second = await create(org, 'daily', 'Another post');
      assert.equal(second.status, 201);
      assert.ok(!isReplay(second));
      service.clock.advance(24 * HOUR - 1);
      assert.equal((await create(org, 'daily', 'Another post')).text, second.text);
    } finally {
      service.clock.resume();
    }
  });

  it('leaves nothing behind after a day: the sweep removes old records, however many, and no young ones', async () => {
    const org = await service.newOrganization();
    const now = Date.UTC(2031, 6, 1);
    service.clock.stopAt(now);
    try {
      const old = Array.from({ length: 1100 }, (_, i) => ({
        org_id: org.id,
        key: `old-${i}`,
        fingerprint: '',
        response: null,
        created_at: now - 24 * HOUR - i,
      }));
      await service.app.db.transact(async (tx) => {
        for (let i = 0; i < old.length; i += 100)
          await tx
            .insertInto('idempotency_records')
            .values(old.slice(i, i + 100))
            .execute();
      });
      await create(org, 'young');
      await sweep(service.app);
      assert.deepEqual(
        (await records(org)).map((record) => record.key),
        ['young'],
      );
      assert.ok(isReplay(await create(org, 'young')));
    } finally {
      service.clock.resume();
    }
  });

  it('must have 1 to 255 visible ASCII characters: anything else is 400', async () => {
    const org = await service.newOrganization();
    for (const key of ['', 'two words', 'tab\there', 'é', 'x'.repeat(256)]) {
      const { status, json } = await create(org, key);
      assert.equal(status, 400, JSON.stringify(key));
      assert.match(json.detail, /Idempotency-Key/);
    }
    assert.equal(await countPosts(org), 0);
    for (const key of ['x', '!~', 'x'.repeat(255), '8e03978e-40d5-43e8-bc93-6894a57f9324'])
      assert.equal((await create(org, key)).status, 201, key);
  });

  it('is case-sensitive', async () => {
    const org = await service.newOrganization();
    await create(org, 'case');
    assert.ok(!isReplay(await create(org, 'CASE')));
    assert.equal(await countPosts(org), 2);
  });

  it('replays the secret of a new key, though the database holds no plain copy', async () => {
    const org = await service.newOrganization();
    const issue = () => org.call('POST', '/api/v1/keys', { name: 'Replayed' }, withKey('issue'));
    const first = await issue();
    const again = await issue();
    assert.ok(isReplay(again));
    assert.equal(again.text, first.text);
    const secret = first.json.data.key;
    assert.equal((await service.request('GET', '/api/v1/me', { key: secret })).status, 200);
    const everything = await wholeDatabase();
    assert.ok(everything.includes(first.json.data.id), 'the database was really searched');
    assert.ok(!everything.includes(secret));
    assert.ok(!everything.includes(Buffer.from(secret).toString('base64').slice(0, -4)));
  });

  it('gives a narrower key no secret that it could not have issued itself', async () => {
    const org = await service.newOrganization();
    const body = { name: 'Wide' };
    const wide = await org.call('POST', '/api/v1/keys', body, withKey('wide'));
    const narrow = await org.keyWith(['org:manage']);
    const answer = await service.request('POST', '/api/v1/keys', {
      key: narrow,
      body,
      headers: withKey('wide'),
    });
    assert.ok(!answer.text.includes(wide.json.data.key), `answered ${answer.status} with the wider key`);
  });

  it('works for the operator too', async () => {
    const ask = (method: string, path: string, body: unknown, key: string) =>
      service.request(method, `/api/admin/v1/organizations${path}`, {
        key: ADMIN_TOKEN,
        body,
        headers: withKey(key),
      });
    const organization = { name: 'Once only', plan: 'starter' };
    const made = await ask('POST', '', organization, 'operator-create');
    const again = await ask('POST', '', organization, 'operator-create');
    assert.equal(again.status, 201);
    assert.ok(isReplay(again));
    assert.equal(again.text, made.text);
    assert.equal(again.headers.get('location'), made.headers.get('location'));

    const { id } = made.json.data;
    const keys = [1, 2].map(() => ask('POST', `/${id}/keys`, { name: 'Key' }, 'operator-key'));
    const [one, other] = await Promise.all(keys);
    assert.equal(one?.text, other?.text);

    await ask('PATCH', `/${id}`, { plan: 'growth' }, 'operator-plan');
    await ask('PATCH', `/${id}`, { plan: 'agency' }, 'operator-plan-2');
    const replayed = await ask('PATCH', `/${id}`, { plan: 'growth' }, 'operator-plan');
    assert.ok(isReplay(replayed));
    assert.equal(replayed.json.data.plan, 'growth');
    assert.equal((await ask('POST', '', { ...organization, plan: 'agency' }, 'operator-create')).status, 422);
  });

  it('of the operator is separate from those of organizations', async () => {
    const org = await service.newOrganization();
    await create(org, 'operator-and-organization');
    const made = await service.request('POST', '/api/admin/v1/organizations', {
      key: ADMIN_TOKEN,
      body: { name: 'Another', plan: 'starter' },
      headers: withKey('operator-and-organization'),
    });
    assert.equal(made.status, 201);
  });
});
