import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine, useService } from '../harness.js';
import { assertRefused, bodyOf, TIMESTAMP } from '../posts.js';

const PATH = '/api/v1/social-accounts';

onEachEngine('GET /api/v1/social-accounts', (engine) => {
  const service = useService(engine);

  it('is empty for an organization without accounts', async () => {
    const org = await service.newOrganization();
    const { data, pagination } = bodyOf(await org.sdk.GET(PATH));
    assert.deepEqual(data, []);
    assert.deepEqual(pagination, { page: 1, per_page: 20, total: 0, total_pages: 0 });
  });

  it('tells id, names and status of each account, and no secret of it', async () => {
    const org = await service.newOrganization();
    const id = await org.addAccount();
    const { json } = await org.call('GET', PATH);
    assert.deepEqual(Object.keys(json).sort(), ['data', 'pagination']);
    const [account] = json.data;
    assert.deepEqual(Object.keys(account).sort(), [
      'created_at',
      'display_name',
      'id',
      'status',
      'updated_at',
      'username',
    ]);
    assert.equal(account.id, id);
    assert.equal(account.status, 'connected');
    assert.match(account.created_at, TIMESTAMP);
    assert.match(account.updated_at, TIMESTAMP);
  });

  it('says which account must be reconnected', async () => {
    const org = await service.newOrganization();
    await org.addAccount('reconnect_required');
    const { data } = bodyOf(await org.sdk.GET(PATH));
    assert.deepEqual(
      data.map(({ status }) => status),
      ['reconnect_required'],
    );
  });

  it('pages through all accounts, each once', async () => {
    const org = await service.newOrganization();
    const added: string[] = [];
    for (let i = 0; i < 5; i++) added.push(await org.addAccount());
    const seen: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { data, pagination } = bodyOf(
        await org.sdk.GET(PATH, { params: { query: { page, per_page: 2 } } }),
      );
      assert.deepEqual(pagination, { page, per_page: 2, total: 5, total_pages: 3 });
      seen.push(...data.map(({ id }) => id));
    }
    assert.deepEqual(seen.sort(), added.sort());
  });

  it('never shows the accounts of another organization', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    await other.addAccount();
    const { data, pagination } = bodyOf(await org.sdk.GET(PATH));
    assert.deepEqual(data, []);
    assert.equal(pagination.total, 0);
  });

  it('refuses pages out of range and parameters it does not know', async () => {
    const org = await service.newOrganization();
    for (const [query, field] of [
      ['page=0', 'page'],
      ['page=1001', 'page'],
      ['per_page=0', 'per_page'],
      ['per_page=101', 'per_page'],
      ['limit=5', 'limit'],
    ] as const)
      assertRefused(await org.call('GET', `${PATH}?${query}`), field);
  });
});
