import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine, useService } from '../harness.js';
import { addPostIn, archive, assertProblem, assertRefused, STATUSES, UNKNOWN_ID } from '../posts.js';

const PATH = '/api/v1/posts/counts';
const NONE = { draft: 0, scheduled: 0, publishing: 0, posted: 0, archived: 0 };

onEachEngine('GET /api/v1/posts/counts', (engine) => {
  const service = useService(engine);

  it('counts the posts of each status, and none of another organization', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    const { status, json } = await org.call('GET', PATH);
    assert.deepEqual([status, json], [200, { data: NONE }]);
    for (const [n, status] of STATUSES.entries())
      for (let i = 0; i <= n; i++) await addPostIn(service, org, status);
    await other.addPost();
    const counts = { draft: 1, scheduled: 2, publishing: 3, posted: 4, archived: 5 };
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

  it('needs posts:read, and refuses what it does not know', async () => {
    const org = await service.newOrganization();
    const key = await org.keyWith(['posts:write', 'analytics:read']);
    assertProblem(await service.request('GET', PATH, { key }), 403, 'insufficient_scope');
    assertRefused(await org.call('GET', `${PATH}?post_type=photo`), 'post_type');
    assertRefused(await org.call('GET', `${PATH}?social_account_id=${UNKNOWN_ID}`), 'social_account_id');
    assertRefused(await org.call('GET', `${PATH}?status=draft`), 'status');
  });
});
