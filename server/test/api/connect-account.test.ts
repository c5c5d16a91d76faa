import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { sweep } from '../../src/worker/sweep.js';
import { onEngines } from '../support/runner/test-tiers.js';
import {
  ACCOUNTS,
  assertPage,
  authorizeUrl,
  CONNECT,
  goThrough,
  LATER,
} from '../support/service/connecting.js';
import { consent } from '../support/service/harness.js';
import { assertRefused } from '../support/service/posts.js';
import { send } from '../support/service/send.js';
import { useTidyWorld } from '../support/world/world.js';

const CALLBACK = '/oauth/callback';

onEngines('sqlite', 'POST /api/v1/social-accounts/connect', (engine) => {
  const { platform, service, accountRow, watched } = useTidyWorld(engine);

  const allow = async (url: URL, username = 'anna') => consent(url.href, { decision: 'allow', username });
  const accountsOf = async (org: Awaited<ReturnType<typeof service.newOrganization>>) =>
    (await org.call('GET', ACCOUNTS)).json.data;

  it('answers with the URL of the consent page, with every parameter the platform requires', async () => {
    const org = await service.newOrganization();
    const url = await authorizeUrl(org);
    assert.equal(url.origin + url.pathname, `${platform.url}/v2/auth/authorize/`);
    const query = Object.fromEntries(url.searchParams);
    assert.equal(query.scope, 'user.info.basic,video.publish,video.upload');
    assert.equal(query.redirect_uri, `${service.url}${CALLBACK}`);
    assert.equal(query.response_type, 'code');
    assert.equal(query.code_challenge_method, 'S256');
    assert.match(query.state ?? '', /^[\w-]{43}$/, '256 random bits');
  });

  it('sends the hexadecimal hash of a verifier that it never shows (PKCE)', async () => {
    const org = await service.newOrganization();
    const url = await authorizeUrl(org);
    const challenge = url.searchParams.get('code_challenge') ?? '';
    assert.match(challenge, /^[0-9a-f]{64}$/);
    let verifier = '';
    watched.instead.exchange = (code, request, signal) => {
      verifier = request.verifier;
      assert.ok(watched.real);
      return watched.real.exchange(code, request, signal);
    };
    assertPage(await send('GET', await allow(url), {}), 200, /Connected/);
    assert.match(verifier, /^[A-Za-z0-9\-._~]{43,128}$/);
    assert.equal(createHash('sha256').update(verifier).digest('hex'), challenge);
    assert.ok(!url.href.includes(verifier));
  });

  it('takes an empty object or no body, and refuses fields it does not know', async () => {
    const org = await service.newOrganization();
    assert.equal((await org.call('POST', CONNECT)).status, 200);
    assert.equal((await org.call('POST', CONNECT, {})).status, 200);
    const announced = await org.call('POST', CONNECT, undefined, { 'content-type': 'application/json' });
    assert.equal(announced.status, 200);
    assertRefused(await org.call('POST', CONNECT, { username: 'anna' }), 'username');
    assertRefused(await org.call('POST', `${CONNECT}?username=anna`), 'username');
  });

  it('returns the same URL for the same Idempotency-Key, and another without', async () => {
    const org = await service.newOrganization();
    const keyed = async () => (await org.call('POST', CONNECT, {}, { 'idempotency-key': 'one' })).text;
    assert.equal(await keyed(), await keyed());
    assert.notEqual((await authorizeUrl(org)).href, (await authorizeUrl(org)).href);
  });

  it('connects a creator who consents, and lists the account with names, picture and scopes', async () => {
    const org = await service.newOrganization();
    assertPage(await goThrough(org, 'anna.maps'), 200, /Connected as @anna\.maps/);
    const [account, ...others] = await accountsOf(org);
    assert.deepEqual(others, []);
    assert.equal(account.username, 'anna.maps');
    assert.equal(account.display_name, 'Anna maps');
    assert.match(account.avatar_url, /^http/);
    assert.equal(account.status, 'connected');
    assert.equal(account.status_reason, null);
    assert.deepEqual(account.scopes, ['user.info.basic', 'video.publish', 'video.upload']);
  });

  it('keeps nothing readable of state, verifier and tokens in the database', async () => {
    const org = await service.newOrganization();
    const url = await authorizeUrl(org);
    const state = url.searchParams.get('state') as string;
    const kept = await service.app.db.read
      .selectFrom('oauth_states')
      .selectAll()
      .where('org_id', '=', org.id)
      .execute();
    assert.equal(kept.length, 1);
    assert.ok(!JSON.stringify(kept).includes(state));
    assert.equal(kept[0]?.hash, createHash('sha256').update(state).digest('hex'));
    const seen: string[] = [];
    watched.instead.exchange = async (code, request, signal) => {
      assert.ok(watched.real);
      assert.ok(!JSON.stringify(kept).includes(request.verifier));
      const answer = await watched.real.exchange(code, request, signal);
      if (answer.kind === 'ok') seen.push(answer.value.accessToken, answer.value.refreshToken ?? '');
      return answer;
    };
    const answer = await send('GET', await allow(url), {});
    const [account] = await accountsOf(org);
    const stored = JSON.stringify(await accountRow(account.id));
    assert.equal(seen.length, 2);
    for (const secret of seen) {
      assert.match(secret, /^(act|rft)\./);
      assert.ok(!stored.includes(secret));
      assert.ok(!answer.text.includes(secret));
    }
    assert.doesNotMatch(stored, /(act|rft)\./);
  });

  it('binds sealed tokens to organization, account and field', async () => {
    const org = await service.newOrganization();
    const id = await org.connectAccount();
    const { seal } = service.app;
    const { access_token, refresh_token } = await accountRow(id);
    const place = [org.id, id, 'social_accounts.access_token'];
    assert.match(seal.unseal(access_token as string, place), /^act\./);
    for (const other of [
      [(await service.newOrganization()).id, id, 'social_accounts.access_token'],
      [org.id, await org.connectAccount(), 'social_accounts.access_token'],
      [org.id, id, 'social_accounts.refresh_token'],
    ])
      assert.throws(() => seal.unseal(access_token as string, other));
    assert.throws(() => seal.unseal(refresh_token as string, place));
  });

  it('takes a state once, even if it is used twice at the same moment', async () => {
    const org = await service.newOrganization();
    const back = await allow(await authorizeUrl(org));
    const answers = await Promise.all([send('GET', back, {}), send('GET', back, {})]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
    assertPage(await send('GET', back, {}), 400, /no longer works/);
    assert.equal(watched.count('exchange'), 1);
  });

  it('takes no state that is unknown, missing, doubled, or older than ten minutes', async () => {
    const org = await service.newOrganization();
    const back = new URL(await allow(await authorizeUrl(org)));
    const code = back.searchParams.get('code') as string;
    for (const query of [`code=${code}`, `code=${code}&state=`, `code=${code}&state=other`, ''])
      assertPage(await service.request('GET', `${CALLBACK}?${query}`), 400, /no longer works/);
    assertPage(await send('GET', `${back.href}&state=other`, {}), 400, /no longer works/);
    service.clock.advance(600_000);
    assertPage(await send('GET', back.href, {}), 400, /no longer works/);
    assert.equal(watched.count('exchange'), 0);
    assert.deepEqual(await accountsOf(org), []);
  });

  it('connects to the organization that asked, whichever visitor returns, and with its own code only', async () => {
    const [mine, theirs] = [await service.newOrganization(), await service.newOrganization()];
    const [my, their] = [await authorizeUrl(mine), await authorizeUrl(theirs)];
    const swapped = new URL(await allow(my, 'bert'));
    swapped.searchParams.set('state', their.searchParams.get('state') as string);
    // The code was issued for another challenge: the platform does not accept it with this verifier.
    assertPage(await send('GET', swapped.href, {}), 502, /refused/);
    assert.deepEqual(await accountsOf(theirs), []);
    assert.deepEqual(await accountsOf(mine), []);
  });

  it('says that access was denied, and connects nothing', async () => {
    const org = await service.newOrganization();
    const back = await consent((await authorizeUrl(org)).href, { decision: 'deny', username: 'anna' });
    assertPage(await send('GET', back, {}), 400, /denied/);
    assert.deepEqual(await accountsOf(org), []);
    assertPage(await send('GET', back, {}), 400, /no longer works/);
  });

  it('shows nothing from the parameters of an error', async () => {
    const org = await service.newOrganization();
    const evil = '<script>alert(1)</script><b>"evil"</b>';
    for (const [error, status] of [
      ['access_denied', 400],
      [evil, 502],
      ['unauthorized_client', 502],
    ] as const) {
      const state = (await authorizeUrl(org)).searchParams.get('state') as string;
      const query = new URLSearchParams({
        state,
        error,
        error_description: evil,
        error_type: evil,
        scopes: evil,
        [evil]: evil,
      });
      const answer = await service.request('GET', `${CALLBACK}?${query}`);
      assertPage(answer, status, /refused|denied/);
      assert.doesNotMatch(answer.text, /alert|evil/);
    }
  });

  it('escapes display names', async () => {
    const org = await service.newOrganization();
    watched.instead.creator = async () => LATER;
    watched.instead.identity = async () => ({
      kind: 'ok',
      value: { openId: 'o', displayName: '<script>alert(1)</script>\0', avatarUrl: null },
    });
    assertPage(await goThrough(org, 'carla'), 200, /@&lt;script&gt;alert\(1\)&lt;\/script&gt;</);
  });

  it('says what is missing if neither code nor error came', async () => {
    const state = (await authorizeUrl(await service.newOrganization())).searchParams.get('state');
    assertPage(await service.request('GET', `${CALLBACK}?state=${state}`), 400, /without an answer/);
  });

  for (const [left, lost, words] of [
    ['video.upload', 'video.publish', /not published directly/],
    ['video.publish', 'video.upload', /not sent to the inbox/],
  ] as const)
    it(`connects without ${lost}, says what that means, and lists what was allowed`, async () => {
      const org = await service.newOrganization();
      const answer = await goThrough(org, 'dora.maps', ['user.info.basic', left]);
      assertPage(answer, 200, words);
      assert.match(answer.text, new RegExp(lost));
      const [account] = await accountsOf(org);
      assert.equal(account.status, 'connected');
      assert.deepEqual(account.scopes, ['user.info.basic', left]);
      assert.equal(account.username, left === 'video.publish' ? 'dora.maps' : 'Dora maps');
    });

  it('does not connect an account without any scope to publish', async () => {
    const org = await service.newOrganization();
    assertPage(await goThrough(org, 'emil', ['user.info.basic']), 400, /allow at least one of them/);
    assert.deepEqual(await accountsOf(org), []);
  });

  it('says that the platform is unreachable, or refuses', async () => {
    const org = await service.newOrganization();
    await platform.control('faults', { on: 'token', kind: 'http_500' });
    assertPage(await goThrough(org, 'fritz'), 503, /responding/);
    await platform.control('faults', { on: 'token', kind: 'reset_after' });
    assertPage(await goThrough(org, 'fritz'), 503, /responding/);
    const back = new URL(await allow(await authorizeUrl(org)));
    back.searchParams.set('code', 'another');
    assertPage(await send('GET', back.href, {}), 502, /refused[\s\S]*invalid_grant/);
    assert.deepEqual(await accountsOf(org), []);
  });

  it('connects even if names and picture cannot be fetched', async () => {
    const org = await service.newOrganization();
    const away = async () => LATER;
    watched.instead = { creator: away, identity: away };
    assertPage(await goThrough(org, 'greta'), 200, /Connected/);
    const [account] = await accountsOf(org);
    assert.equal(account.status, 'connected');
    assert.equal(account.username, (await accountRow(account.id)).open_id);
  });

  it('reconnects the same creator to the same account, from any state', async () => {
    const org = await service.newOrganization();
    const id = await org.connectAccount('hanna');
    const first = await accountRow(id);
    for (const status of ['connected', 'reconnect_required', 'disconnected'] as const) {
      await service.app.db.transact((tx) =>
        tx
          .updateTable('social_accounts')
          .set({ status, status_reason: 'Gone (x)' })
          .where('org_id', '=', org.id)
          .where('id', '=', id)
          .execute(),
      );
      assert.equal(await org.connectAccount('hanna'), id);
      const again = await accountRow(id);
      assert.deepEqual([again.status, again.status_reason], ['connected', null]);
      assert.notEqual(again.access_token, first.access_token);
    }
    assert.equal((await accountsOf(org)).length, 1);
  });

  it('creates one account for a creator who returns twice at the same moment', async () => {
    const org = await service.newOrganization();
    const answers = await Promise.all([1, 2, 3, 4].map(() => goThrough(org, 'iris')));
    for (const answer of answers) assert.equal(answer.status, 200, answer.text);
    assert.equal((await accountsOf(org)).length, 1);
  });

  it('gives each organization an account of its own for the same creator', async () => {
    const [one, two] = [await service.newOrganization(), await service.newOrganization()];
    const ids = [await one.connectAccount('jana'), await two.connectAccount('jana')];
    assert.notEqual(ids[0], ids[1]);
    assert.equal((await accountRow(ids[0] as string)).open_id, (await accountRow(ids[1] as string)).open_id);
    for (const org of [one, two]) assert.equal((await accountsOf(org)).length, 1);
  });

  it('forgets the states that no visitor returned with', async () => {
    const org = await service.newOrganization();
    const count = async () =>
      (
        await service.app.db.read
          .selectFrom('oauth_states')
          .select('hash')
          .where('org_id', '=', org.id)
          .execute()
      ).length;
    await authorizeUrl(org);
    await sweep(service.app);
    assert.equal(await count(), 1);
    service.clock.advance(600_000);
    await sweep(service.app);
    assert.equal(await count(), 0);
  });
});
