// Disconnecting an account: immediately for the organization, and on the platform as soon as possible.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callAsAccount } from '../../src/accounts/platform-calls.js';
import { countDispatches } from '../../src/analytics/dispatch-counters.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { ACCOUNTS, goThrough, LATER } from '../support/service/connecting.js';
import type { Organization } from '../support/service/harness.js';
import { addDispatch, assertProblem, UNKNOWN_ID } from '../support/service/posts.js';
import { setQuotas } from '../support/service/quotas.js';
import { renewTokens } from '../support/service/token-renewals.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

const TOKEN_FIELDS = [
  'access_token',
  'access_expires_at',
  'refresh_token',
  'refresh_expires_at',
  'refresh_at',
] as const;

onEngines('sqlite', 'DELETE /api/v1/social-accounts/:id', (engine) => {
  const { platform, service, watched, advance, creator, accountRow } = useTidyWorld(engine);

  const disconnect = (org: Organization, id: string) => org.call('DELETE', `${ACCOUNTS}/${id}`);
  const tokenOf = async (org: Organization, id: string) =>
    service.app.seal.unseal((await accountRow(id)).access_token as string, [
      org.id,
      id,
      'social_accounts.access_token',
    ]);
  const isLive = async (token: string) =>
    (await platform.api('creator_info/query', { access_token: token })).status === 200;
  const assertWiped = async (id: string) => {
    const found = await accountRow(id);
    for (const field of TOKEN_FIELDS) assert.equal(found[field], null, field);
    assert.equal(found.status, 'disconnected');
  };

  it('takes the account out of the list, revokes its access, and wipes its tokens', async () => {
    const { org, account } = await creator();
    const token = await tokenOf(org, account.id);
    assert.ok(await isLive(token));
    const answer = await disconnect(org, account.id);
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.deepEqual((await org.call('GET', ACCOUNTS)).json.data, []);
    assert.ok(!(await isLive(token)));
    await assertWiped(account.id);
  });

  it('answers for a disconnected account as for an unknown one', async () => {
    const { org, account } = await creator();
    await disconnect(org, account.id);
    for (const id of [account.id, UNKNOWN_ID, 'nonsense'])
      assertProblem(await disconnect(org, id), 404, 'not_found');
    const other = await service.newOrganization();
    assertProblem(await disconnect(other, (await creator()).account.id), 404, 'not_found');
  });

  it('renews a token that has expired, so that it can revoke the grant', async () => {
    const { org, account } = await creator('ada');
    await platform.control('expire_tokens', { username: 'ada' });
    watched.calls = [];
    assert.equal((await disconnect(org, account.id)).status, 204);
    assert.deepEqual(watched.calls, ['revoke', 'renew', 'revoke']);
    await assertWiped(account.id);
  });

  it('counts a grant that is already gone as revoked', async () => {
    const { org, account } = await creator('bea');
    await platform.control('remove_authorization', { username: 'bea' });
    assert.equal((await disconnect(org, account.id)).status, 204);
    await assertWiped(account.id);
  });

  it('works for an account that waits to be reconnected, and for one without tokens', async () => {
    const org = await service.newOrganization();
    const id = await org.addAccount('reconnect_required');
    assert.equal((await disconnect(org, id)).status, 204);
    await assertWiped(id);
  });

  it('leaves the revocation to the worker if the platform is unreachable', async () => {
    const { org, account } = await creator();
    const token = await tokenOf(org, account.id);
    watched.instead.revoke = async () => LATER;
    assert.equal((await disconnect(org, account.id)).status, 204);
    assert.deepEqual((await org.call('GET', ACCOUNTS)).json.data, []);
    assert.ok(await isLive(token));
    advance(60_000);
    await renewTokens(service.app);
    assert.ok(await isLive(token));
    watched.instead = {};
    advance(60_000);
    await renewTokens(service.app);
    assert.ok(!(await isLive(token)));
    await assertWiped(account.id);
  });

  it('gives up after a day, and wipes the tokens', async () => {
    const { org, account } = await creator();
    watched.instead.revoke = async () => LATER;
    await disconnect(org, account.id);
    advance(24 * HOUR_MS - 1000);
    await renewTokens(service.app);
    assert.notEqual((await accountRow(account.id)).access_token, null);
    advance(61_000);
    await renewTokens(service.app);
    await assertWiped(account.id);
  });

  it('waits for open attempts, which are polled to their end', async () => {
    const { org, account } = await creator();
    const now = service.clock.now();
    const attemptId = await addDispatch(service, org, await org.addPost(), {
      social_account_id: account.id,
      outcome: 'accepted',
      phase: 'observing',
      next_at: now,
    });
    await disconnect(org, account.id);
    advance(2 * HOUR_MS);
    await renewTokens(service.app);
    const observed = await callAsAccount(service.app, account, (token, signal) =>
      service.app.connector('tiktok').creator(token, signal),
    );
    assert.equal(observed.kind, 'ok');
    assert.equal(watched.count('revoke'), 0);
    const token = await tokenOf(org, account.id);
    await service.app.db.transact(async (tx) => {
      await tx
        .updateTable('dispatches')
        .set({ outcome: 'published', next_at: null })
        .where('org_id', '=', org.id)
        .where('id', '=', attemptId)
        .execute();
      await countDispatches(tx, org.id, [{ before: 'accepted', after: 'published' }]);
    });
    advance(2 * HOUR_MS);
    await renewTokens(service.app);
    assert.ok(!(await isLive(token)));
    await assertWiped(account.id);
    const after = await callAsAccount(service.app, account, async () => ({ kind: 'ok' }));
    assert.equal(after.kind, 'reauthorize');
  });

  it('is cancelled when a member reconnects the account', async () => {
    const { org, account } = await creator('cleo');
    watched.instead.revoke = async () => LATER;
    await disconnect(org, account.id);
    watched.instead = {};
    assert.equal(await org.connectAccount('cleo'), account.id);
    advance(60_000);
    await renewTokens(service.app);
    assert.equal((await accountRow(account.id)).status, 'connected');
    assert.ok(await isLive(await tokenOf(org, account.id)));
  });

  it('does not revoke a new grant that arrives while it renews the old token', async () => {
    const { org, account } = await creator('cora');
    advance(2 * HOUR_MS);
    watched.instead.renew = async (token, signal) => {
      assert.ok(watched.real);
      const answer = await watched.real.renew(token, signal);
      await org.connectAccount('cora');
      return answer;
    };
    assert.equal((await disconnect(org, account.id)).status, 204);
    assert.equal(watched.count('revoke'), 0);
    assert.equal((await accountRow(account.id)).status, 'connected');
    assert.ok(await isLive(await tokenOf(org, account.id)));
  });

  it('does not wipe tokens that arrive while it calls the platform', async () => {
    const { org, account } = await creator('dana');
    let connecting: Promise<string> | undefined;
    watched.instead.revoke = async () => {
      connecting = org.connectAccount('dana');
      return { kind: 'ok', value: null };
    };
    await disconnect(org, account.id);
    assert.equal(await connecting, account.id);
    assert.equal((await accountRow(account.id)).status, 'connected');
    assert.ok(await isLive(await tokenOf(org, account.id)));
  });

  it('does not cut off another organization that has connected the same creator', async () => {
    const { org, account } = await creator('elsa');
    const other = await creator('elsa');
    watched.calls = [];
    assert.equal((await disconnect(org, account.id)).status, 204);
    assert.equal(watched.count('revoke'), 0);
    await assertWiped(account.id);
    assert.ok(await isLive(await tokenOf(other.org, other.account.id)));
    await disconnect(other.org, other.account.id);
    assert.equal(watched.count('revoke'), 1);
  });
});

