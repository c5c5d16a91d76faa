import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recount } from '../../src/db/recount.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  addDispatch,
  addPostIn,
  archive,
  assertProblem,
  assertRefused,
  STATUSES,
  UNKNOWN_ID,
  unarchive,
} from '../support/service/posts.js';

const PATH = '/api/v1/posts/counts';
const NONE = { draft: 0, scheduled: 0, publishing: 0, posted: 0, archived: 0, in_inbox: 0 };

onEngines('both', 'GET /api/v1/posts/counts', (engine) => {
  const service = useService(engine);

  it('counts the posts of each status, and none of another organization', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const { status, json } = await org.call('GET', PATH);
    assert.deepEqual([status, json], [200, { data: NONE }]);
    for (const [n, status] of STATUSES.entries())
      for (let i = 0; i <= n; i++) await addPostIn(service, org, status);
    await other.addPost();
    const counts = { draft: 1, scheduled: 2, publishing: 3, posted: 4, archived: 5, in_inbox: 0 };
    assert.deepEqual((await org.sdk.request('GET', PATH)).data, counts);
    await archive(org, await org.addPost());
    assert.deepEqual((await org.sdk.request('GET', PATH)).data, { ...counts, archived: 6 });
  });

  it('counts those of one type and one account', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount();
    await org.addPost();
    await org.addPost({ post_type: 'video' });
    await org.addPost({ post_type: 'video', social_account_id: account });
    const countsOf = async (query: string) => (await org.call('GET', `${PATH}?${query}`)).json.data;
    assert.deepEqual(await countsOf('post_type=video'), { ...NONE, draft: 2 });
    assert.deepEqual(await countsOf(`social_account_id=${account.toUpperCase()}`), { ...NONE, draft: 1 });
    assert.deepEqual(await countsOf(`post_type=slides&social_account_id=${account}`), NONE);
  });

  it('counts drafts in the inbox as posted and on their own, by type and account, until they leave or are archived', async () => {
    const org = await service.newOrganization();
    const [account, other] = [await org.addAccount(), await org.addAccount()];
    const inInbox = async (social_account_id: string, post_type: 'slides' | 'video') => {
      const id = await addPostIn(service, org, 'posted', { post_type, social_account_id });
      await addDispatch(service, org, id, { outcome: 'in_inbox', social_account_id });
      return id;
    };
    const first = await inInbox(account, 'slides');
    const second = await inInbox(other, 'video');
    await inInbox(other, 'slides');
    const published = await addPostIn(service, org, 'posted', { social_account_id: account });
    await addDispatch(service, org, published, { social_account_id: account });
    const countsOf = async (query = '') => {
      const { posted, archived, in_inbox } = (await org.call('GET', `${PATH}?${query}`)).json.data;
      return [posted, archived, in_inbox];
    };
    assert.deepEqual(await countsOf(), [4, 0, 3]);
    assert.deepEqual(await countsOf(`social_account_id=${other}`), [2, 0, 2]);
    assert.deepEqual(await countsOf(`social_account_id=${other}&post_type=video`), [1, 0, 1]);
    assert.deepEqual(await countsOf('post_type=slides'), [3, 0, 2]);
    await archive(org, first, second);
    assert.deepEqual(await countsOf(), [2, 2, 1]);
    await unarchive(org, first);
    assert.deepEqual(await countsOf(), [3, 1, 2]);
    await addDispatch(service, org, first, { attempt: 2, social_account_id: account });
    assert.deepEqual(await countsOf(), [3, 1, 1], 'its last attempt was published');
    assert.equal((await org.call('DELETE', `/api/v1/posts/${second}`)).status, 204);
    assert.deepEqual(await countsOf(), [3, 0, 1]);
    assert.deepEqual(await recount(service.app.db, ['inbox']), []);
  });

  it('needs posts:read, and refuses what it does not know', async () => {
    const org = await service.newOrganization();
    const key = await org.keyWith(['posts:write', 'analytics:read']);
    assertProblem(await service.request('GET', PATH, { key }), 403, 'insufficient_scope');
    assertRefused(await org.call('GET', `${PATH}?post_type=photo`), 'post_type');
    assertRefused(await org.call('GET', `${PATH}?social_account_id=${UNKNOWN_ID}`), 'social_account_id');
    assertRefused(await org.call('GET', `${PATH}?status=draft`), 'status');
  });
});
