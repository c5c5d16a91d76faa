import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ListPosts } from '../../src/posts/list/schema.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import {
  addPostIn,
  assertProblem,
  assertRefused,
  changePost,
  listIds,
  listPosts,
  readPost,
  setPost,
  slot,
  TIMESTAMP,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const PATH = '/api/v1/labels';

const create = (org: Organization, name: string, colour = 'red') => org.call('POST', PATH, { name, colour });

async function addLabel(org: Organization, name: string): Promise<string> {
  const answer = await create(org, name);
  assert.equal(answer.status, 201, answer.text);
  return answer.json.data.id;
}

const listLabels = async (org: Organization) => (await org.sdk.request('GET', '/api/v1/labels')).data;

const remove = (org: Organization, id: string) => org.call('DELETE', `${PATH}/${id}`);

onEngines('postgres', 'A label', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  it('is created, listed by name, renamed and deleted', async () => {
    const org = await service.newOrganization();
    const created = await create(org, 'Zebra', 'teal');
    assert.equal(created.status, 201);
    const { data } = created.json;
    assert.equal(created.headers.get('location'), `${PATH}/${data.id}`);
    assert.match(data.created_at, TIMESTAMP);
    assert.deepEqual(Object.keys(data).sort(), ['colour', 'created_at', 'id', 'name']);
    await addLabel(org, 'apple');
    const names = async () => (await listLabels(org)).map(({ name, colour }) => [name, colour]);
    assert.deepEqual(await names(), [
      ['apple', 'red'],
      ['Zebra', 'teal'],
    ]);
    const changed = await org.call('PATCH', `${PATH}/${data.id}`, { name: 'Aardvark' });
    assert.deepEqual(changed.json.data, { ...data, name: 'Aardvark' });
    const coloured = await org.call('PATCH', `${PATH}/${data.id}`, { colour: 'blue' });
    assert.deepEqual(coloured.json.data, { ...data, name: 'Aardvark', colour: 'blue' });
    assert.deepEqual((await org.call('PATCH', `${PATH}/${data.id}`, {})).json.data, coloured.json.data);
    assert.deepEqual(await names(), [
      ['Aardvark', 'blue'],
      ['apple', 'red'],
    ]);
    assert.equal((await remove(org, data.id)).status, 204);
    assertProblem(await remove(org, data.id), 404, 'not_found');
    assertProblem(await org.call('PATCH', `${PATH}/${data.id}`, { name: 'x' }), 404, 'not_found');
    assert.deepEqual(await names(), [['apple', 'red']]);
  });

  it('has a name that is unique in its organization, regardless of case and spaces', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const id = await addLabel(org, 'Straße und Maß');
    for (const name of ['straße und maß', 'STRASSE UND MASS', ' Straße  und maß '])
      assertProblem(await create(org, name), 409, 'name_taken');
    await addLabel(other, 'straße und maß');
    const second = await addLabel(org, 'Two');
    assertProblem(
      await org.call('PATCH', `${PATH}/${second}`, { name: 'STRAßE UND MAß' }),
      409,
      'name_taken',
    );
    const own = await org.call('PATCH', `${PATH}/${id}`, { name: 'STRASSE UND MASS' });
    assert.equal(own.json.data.name, 'STRASSE UND MASS');
    await remove(org, id);
    await addLabel(org, 'Straße und Maß');
  });

  it('takes its name and the last of 100 places once, however many requests try', async () => {
    const org = await service.newOrganization();
    const same = await Promise.all(Array.from({ length: 5 }, () => create(org, 'Same')));
    assert.deepEqual(same.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
    await service.app.db.transact((tx) =>
      tx
        .insertInto('labels')
        .values(
          Array.from({ length: 98 }, (_, n) => ({
            org_id: org.id,
            id: service.app.newId(),
            name: `Label ${n}`,
            name_key: `label ${n}`,
            colour: 'grey',
            created_at: 1,
          })),
        )
        .execute(),
    );
    const last = await Promise.all([1, 2, 3].map((n) => create(org, `Last ${n}`)));
    assert.deepEqual(last.map(({ status }) => status).sort(), [201, 409, 409]);
    const refused = await create(org, 'One more');
    assertProblem(refused, 409, 'limit_reached');
    assert.match(refused.json.detail, /100 labels.*Delete one/);
    const all = await listLabels(org);
    assert.equal(all.length, 100, 'on one page');
    await remove(org, all[0]?.id ?? '');
    await addLabel(org, 'One more');
  });

  it('is shown on posts that are created or changed with it, in the given order, and the ETag changes', async () => {
    const org = await service.newOrganization();
    const [a, b] = [await addLabel(org, 'A'), await addLabel(org, 'B')];
    const created = await org.call('POST', '/api/v1/posts', { title: 'x', labels: [b, a.toUpperCase()] });
    assert.deepEqual(created.json.data.labels, [b, a]);
    const path = `/api/v1/posts/${created.json.data.id}`;
    const before = await org.call('GET', path);
    assert.deepEqual(before.json.data.labels, [b, a]);
    const changed = await org.call(
      'PATCH',
      path,
      { labels: [a] },
      { 'if-match': before.headers.get('etag')! },
    );
    assert.deepEqual(changed.json.data.labels, [a]);
    assert.notEqual(changed.headers.get('etag'), before.headers.get('etag'));
    const after = await org.call('GET', path);
    assert.equal(after.headers.get('etag'), changed.headers.get('etag'));
    assert.deepEqual((await listPosts(org)).data[0]?.labels, [a]);
    assertProblem(
      await org.call('PATCH', path, { labels: [] }, { 'if-match': before.headers.get('etag')! }),
      412,
      'precondition_failed',
    );
    // A field that is left out stays unchanged.
    assert.deepEqual((await changePost(org, created.json.data.id, { title: 'y' })).labels, [a]);
    assert.deepEqual((await changePost(org, created.json.data.id, { labels: [] })).labels, []);
    assert.deepEqual(await listIds(org, { label: a }), []);
  });

  it('filters lists together with every other filter, as a plain filter over all posts would', async () => {
    const org = await service.newOrganization();
    const [a, b] = [await addLabel(org, 'A'), await addLabel(org, 'B')];
    const account = await org.addAccount();
    const ids: string[] = [];
    for (const [n, labels] of [[a], [b], [a, b], [], [a], [b, a], [a], []].entries()) {
      const status = (['draft', 'scheduled', 'posted', 'archived'] as const)[n % 4] ?? 'draft';
      const fields = { title: `Post ${n}`, labels, ...(n % 3 === 0 ? { post_type: 'video' } : {}) };
      ids.push(await addPostIn(service, org, status, fields));
      if (n < 2) await setPost(service, ids[n] as string, { social_account_id: account });
    }
    await setPost(service, ids[4] as string, { last_publish_error: 'It failed.' });
    const all = await listPosts(org, { per_page: 100 });
    const queries: ListPosts[] = [
      {},
      { status: 'draft' },
      { status: 'draft,scheduled' },
      { post_type: 'video' },
      { social_account_id: account },
      { sort: 'scheduled_at' },
      { q: 'post' },
      { q: 'post', status: 'posted' },
      { needs_attention: true },
      { needs_attention: true, q: '4' },
      { posted_from: '2000-01-01T00:00:00Z' },
      { scheduled_to: '2100-01-01T00:00:00Z', status: 'scheduled' },
    ];
    for (const query of queries) {
      const plain = (await listPosts(org, { ...query, per_page: 100 })).data;
      for (const label of [a, b]) {
        const expected = plain.filter((post) => post.labels.includes(label)).map(({ id }) => id);
        const { data, pagination } = await listPosts(org, { ...query, label, per_page: 100 });
        assert.deepEqual(
          data.map(({ id }) => id),
          expected,
          JSON.stringify(query),
        );
        assert.equal(pagination.total, expected.length);
        const second = await listIds(org, { ...query, label: label.toUpperCase(), per_page: 2, page: 2 });
        assert.deepEqual(second, expected.slice(2, 4));
      }
    }
    assert.equal(all.data.length, 8);
    const unused = await addLabel(org, 'Unused');
    assert.deepEqual(await listIds(org, { label: unused }), []);
  });

  it('that is deleted is taken off its posts, whose versions rise, and off no other', async () => {
    const org = await service.newOrganization();
    const [a, b] = [await addLabel(org, 'A'), await addLabel(org, 'B')];
    const both = await org.addPost({ labels: [b, a] });
    const one = await addPostIn(service, org, 'posted', { labels: [a] });
    const other = await org.addPost({ labels: [b] });
    const tags = async () =>
      Promise.all(
        [both, one, other].map(async (id) =>
          (await org.call('GET', `/api/v1/posts/${id}`)).headers.get('etag'),
        ),
      );
    const before = await tags();
    const list = await org.call('GET', '/api/v1/posts');
    assert.equal((await remove(org, a)).status, 204);
    assert.deepEqual((await readPost(org, both)).labels, [b]);
    assert.deepEqual((await readPost(org, one)).labels, []);
    assert.deepEqual((await readPost(org, other)).labels, [b]);
    const after = await tags();
    assert.deepEqual(
      after.map((tag, i) => tag === before[i]),
      [false, false, true],
    );
    assert.notEqual((await org.call('GET', '/api/v1/posts')).text, list.text);
    assertRefused(await org.call('GET', `/api/v1/posts?label=${a}`), 'label');
    assertRefused(await org.call('PATCH', `/api/v1/posts/${both}`, { labels: [a] }), 'labels/0');
    const left = await service.app.db.read
      .selectFrom('post_labels')
      .select(['post_id', 'label_id'])
      .where('org_id', '=', org.id)
      .orderBy('post_id')
      .execute();
    assert.deepEqual(left, [
      { post_id: both, label_id: b },
      { post_id: other, label_id: b },
    ]);
  });

  it('on more posts than one transaction takes is deleted too, while posts are labelled with it', async () => {
    const org = await service.newOrganization();
    const id = await addLabel(org, 'Everywhere');
    const first = await org.addPost({ labels: [id] });
    const { app } = service;
    const row = await app.db.read
      .selectFrom('posts')
      .selectAll()
      .where('id', '=', first)
      .executeTakeFirstOrThrow();
    const rows = Array.from({ length: 450 }, (_, n) => ({ ...row, id: app.newId(), created_at: n }));
    await app.db.transact(async (tx) => {
      await tx.insertInto('posts').values(rows).execute();
      await tx
        .insertInto('post_labels')
        .values(
          rows.map((post) => ({
            org_id: org.id,
            post_id: post.id,
            label_id: id,
            created_at: post.created_at,
          })),
        )
        .execute();
    });
    assert.equal((await listPosts(org, { label: id })).pagination.total, 451);
    const [deleted, ...labelled] = await Promise.all([
      remove(org, id),
      ...Array.from({ length: 6 }, () => org.call('POST', '/api/v1/posts', { title: 'Late', labels: [id] })),
    ]);
    assert.equal(deleted?.status, 204);
    for (const { status } of labelled) assert.ok(status === 201 || status === 400, String(status));
    const left = await app.db.read
      .selectFrom('posts')
      .select('id')
      .where('org_id', '=', org.id)
      .where('labels', 'is not', null)
      .execute();
    assert.deepEqual(left, []);
  });

  it('deleting a post removes its labels from it but keeps the labels', async () => {
    const org = await service.newOrganization();
    const id = await addLabel(org, 'A');
    const post = await org.addPost({ labels: [id] });
    assert.equal((await org.call('DELETE', `/api/v1/posts/${post}`)).status, 204);
    assert.deepEqual(await listIds(org, { label: id }), []);
    assert.equal((await listLabels(org)).length, 1);
  });

  it('is shown by a kept list as soon as it is changed', async () => {
    const org = await service.newOrganization();
    const label = await addLabel(org, 'A');
    const id = await org.addPost();
    for (const path of ['/api/v1/posts', `/api/v1/posts/${id}`, `/api/v1/posts?label=${label}`]) {
      await changePost(org, id, { labels: [] });
      const without = await org.call('GET', path);
      await changePost(org, id, { labels: [label] });
      const labelled = await org.call('GET', path);
      assert.ok(!without.text.includes(label) && labelled.text.includes(label), path);
      assert.notEqual(labelled.headers.get('etag'), without.headers.get('etag'));
    }
    await remove(org, label);
    assert.ok(!(await org.call('GET', '/api/v1/posts')).text.includes(label));
  });
});