onEngines('sqlite', 'A consent that the quota of accounts refuses', (engine) => {
  const world = useTidyWorld(engine);
  const { platform, service, watched } = world;

  /** An organization without a place for another account. */
  async function full(): Promise<Organization> {
    const { org } = await world.creator();
    await setQuotas(service, org, { accounts: 1 });
    return org;
  }

  /** The tokens of the next consent. */
  function watchToken(): { token: string } {
    const seen = { token: '' };
    watched.instead.exchange = async (...given) => {
      assert.ok(watched.real);
      const answer = await watched.real.exchange(...given);
      if (answer.kind === 'ok') seen.token = answer.value.accessToken;
      return answer;
    };
    return seen;
  }
  const isLive = async (token: string) =>
    (await platform.api('creator_info/query', { access_token: token })).status === 200;

  it('is revoked on the platform', async () => {
    const org = await full();
    const seen = watchToken();
    assert.equal((await goThrough(org, 'refused')).status, 409);
    assert.ok(!(await isLive(seen.token)));
  });

  it('ends with the same page if it cannot be revoked', async () => {
    const org = await full();
    for (const revoke of [async () => LATER, () => Promise.reject(new Error('no'))]) {
      watched.instead.revoke = revoke;
      assert.equal((await goThrough(org, 'unrevoked')).status, 409);
    }
    assert.equal(watched.count('revoke'), 2);
  });

  it('is not revoked if the person is connected in another organization: it is the same grant there', async () => {
    const other = await service.newOrganization();
    await world.creatorIn(other, 'shared');
    const org = await full();
    assert.equal((await goThrough(org, 'shared')).status, 409);
    assert.equal(watched.count('revoke'), 0);
  });
});
