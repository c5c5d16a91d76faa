import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { assertProblem, assertRefused, UNKNOWN_ID } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const PATH = '/api/v1/snippets';

const create = (org: Organization, name: string, text = '#maps', kind = 'hashtags') =>
  org.call('POST', PATH, { kind, name, text });

const list = async (org: Organization, query: { kind?: 'caption' | 'hashtags' } = {}) =>
  await org.sdk.request('GET', '/api/v1/snippets', { query });

onEngines('sqlite', 'A snippet', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  it('is created, listed by kind and name, changed and deleted', async () => {
    const org = await service.newOrganization();
    const created = await create(org, 'Outdoors');
    assert.equal(created.status, 201, created.text);
    const { data } = created.json;
    assert.equal(created.headers.get('location'), `${PATH}/${data.id}`);
    assert.deepEqual(Object.keys(data).sort(), ['created_at', 'id', 'kind', 'name', 'text', 'updated_at']);
    await create(org, 'city', '#city');
    await create(org, 'Sign-off', 'See you next week.', 'caption');
    const names = async (kind?: 'caption' | 'hashtags') =>
      (await list(org, kind ? { kind } : {})).data.map((snippet) => snippet.name);
    assert.deepEqual(await names(), ['Sign-off', 'city', 'Outdoors']);
    assert.deepEqual(await names('hashtags'), ['city', 'Outdoors']);
    assert.deepEqual(await names('caption'), ['Sign-off']);
    assert.equal((await list(org)).pagination.total, 3);
    service.clock.advance(5_000);
    const changed = await org.call('PATCH', `${PATH}/${data.id}`, { text: '#maps #tents', name: 'Camping' });
    const { updated_at, ...rest } = changed.json.data;
    assert.deepEqual(
      { ...rest, updated_at: data.updated_at },
      { ...data, name: 'Camping', text: '#maps #tents' },
    );
    assert.ok(updated_at > data.updated_at);
    assert.deepEqual((await org.call('PATCH', `${PATH}/${data.id}`, {})).json, changed.json);
    assert.deepEqual(await names('hashtags'), ['Camping', 'city']);
    for (const status of [204, 404])
      assert.equal((await org.call('DELETE', `${PATH}/${data.id}`)).status, status);
    assert.equal((await org.call('PATCH', `${PATH}/${data.id}`, { name: 'x' })).status, 404);
    assert.deepEqual(await names(), ['Sign-off', 'city']);
  });

  it('has a name that is unique within its kind and organization, regardless of case', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const first = (await create(org, 'Größe')).json.data.id;
    assertProblem(await create(org, 'GRÖSSE'), 409, 'name_taken');
    assert.equal((await create(org, 'GRÖSSE', 'x', 'caption')).status, 201);
    assert.equal((await create(other, 'grösse')).status, 201);
    const second = (await create(org, 'Other')).json.data.id;
    assertProblem(await org.call('PATCH', `${PATH}/${second}`, { name: 'größe ' }), 409, 'name_taken');
    assert.equal((await org.call('PATCH', `${PATH}/${first}`, { name: 'grösse' })).status, 200);
  });

  it('has a text within the limit of its field', async () => {
    const org = await service.newOrganization();
    assertRefused(await create(org, 'a', '🗺'.repeat(501)), 'text');
    assertRefused(await create(org, 'a', 'x'.repeat(2201), 'caption'), 'text');
    assertRefused(await create(org, 'a', ''), 'text');
    const hashtags = await create(org, 'a', '🗺'.repeat(500));
    assert.equal(hashtags.status, 201);
    const caption = await create(org, 'a', '🗺'.repeat(2200), 'caption');
    assert.equal(caption.status, 201);
    const longer = { text: 'x'.repeat(501) };
    assertRefused(await org.call('PATCH', `${PATH}/${hashtags.json.data.id}`, longer), 'text');
    assert.equal((await org.call('PATCH', `${PATH}/${caption.json.data.id}`, longer)).status, 200);
    assertRefused(await create(org, 'x'.repeat(51)), 'name');
    assertRefused(await create(org, 'b', 'x', 'title'), 'kind');
    assertRefused(await org.call('PATCH', `${PATH}/${UNKNOWN_ID}`, { kind: 'caption' }), 'kind');
    assertRefused(await org.call('GET', `${PATH}?kind=title`), 'kind');
  });

  it('takes the last of 200 places once', async () => {
    const org = await service.newOrganization();
    await service.app.db.transact((tx) =>
      tx
        .insertInto('snippets')
        .values(
          Array.from({ length: 199 }, (_, n) => ({
            org_id: org.id,
            id: service.app.newId(),
            kind: 'caption' as const,
            name: `Snippet ${n}`,
            name_key: `snippet ${n}`,
            content: 'x',
            created_at: 1,
            updated_at: 1,
          })),
        )
        .execute(),
    );
    const last = await Promise.all([1, 2, 3].map((n) => create(org, `Last ${n}`)));
    assert.deepEqual(last.map(({ status }) => status).sort(), [201, 409, 409]);
    const refused = await create(org, 'One more');
    assertProblem(refused, 409, 'limit_reached');
    assert.match(refused.json.detail, /200 snippets/);
    const { data, pagination } = await list(org);
    assert.deepEqual([data.length, pagination.total_pages], [200, 1]);
  });
});
