// What the audit log says of acts that no request makes: a worker that publishes, the platform, a restored backup.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callAsAccount } from '../../src/accounts/platform-calls.js';
import type { AuditEntry } from '../../src/audit/schema.js';
import { Installation, type Running } from '../support/installations/restore.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ADMIN_TOKEN, type Organization } from '../support/service/harness.js';
import { onlyDispatch, publish } from '../support/service/posts.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

const list = async (org: Organization, query: string): Promise<AuditEntry[]> =>
  (await org.call('GET', `/api/v1/audit?${query}`)).json.data;

onEngines('sqlite', 'The audit log', (engine) => {
  const world = useTidyWorld(engine);

  it('names the service as the one that publishes at a slot, and the caller who publishes now', async () => {
    const { org, accountId } = await world.creator();
    const id = await world.scheduledPost(org, accountId);
    world.advance(HOUR_MS);
    await world.runOnce();
    const { id: dispatch_id } = await onlyDispatch(org, id);
    const [row, ...more] = await list(org, 'action=post.publish_started');
    assert.deepEqual(more, []);
    assert.deepEqual(row, {
      id: row?.id,
      at: row?.at,
      actor: { kind: 'system', id: null, name: 'Airdate' },
      address: null,
      action: 'post.publish_started',
      target: { kind: 'post', id, name: row?.target.name },
      details: { dispatch_id, trigger: 'schedule', social_account_id: accountId },
    });
    const draft = await world.post({
      org,
      accountId,
      username: '',
      account: { org_id: org.id, id: accountId },
    });
    const twice = { 'idempotency-key': 'publish-it' };
    for (let n = 0; n < 2; n++) assert.equal((await publish(org, draft, accountId, {}, twice)).status, 200);
    const started = await list(org, `target_id=${draft}`);
    assert.deepEqual(
      started.map(({ actor, address, details }) => [actor.kind, address, details.trigger]),
      [['key', '127.0.0.1', 'api']],
    );
  });

  it('names the platform as the one that revokes an account', async () => {
    const { org, account, username } = await world.creator();
    world.advance(2 * HOUR_MS);
    // The platform has replaced the tokens, and the new ones are lost.
    await world.platform.control('faults', { on: 'token', kind: 'reset_after' });
    const ask = () =>
      callAsAccount(world.app, account, (token, signal, connector) => connector.creator(token, signal));
    assert.equal((await ask()).kind, 'later');
    assert.equal((await ask()).kind, 'reauthorize');
    const [row] = await list(org, 'target_kind=account');
    assert.deepEqual(row?.actor, { kind: 'platform', id: null, name: 'tiktok' });
    assert.deepEqual([row?.action, row?.target.name, row?.address], ['account.revoked', username, null]);
    assert.match(row?.details.reason ?? '', /Reconnect it \(invalid_grant\)$/);
  });
});

onEngines('sqlite', 'A restore', (engine) => {
  it('and its release are one row each, which every organization sees', async () => {
    const installation = await Installation.make(engine);
    try {
      let running: Running = await installation.start();
      const orgs = [await installation.newOrganization(running), await installation.newOrganization(running)];
      await running.stop();
      const restore = await installation.backUp();
      running = await installation.start();
      await running.stop();
      await restore();
      running = await installation.start();
      await running.request('POST', '/api/admin/v1/release', { key: ADMIN_TOKEN, body: {} });
      const logs: AuditEntry[][] = [];
      for (const org of orgs)
        logs.push(await list(installation.organizationIn(running, org), 'target_kind=installation'));
      assert.deepEqual(logs[0], logs[1]);
      assert.deepEqual(
        logs[0]?.map(({ action, actor, address, target }) => [action, actor.kind, address, target]),
        [
          ['installation.released', 'operator', null, { kind: 'installation', id: null, name: null }],
          ['installation.restored', 'system', null, { kind: 'installation', id: null, name: null }],
        ],
      );
      assert.match(logs[0]?.[1]?.details.reason ?? '', /backup|restored/);
      const everything = await list(installation.organizationIn(running, orgs[0] as Organization), '');
      assert.equal(everything[0]?.action, 'installation.released');
    } finally {
      await installation.remove();
    }
  });
});
