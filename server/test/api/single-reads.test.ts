// One account, key or attempt by its id, and a key's name.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { addDispatch, assertProblem, assertRefused, UNKNOWN_ID } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const ACCOUNTS = '/api/v1/social-accounts';
const KEYS = '/api/v1/keys';
const DISPATCHES = '/api/v1/dispatches';

onEngines('sqlite', 'One of them by its id', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  for (const [path, kind] of [
    [ACCOUNTS, 'account'],
    [KEYS, 'key'],
    [DISPATCHES, 'dispatch'],
  ] as const)
    it(`is the ${kind} of the list, and 404 for any other id`, async () => {
      const org = await service.newOrganization();
      if (kind === 'account') await org.addAccount();
      if (kind === 'dispatch') await addDispatch(service, org, await org.addPost(), { error_code: 'x' });
      const [listed] = (await org.call('GET', path)).json.data;
      for (const id of [listed.id, listed.id.toUpperCase()]) {
        const { json } = await org.call('GET', `${path}/${id}`);
        // The key that asks has been used meanwhile.
        if (kind === 'key') Object.assign(json.data, lastUseOf(listed));
        assert.deepEqual({ ...json.data, ...listed }, json.data);
      }
      const other = await service.newOrganization();
      assertProblem(await other.call('GET', `${path}/${listed.id}`), 404, 'not_found');
      for (const id of [UNKNOWN_ID, 'x'])
        assertProblem(await org.call('GET', `${path}/${id}`), 404, 'not_found');
    });

  it('is not found once the account is disconnected or the key revoked', async () => {
    const org = await service.newOrganization();
    const account = await org.addAccount('disconnected');
    assertProblem(await org.call('GET', `${ACCOUNTS}/${account}`), 404, 'not_found');
    const { id } = (await org.sdk.request('POST', KEYS, { body: { name: 'One' } })).data;
    await org.call('DELETE', `${KEYS}/${id}`);
    for (const method of ['GET', 'PATCH'])
      assertProblem(
        await org.call(method, `${KEYS}/${id}`, method === 'PATCH' ? { name: 'Two' } : undefined),
        404,
        'not_found',
      );
  });

  it('is a key that can be renamed, which the log tells, and which acts under its new name at once', async () => {
    const org = await service.newOrganization();
    const made = (await org.sdk.request('POST', KEYS, { body: { name: 'One' } })).data;
    const { key, ...shown } = made;
    const asMade = (method: string, path: string, body?: unknown) =>
      service.request(method, path, { key, body });
    assert.equal((await asMade('GET', '/api/v1/me')).status, 200);
    const answer = await org.call('PATCH', `${KEYS}/${made.id}`, { name: 'Two' });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual({ ...answer.json.data, ...lastUseOf(shown) }, { ...shown, name: 'Two' });
    assert.equal(answer.json.data.key, undefined);

    assert.equal((await asMade('POST', KEYS, { name: 'Made by it' })).status, 201);
    const [byIt, renamed] = (await org.sdk.organization.audit()).data;
    assert.deepEqual([byIt?.actor.name, byIt?.action], ['Two', 'key.created']);
    assert.deepEqual(
      [renamed?.action, renamed?.target, renamed?.details],
      ['key.renamed', { kind: 'key', id: made.id, name: 'Two' }, { from: 'One', to: 'Two' }],
    );
  });

  it('is a key that nothing changes for without a new name', async () => {
    const org = await service.newOrganization();
    const { id } = (await org.sdk.request('POST', KEYS, { body: { name: 'One' } })).data;
    const logged = async () => (await org.sdk.organization.audit()).pagination.total;
    const before = await logged();
    for (const body of [{}, { name: 'One' }])
      assert.equal((await org.call('PATCH', `${KEYS}/${id}`, body)).json.data.name, 'One');
    assert.equal(await logged(), before);
    for (const name of ['', 'x'.repeat(101), null, 5])
      assertRefused(await org.call('PATCH', `${KEYS}/${id}`, { name }), 'name');
    assertRefused(await org.call('PATCH', `${KEYS}/${id}`, { scopes: ['posts:read'] }), 'scopes');
  });
});

const lastUseOf = ({ last_used_at, last_used_network }: Record<string, unknown>) => ({
  last_used_at,
  last_used_network,
});
