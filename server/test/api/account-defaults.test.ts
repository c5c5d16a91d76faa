import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { assertProblem, assertRefused, readPost, UNKNOWN_ID } from '../support/service/posts.js';
import { WITHOUT_WORKER } from '../support/service/uploads.js';

const change = (org: Organization, id: string, body: unknown) =>
  org.call('PATCH', `/api/v1/social-accounts/${id}`, body);

onEngines('sqlite', 'PATCH /api/v1/social-accounts/:id', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  const rowsOf = (org: Organization) =>
    service.app.db.read
      .selectFrom('audit')
      .select(['target_id', 'details'])
      .where('org_id', '=', org.id)
      .where('action', '=', 'account.defaults_changed')
      .orderBy('id')
      .execute();
  const only = async (org: Organization) => {
    const { data } = await org.sdk.request('GET', '/api/v1/social-accounts');
    assert.equal(data.length, 1);
    return data[0];
  };

  it('sets what the dashboard fills in; null clears it, and what is left out stays', async () => {
    const org = await service.newOrganization();
    const id = await org.addAccount();
    const before = await only(org);
    assert.deepEqual([before?.default_mode, before?.default_hashtags], [null, null]);
    service.clock.advance(5_000);
    const first = await change(org, id, { default_mode: 'inbox', default_hashtags: '#maps' });
    assert.equal(first.status, 200, first.text);
    const { updated_at, ...account } = first.json.data;
    assert.ok(updated_at > (before?.updated_at ?? ''));
    const { updated_at: _, ...kept } = before ?? { updated_at: '' };
    assert.deepEqual(account, { ...kept, default_mode: 'inbox', default_hashtags: '#maps' });
    assert.deepEqual(await only(org), first.json.data);
    assert.equal((await change(org, id, { default_mode: null })).json.data.default_hashtags, '#maps');
    assert.equal((await only(org))?.default_mode, null);
    // Nothing changes: nothing is recorded.
    await change(org, id, {});
    await change(org, id, { default_hashtags: '#maps' });
    assert.deepEqual(
      (await rowsOf(org)).map(({ target_id, details }) => [target_id, JSON.parse(details ?? '')]),
      [
        [id, { default_mode: 'inbox', default_hashtags: '#maps' }],
        [id, { default_mode: null }],
      ],
    );
  });

  it('changes nothing for posts that the API creates', async () => {
    const org = await service.newOrganization();
    const id = await org.addAccount();
    await change(org, id, { default_mode: 'inbox', default_hashtags: '#maps' });
    const post = await readPost(org, await org.addPost({ social_account_id: id }));
    assert.deepEqual([post.publish_mode, post.hashtags], ['direct', null]);
  });

  it('needs accounts:manage and a connected account, and refuses other fields', async () => {
    const org = await service.newOrganization();
    const id = await org.addAccount();
    const path = `/api/v1/social-accounts/${id}`;
    const key = await org.keyWith(['posts:read', 'posts:write', 'posts:publish', 'org:manage']);
    const body = { default_mode: 'inbox' };
    assertProblem(await service.request('PATCH', path, { key, body }), 403, 'insufficient_scope');
    for (const other of [UNKNOWN_ID, 'x', await org.addAccount('disconnected')])
      assertProblem(await change(org, other, body), 404, 'not_found');
    assert.equal((await change(org, await org.addAccount('reconnect_required'), body)).status, 200);
    assertRefused(await change(org, id, { default_mode: 'later' }), 'default_mode');
    assertRefused(await change(org, id, { default_hashtags: '#'.repeat(501) }), 'default_hashtags');
    assertRefused(await change(org, id, { privacy_level: 'SELF_ONLY' }), 'privacy_level');
    assertRefused(await change(org, id, { username: 'x' }), 'username');
  });
});
