import assert from 'node:assert/strict';
import { it } from 'node:test';
import { markChanged } from '../../src/db/changes.js';
import { OtherPlatform } from '../support/platform/other-platforms.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { EVENTS, eventsOf } from '../support/service/event-streams.js';
import { useService } from '../support/service/harness.js';
import { assertRefused, changePost, farSlot } from '../support/service/posts.js';

onEngines('sqlite', 'The platform of an account', (engine) => {
  const other = new OtherPlatform('ask');
  const service = useService(engine, { connectors: { ask: other.connector } });

  /** An account whose tokens the other platform takes for its own. */
  async function elsewhere() {
    const org = await service.newOrganization();
    const id = await org.connectAccount('anna');
    await service.app.db.transact(async (tx) => {
      await tx.updateTable('social_accounts').set({ platform: 'ask' }).where('id', '=', id).execute();
      markChanged(tx, org.id, { accounts: true });
    });
    return { org, id };
  }

  it('is named by the account, by its attempts and by its events', async () => {
    const org = await service.newOrganization();
    const account = await org.connectAccount('anna');
    const { json: accounts } = await org.call('GET', '/api/v1/social-accounts');
    assert.deepEqual(
      accounts.data.map(({ platform }: { platform: string }) => platform),
      ['tiktok'],
    );
    const id = await org.addPost();
    await changePost(org, id, await farSlot(service, org, account));
    assert.deepEqual(
      (await eventsOf(org)).map(({ type, data }) => [type, data.platform]),
      [
        ['account.connected', 'tiktok'],
        ['post.created', undefined],
        ['post.scheduled', 'tiktok'],
      ],
    );
  });

  it('is the first one for events from before there were several', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await changePost(org, id, await farSlot(service, org, await org.addAccount()));
    const { db } = service.app;
    await db.transact(async (tx) => {
      const { data } = await tx
        .selectFrom('events')
        .select('data')
        .where('org_id', '=', org.id)
        .where('type', '=', 'post.scheduled')
        .executeTakeFirstOrThrow();
      const { platform, ...old } = JSON.parse(data);
      assert.equal(platform, 'tiktok');
      await tx
        .updateTable('events')
        .set({ data: JSON.stringify(old) })
        .where('org_id', '=', org.id)
        .where('type', '=', 'post.scheduled')
        .execute();
    });
    const { json } = await org.call('GET', EVENTS);
    const scheduled = json.data.find(({ type }: { type: string }) => type === 'post.scheduled');
    assert.equal(scheduled.data.platform, 'tiktok');
  });

  it('is chosen when an account is connected, and must be one that exists', async () => {
    const org = await service.newOrganization();
    const connect = (body: unknown) => org.call('POST', '/api/v1/social-accounts/connect', body);
    for (const body of [undefined, {}, { platform: 'tiktok' }])
      assert.equal((await connect(body)).status, 200, JSON.stringify(body));
    assertRefused(await connect({ platform: 'elsewhere' }), 'platform');
  });

  it('may have the same person as another one', async () => {
    const { org } = await elsewhere();
    await org.connectAccount('anna');
    const { json } = await org.call('GET', '/api/v1/social-accounts');
    assert.deepEqual(json.data.map(({ platform }: { platform: string }) => platform).sort(), [
      'ask',
      'tiktok',
    ]);
  });

  it('tells in creator-info what it supports', async () => {
    const { org, id } = await elsewhere();
    const { json } = await org.call('GET', `/api/v1/social-accounts/${id}/creator-info`);
    assert.equal(json.data.platform, 'ask');
    assert.deepEqual(json.data.supports, {
      post_types: ['slides'],
      modes: ['direct'],
      toggles: ['disable_comment'],
    });
  });

  it('may lack a toggle: preflight warns with not_on_platform, and names the field', async () => {
    const { org, id: account } = await elsewhere();
    const id = await org.addPost();
    await changePost(org, id, { social_account_id: account, disable_comment: true, disable_duet: true });
    const { problems, request } = await org.sdk.posts.preflight(id);
    assert.deepEqual(
      problems.filter(({ code }) => code === 'not_on_platform').map(({ level, pointer }) => [level, pointer]),
      [['warning', '/disable_duet']],
    );
    assert.deepEqual(Object.keys(request), ['title'], 'described by its own connector');
  });

  it('has its own options, none of which exist yet', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const patch = (options: unknown) => org.call('PATCH', `/api/v1/posts/${id}`, { options });
    for (const options of [{}, { tiktok: {} }]) assert.equal((await patch(options)).status, 200);
    assertRefused(await patch({ tiktok: { music: true } }), 'options/tiktok/music');
    assertRefused(await patch({ elsewhere: {} }), 'options/elsewhere');
  });
});
