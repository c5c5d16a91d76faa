// One organization disconnects a person while another connects the same one. The platform has one grant per person and app,
// so a revocation at the wrong moment would end the new one. Each test holds the race open at one step.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sweep } from '../../src/worker/sweep.js';
import { Latch } from '../support/platform/scripted-connector.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { ACCOUNTS, goThrough } from '../support/service/connecting.js';
import type { Organization } from '../support/service/harness.js';
import { setQuotas } from '../support/service/quotas.js';
import { renewTokens } from '../support/service/token-renewals.js';
import { type Creator, HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

onEngines('both', 'A person who is disconnected here while they are connected there', (engine) => {
  const world = useTidyWorld(engine);
  const { platform, service, watched, advance } = world;

  const disconnect = ({ org, accountId }: Creator) => org.call('DELETE', `${ACCOUNTS}/${accountId}`);
  /** Whether the organization can use the account: the platform is asked. */
  const isUsable = async (org: Organization, username: string): Promise<boolean> => {
    const { json } = await org.call('GET', ACCOUNTS);
    const account = json.data.find((one: { username: string }) => one.username === username);
    return (await org.call('GET', `${ACCOUNTS}/${account.id}/creator-info`)).status === 200;
  };
  const callsUnderWay = (kind: 'exchange' | 'revocation') =>
    service.app.db.read.selectFrom('grant_calls').select('id').where('kind', '=', kind).execute();
  /** The rest of the race: revocations that were left for later, in another process. */
  const finish = () =>
    world.withOther(async (other) => {
      for (let i = 0; i < 3; i++) {
        advance(MINUTE_MS + 1_000);
        await renewTokens(other);
      }
    });

  /** The next call of this kind stops before it leaves, or after its answer has come. */
  function stopAt(name: 'exchange' | 'revoke', when: 'before' | 'after') {
    const [reached, going] = [new Latch(), new Latch()];
    watched.instead[name] = (async (...given: never[]) => {
      delete watched.instead[name];
      const real = watched.real?.[name] as (...given: never[]) => Promise<unknown>;
      if (when === 'before') {
        reached.open();
        await going.opened;
        return real(...given);
      }
      const answer = await real(...given);
      reached.open();
      await going.opened;
      return answer;
    }) as never;
    return { reached: reached.opened, release: going.open };
  }

  for (const when of ['before', 'after'] as const)
    it(`keeps the new grant when the exchange is held ${when === 'before' ? 'before it leaves' : 'between its answer and the save'}`, async () => {
      const username = `held.exchange.${when}`;
      const old = await world.creator(username);
      const other = await service.newOrganization();
      const exchange = stopAt('exchange', when);
      const connecting = goThrough(other, username);
      await exchange.reached;
      watched.calls = [];
      assert.equal((await disconnect(old)).status, 204);
      assert.equal(watched.count('revoke'), 0);
      advance(MINUTE_MS / 4);
      exchange.release();
      assert.equal((await connecting).status, 200);
      await finish();
      assert.equal(watched.count('revoke'), 0);
      assert.equal((await world.accountRow(old.accountId)).access_token, null);
      assert.ok(await isUsable(other, username));
    });

  for (const when of ['before', 'after'] as const)
    it(`keeps the new grant when the revocation is held ${when === 'before' ? 'before it leaves' : 'after its answer'}: the exchange waits for it`, async () => {
      const username = `held.revocation.${when}`;
      const old = await world.creator(username);
      const other = await service.newOrganization();
      const revocation = stopAt('revoke', when);
      const disconnecting = disconnect(old);
      await revocation.reached;
      watched.calls = [];
      const connecting = goThrough(other, username);
      await until('the exchange waits', async () => (await callsUnderWay('exchange')).length === 1);
      assert.equal(watched.count('exchange'), 0);
      revocation.release();
      assert.equal((await disconnecting).status, 204);
      // The platform ends codes that were not exchanged yet together with the grant: the person is told to connect again.
      assert.equal((await connecting).status, when === 'before' ? 502 : 200);
      assert.equal(watched.count('exchange'), 1);
      if (when === 'before') assert.equal((await goThrough(other, username)).status, 200);
      await finish();
      assert.equal(watched.count('revoke'), 0);
      assert.ok(await isUsable(other, username));
    });

  it('keeps the new grant when it is saved between the first check and the revocation', async () => {
    const old = await world.creator('saved.between');
    const other = await service.newOrganization();
    // An expired token is renewed between the two.
    await platform.control('expire_tokens', { username: 'saved.between' });
    advance(25 * HOUR_MS);
    watched.instead.renew = async (...given) => {
      delete watched.instead.renew;
      const answer = await watched.real?.renew(...given);
      assert.equal((await goThrough(other, 'saved.between')).status, 200);
      assert.ok(answer);
      return answer;
    };
    watched.calls = [];
    assert.equal((await disconnect(old)).status, 204);
    await finish();
    assert.equal(watched.count('revoke'), 0);
    assert.ok(await isUsable(other, 'saved.between'));
  });

  it('keeps the new grant when another organization refuses the same person for its quota meanwhile', async () => {
    const { org: full } = await world.creator();
    await setQuotas(service, full, { accounts: 1 });
    const other = await service.newOrganization();
    const exchange = stopAt('exchange', 'after');
    const connecting = goThrough(other, 'refused.elsewhere');
    await exchange.reached;
    watched.calls = [];
    const refused = goThrough(full, 'refused.elsewhere');
    await until('the refusal would revoke', async () => (await callsUnderWay('revocation')).length === 1);
    exchange.release();
    assert.equal((await connecting).status, 200);
    assert.equal((await refused).status, 409);
    assert.equal(watched.count('revoke'), 0);
    assert.ok(await isUsable(other, 'refused.elsewhere'));
  });

  it('is connected after half a minute if the process that was revoking has died', async () => {
    const other = await service.newOrganization();
    const { clock, app } = service;
    await app.db.transact((tx) =>
      tx
        .insertInto('grant_calls')
        .values({
          id: app.newId(),
          platform: 'tiktok',
          kind: 'revocation',
          valid_until: clock.now() + app.config.publishing.platformTimeoutMs + 15_000,
        })
        .execute(),
    );
    const connecting = goThrough(other, 'left.alone');
    await until('the exchange waits', async () => (await callsUnderWay('exchange')).length === 1);
    advance(app.config.publishing.platformTimeoutMs + 16_000);
    assert.equal((await connecting).status, 200);
    assert.ok(await isUsable(other, 'left.alone'));
    await sweep(app);
    assert.deepEqual(await callsUnderWay('revocation'), []);
  });

  it('is revoked when no other organization has connected them', async () => {
    const old = await world.creator('only.here');
    await world.creator('other.person');
    watched.calls = [];
    assert.equal((await disconnect(old)).status, 204);
    assert.equal(watched.count('revoke'), 1);
    assert.deepEqual([await callsUnderWay('exchange'), await callsUnderWay('revocation')], [[], []]);
  });
});