onEngines('postgres', 'Labels of posts', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  it('must be labels of the organization, each once, at most ten', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const [own, foreign] = [await addLabel(org, 'A'), await addLabel(other, 'A')];
    const id = await org.addPost();
    const wrong: [unknown, ...string[]][] = [
      [[own, foreign], 'labels/1'],
      [[UNKNOWN_ID, own], 'labels/0'],
      [['x'], 'labels/0'],
      [[own, own], 'labels'],
      [[own, own.toUpperCase()], 'labels/1'],
      [own, 'labels'],
      [null, 'labels'],
    ];
    for (const [labels, ...fields] of wrong) {
      assertRefused(await org.call('POST', '/api/v1/posts', { title: 'x', labels }), ...fields);
      assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { labels }), ...fields);
    }
    const ids: string[] = [];
    for (let n = 0; n < 11; n++) ids.push(await addLabel(org, `Label ${n}`));
    assertRefused(await org.call('PATCH', `/api/v1/posts/${id}`, { labels: ids }), 'labels');
    assert.deepEqual((await changePost(org, id, { labels: ids.slice(1) })).labels, ids.slice(1));
    assert.deepEqual((await readPost(org, id)).labels, ids.slice(1));
  });

  it('of a scheduled post need no more than posts:write', async () => {
    const org = await service.newOrganization();
    const label = await addLabel(org, 'A');
    const id = await org.addPost();
    await changePost(org, id, await slot(service, org));
    const key = await org.keyWith(['posts:write']);
    const changed = await service.request('PATCH', `/api/v1/posts/${id}`, { key, body: { labels: [label] } });
    assert.deepEqual([changed.status, changed.json.data.status], [200, 'scheduled']);
    assert.deepEqual(changed.json.data.labels, [label]);
  });

  it('have a name of 1 to 50 characters and one of eight colours', async () => {
    const org = await service.newOrganization();
    assertRefused(await org.call('POST', PATH, {}), 'name', 'colour');
    assertRefused(await create(org, ''), 'name');
    assertRefused(await create(org, 'x'.repeat(51)), 'name');
    assertRefused(await create(org, 'x', 'magenta'), 'colour');
    assertRefused(await org.call('POST', PATH, { name: 'x', colour: 'red', posts: 1 }), 'posts');
    assert.equal((await create(org, '🗺'.repeat(50), 'purple')).status, 201);
    const repeated = { 'idempotency-key': 'one' };
    const answers = [1, 2].map(() => org.call('POST', PATH, { name: 'Once', colour: 'red' }, repeated));
    const [first, second] = await Promise.all(answers);
    assert.deepEqual(first?.json, second?.json);
  });
});
