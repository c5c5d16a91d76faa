import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import type { Organization } from '../support/service/harness.js';
import {
  archive,
  assertProblem,
  assertRefused,
  dispatchesOf,
  publish,
  published,
  readyPost,
  setPost,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import { useTidyWorld } from '../support/world/world.js';

const ALL = '/api/v1/dispatches';
const of = (id: string) => `/api/v1/posts/${id}/dispatches`;

/** The dispatch object of the contract, field by field. */
const FIELDS = [
  'id',
  'post_id',
  'social_account_id',
  'platform',
  'trigger',
  'attempt',
  'mode',
  'outcome',
  'publish_id',
  'post_url',
  'platform_post_id',
  'social_status',
  'error_code',
  'error_message',
  'scheduled_for',
  'started_at',
  'accepted_at',
  'finished_at',
];

async function list(org: Organization, query: Record<string, string | number> = {}) {
  return await org.sdk.request('GET', ALL, { query: query as object });
}

onEngines('postgres', 'GET /api/v1/dispatches and /api/v1/posts/:id/dispatches', (engine) => {
  const world = useTidyWorld(engine);

  /** Three attempts: failed, then accepted, of one post; accepted of another. Newest first. */
  async function threeAttempts() {
    const { org, accountId } = await world.creator();
    const first = await readyPost(org);
    await world.platform.control('faults', { on: 'init', kind: 'http_429' });
    assert.equal((await publish(org, first, accountId)).status, 503);
    await published(org, first, accountId);
    const second = await readyPost(org);
    await published(org, second, accountId, { mode: 'inbox' });
    return { org, accountId, first, second };
  }

  it('is empty without attempts', async () => {
    const { org } = await world.creator();
    const empty = { data: [], pagination: { page: 1, per_page: 20, total: 0, total_pages: 0 } };
    assert.deepEqual((await org.call('GET', ALL)).json, empty);
    assert.deepEqual((await org.call('GET', of(await org.addPost()))).json, empty);
  });

  it('has the fields of the contract and nothing else', async () => {
    const { org, first } = await threeAttempts();
    for (const path of [ALL, of(first)])
      for (const dispatch of (await org.call('GET', path)).json.data)
        assert.deepEqual(Object.keys(dispatch).sort(), [...FIELDS].sort());
  });

  it('lists the newest first, of the organization and of a post', async () => {
    const { org, first, second } = await threeAttempts();
    const short = (rows: { post_id: string; attempt: number; outcome: string }[]) =>
      rows.map(({ post_id, attempt, outcome }) => [post_id, attempt, outcome]);
    const { data, pagination } = await list(org);
    assert.deepEqual(short(data), [
      [second, 1, 'accepted'],
      [first, 2, 'accepted'],
      [first, 1, 'failed'],
    ]);
    assert.deepEqual(pagination, { page: 1, per_page: 20, total: 3, total_pages: 1 });
    assert.deepEqual(short(await dispatchesOf(org, first)), [
      [first, 2, 'accepted'],
      [first, 1, 'failed'],
    ]);
  });

  it('says with include=post_changed whether what is sent has changed, which labels and the archive do not', async () => {
    const { org, accountId } = await world.creator();
    const id = await readyPost(org);
    await published(org, id, accountId);
    const hasChanged = async () => {
      const { data } = (await org.call('GET', `${of(id)}?include=post_changed`)).json;
      return data.map(({ post_changed }: { post_changed: boolean }) => post_changed);
    };
    await setPost(world.service, id, { status: 'draft', posted_at: null });
    assert.deepEqual(await hasChanged(), [false]);
    const label = (await org.call('POST', '/api/v1/labels', { name: 'Spring', colour: 'teal' })).json.data.id;
    const patch = async (body: object) => {
      const answer = await org.call('PATCH', `/api/v1/posts/${id}`, body);
      assert.equal(answer.status, 200, answer.text);
    };
    await patch({ labels: [label] });
    for (const action of ['archive', 'unarchive'])
      await org.call('PATCH', '/api/v1/posts/batch', { ids: [id], action });
    assert.deepEqual(await hasChanged(), [false]);
    for (const [name, value] of [
      ['caption', 'Another'],
      ['disable_comment', true],
    ] as const) {
      const before = (await org.call('GET', `/api/v1/posts/${id}`)).json.data;
      await patch({ [name]: value });
      assert.deepEqual(await hasChanged(), [true], name);
      await patch({ [name]: before[name] });
      assert.deepEqual(await hasChanged(), [false], name);
    }
  });

  it('is paged', async () => {
    const { org, first } = await threeAttempts();
    const ids = (await list(org)).data.map(({ id }) => id);
    const pages = [];
    for (const page of [1, 2, 3, 4]) {
      const { data, pagination } = await list(org, { page, per_page: 1 });
      assert.deepEqual(pagination, { page, per_page: 1, total: 3, total_pages: 3 });
      pages.push(...data.map(({ id }) => id));
    }
    assert.deepEqual(pages, ids);
    const { json } = await org.call('GET', `${of(first)}?page=2&per_page=1`);
    assert.deepEqual([json.data[0].id, json.pagination.total], [ids[2], 2]);
  });

  it('is filtered by outcome, and its total too', async () => {
    const { org, second } = await threeAttempts();
    for (const [outcome, n] of [
      ['accepted', 2],
      ['failed', 1],
      ['started', 0],
      ['published', 0],
      ['in_inbox', 0],
      ['unknown', 0],
    ] as const) {
      const { data, pagination } = await list(org, { outcome });
      assert.deepEqual([data.length, pagination.total], [n, n]);
      for (const dispatch of data) assert.equal(dispatch.outcome, outcome);
    }
    await world.settle((await dispatchesOf(org, second))[0]?.publish_id ?? '');
    assert.equal((await list(org, { outcome: 'in_inbox' })).data[0]?.post_id, second);
  });

  it('is filtered by the code it ended with, and its total too', async () => {
    const { org, first } = await threeAttempts();
    const [failed] = (await list(org, { outcome: 'failed' })).data;
    const error_code = failed?.error_code ?? assert.fail('the failed attempt has a code');
    for (const query of [{ error_code }, { error_code, outcome: 'failed' }]) {
      const { data, pagination } = await list(org, query);
      assert.deepEqual([data.map(({ post_id }) => post_id), pagination.total], [[first], 1]);
    }
    for (const query of [{ error_code, outcome: 'accepted' }, { error_code: 'no_such_code' }])
      assert.deepEqual((await list(org, query)).pagination.total, 0);
    assertRefused(await org.call('GET', `${ALL}?error_code=`), 'error_code');
  });

  it('400: a parameter outside its rules', async () => {
    const { org } = await world.creator();
    assertRefused(await org.call('GET', `${ALL}?outcome=lost`), 'outcome');
    assertRefused(await org.call('GET', `${ALL}?page=0`), 'page');
    assertRefused(await org.call('GET', `${ALL}?per_page=101`), 'per_page');
    assertRefused(await org.call('GET', `${ALL}?post=1`), 'post');
    assertRefused(await org.call('GET', `${of(await org.addPost())}?outcome=failed`), 'outcome');
  });

  it('403: the key needs posts:read', async () => {
    const { org } = await world.creator();
    const key = await org.keyWith(['posts:publish', 'analytics:read']);
    for (const path of [ALL, of(UNKNOWN_ID)])
      assertProblem(await world.service.request('GET', path, { key }), 403, 'insufficient_scope');
  });

  it('shows nothing of another organization', async () => {
    const { first } = await threeAttempts();
    const { org } = await world.creator();
    assert.deepEqual((await list(org)).data, []);
    for (const id of [first, UNKNOWN_ID, 'nonsense'])
      assertProblem(await org.call('GET', of(id)), 404, 'not_found');
  });

  it('is deleted with its post', async () => {
    const { org, first, second } = await threeAttempts();
    await archive(org, first);
    assert.equal((await org.call('DELETE', `/api/v1/posts/${first}`)).status, 204);
    const { data, pagination } = await list(org);
    assert.deepEqual([data.map(({ post_id }) => post_id), pagination.total], [[second], 1]);
    assertProblem(await org.call('GET', of(first)), 404, 'not_found');
  });
});
