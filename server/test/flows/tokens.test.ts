// The life of tokens: renewed in time, by one process at a time, saved before their use, and handled when they are gone.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { callAsAccount, scheduleGrantCheck, scheduleGrantChecks } from '../../src/accounts/platform-calls.js';
import type { App } from '../../src/app/app.js';
import type { AccountRef } from '../../src/db/tables.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { goThrough, LATER } from '../support/service/connecting.js';
import { renewTokens } from '../support/service/token-renewals.js';
import { HOUR_MS, useTidyWorld } from '../support/world/world.js';

onEngines('sqlite', 'Tokens', (engine) => {
  const { platform, service, watched, advance, withOther, creator, accountRow } = useTidyWorld(engine);

  const ask = (app: App, account: AccountRef) =>
    callAsAccount(app, account, (token, signal) => app.connector('tiktok').creator(token, signal));
  const kindOf = async (account: AccountRef) => (await ask(service.app, account)).kind;
  const realRefresh: NonNullable<typeof watched.instead.renew> = (token, signal) => {
    assert.ok(watched.real);
    return watched.real.renew(token, signal);
  };
  const opened = async ({ org_id, id }: AccountRef, field: 'access_token' | 'refresh_token') =>
    service.app.seal.unseal((await accountRow(id))[field] as string, [
      org_id,
      id,
      `social_accounts.${field}`,
    ]);
  const statusOf = async ({ id }: AccountRef) => {
    const { status, status_reason } = await accountRow(id);
    return [status, status_reason];
  };

  it('are used as they are while they are valid', async () => {
    const { account } = await creator();
    const before = await accountRow(account.id);
    watched.calls = [];
    assert.equal(await kindOf(account), 'ok');
    assert.deepEqual(watched.calls, ['creator']);
    assert.deepEqual(await accountRow(account.id), before);
    assert.equal(
      before.access_expires_at,
      (before.refresh_at as number) + HOUR_MS,
      'renewed at half of 2 hours',
    );
  });

  it('are renewed before their use when they are about to expire', async () => {
    const { account } = await creator();
    const old = await opened(account, 'access_token');
    advance(2 * HOUR_MS - 30_000);
    watched.calls = [];
    const used: string[] = [];
    const answer = await callAsAccount(service.app, account, async (token, signal) => {
      used.push(token);
      assert.ok(signal instanceof AbortSignal && !signal.aborted);
      return service.app.connector('tiktok').creator(token, signal);
    });
    assert.equal(answer.kind, 'ok');
    assert.deepEqual(watched.calls, ['renew', 'creator']);
    assert.deepEqual(used, [await opened(account, 'access_token')]);
    assert.notEqual(used[0], old);
  });

  it('that are valid for seconds only are not renewed at each use', async () => {
    await platform.control('settings', { access_token_seconds: 40 });
    const { account } = await creator();
    assert.equal(await kindOf(account), 'ok');
    assert.equal(watched.count('renew'), 0);
    advance(41_000);
    assert.equal(await kindOf(account), 'ok');
    assert.equal(watched.count('renew'), 1);
    await platform.control('settings', { access_token_seconds: 7200 });
  });

  it('that the platform no longer accepts are renewed once, and the call is repeated once', async () => {
    const { account } = await creator('ada');
    await platform.control('expire_tokens', { username: 'ada' });
    watched.calls = [];
    assert.equal(await kindOf(account), 'ok');
    assert.deepEqual(watched.calls, ['creator', 'renew', 'creator']);
  });

  it('that are new and not accepted either end in an error, and no third call', async () => {
    const { account } = await creator();
    const old = { kind: 'reauthorize', code: 'x', reason: 'X (x)', cure: 'refresh' } as const;
    watched.calls = [];
    watched.instead.creator = async () => old;
    assert.equal(await kindOf(account), 'later');
    assert.deepEqual(watched.calls, ['creator', 'renew', 'creator']);
    assert.deepEqual(await statusOf(account), ['connected', null]);
  });

  it('are renewed by one call for twenty callers that need them at once', async () => {
    const { account } = await creator('bea');
    await platform.control('expire_tokens', { username: 'bea' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => kindOf(account)));
    assert.deepEqual(new Set(answers), new Set(['ok']));
    assert.equal(watched.count('renew'), 1);
  });

  it('are renewed by one call for twenty callers in two processes', async () => {
    const { account } = await creator();
    advance(2 * HOUR_MS);
    await withOther(async (other) => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => ask(i % 2 ? other : service.app, account)),
      );
      assert.deepEqual(new Set(answers.map(({ kind }) => kind)), new Set(['ok']));
      assert.equal(watched.count('renew'), 1);
    });
  });

  it('that are invalid are discovered by one call for two processes', async () => {
    const { account } = await creator('bo');
    advance(2 * HOUR_MS);
    await platform.control('remove_authorization', { username: 'bo' });
    await withOther(async (other) => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => ask(i % 2 ? other : service.app, account)),
      );
      assert.deepEqual(new Set(answers.map(({ kind }) => kind)), new Set(['reauthorize']));
      assert.equal(watched.count('renew'), 1);
    });
  });

  it('are saved before any other use', async () => {
    const { account } = await creator();
    advance(2 * HOUR_MS);
    let rotated = '';
    watched.instead.renew = async (token, signal) => {
      const answer = await realRefresh(token, signal);
      if (answer.kind === 'ok') rotated = answer.value.refreshToken ?? '';
      return answer;
    };
    const answer = await callAsAccount(service.app, account, async () => {
      assert.equal(await opened(account, 'refresh_token'), rotated);
      return { kind: 'ok' };
    });
    assert.equal(answer.kind, 'ok');
    assert.match(rotated, /^rft\./);
  });

  /** The database fails from the platform's answer on, for this many tries. */
  const loseDatabase = ({ db }: App, times: number) => {
    const { transact } = db;
    const lost = { tries: 0, bringBack: () => Object.assign(db, { transact }) };
    watched.instead.renew = async (token, signal) => {
      const answer = await realRefresh(token, signal);
      db.transact = (work) => {
        if (lost.tries++ < times) return Promise.reject(new Error('the database is away'));
        lost.bringBack();
        return transact(work);
      };
      return answer;
    };
    return lost;
  };

  it('survive a database that is away for a moment', async () => {
    const { account } = await creator();
    advance(2 * HOUR_MS);
    loseDatabase(service.app, 1);
    assert.equal(await kindOf(account), 'ok');
    watched.instead = {};
    advance(2 * HOUR_MS);
    assert.equal(await kindOf(account), 'ok');
  });

  it('that were never saved before the process ended leave an account that must be reconnected', async () => {
    const { account } = await creator();
    advance(2 * HOUR_MS);
    await withOther(async (other) => {
      const lost = loseDatabase(other, Number.POSITIVE_INFINITY);
      ask(other, account).catch(() => {});
      await until('it has been tried', () => lost.tries > 0);
    });
    watched.instead = {};
    assert.deepEqual(await statusOf(account), ['connected', null]);
    // The renewal lease of the dead process expires.
    advance(60_000);
    const answer = await ask(service.app, account);
    assert.ok(answer.kind === 'reauthorize' && answer.cure === 'consent');
    assert.deepEqual(await statusOf(account), ['reconnect_required', answer.reason]);
    assert.match(answer.reason, /Reconnect it \(invalid_grant\)$/);
  });

  it('are requested again with the old refresh token when the answer was lost', async () => {
    const { account } = await creator();
    advance(2 * HOUR_MS);
    await platform.control('faults', { on: 'token', kind: 'reset_before' });
    const lost = await ask(service.app, account);
    assert.ok(lost.kind === 'later' && /\(no_answer\)$/.test(lost.reason), JSON.stringify(lost));
    assert.deepEqual(await statusOf(account), ['connected', null]);
    assert.equal(await kindOf(account), 'ok');
  });

  it('are lost if the platform had replaced them and the answer was lost', async () => {
    const { account } = await creator();
    advance(2 * HOUR_MS);
    await platform.control('faults', { on: 'token', kind: 'reset_after' });
    assert.equal(await kindOf(account), 'later');
    assert.deepEqual(await statusOf(account), ['connected', null]);
    assert.equal(await kindOf(account), 'reauthorize');
    assert.equal((await accountRow(account.id)).status, 'reconnect_required');
  });

  it('are used to their last second if they cannot be renewed', async () => {
    const { account } = await creator();
    advance(2 * HOUR_MS - 30_000);
    await platform.control('faults', { on: 'token', kind: 'http_500', times: 2 });
    assert.equal(await kindOf(account), 'ok');
    advance(30_000);
    assert.equal(await kindOf(account), 'later');
    assert.equal(await kindOf(account), 'ok');
  });

  it('that an app with a wrong secret cannot renew are not given up', async () => {
    const { account } = await creator();
    advance(2 * HOUR_MS);
    const reason = 'The platform does not know this app (invalid_client)';
    watched.instead.renew = async () => ({
      kind: 'refused',
      code: 'invalid_client',
      reason,
      isRepeatable: false,
    });
    assert.deepEqual(await ask(service.app, account), { kind: 'later', code: 'invalid_client', reason });
    assert.deepEqual(await statusOf(account), ['connected', null]);
    watched.instead = {};
    assert.equal(await kindOf(account), 'ok');
  });

  it('of a new consent are not overwritten by a renewal that began before it', async () => {
    const { org, account } = await creator('cleo');
    advance(2 * HOUR_MS);
    let consented = '';
    watched.instead.renew = async (token, signal) => {
      const answer = await realRefresh(token, signal);
      assert.equal(await org.connectAccount('cleo'), account.id);
      consented = await opened(account, 'refresh_token');
      return answer;
    };
    assert.equal(await kindOf(account), 'ok');
    assert.equal(await opened(account, 'refresh_token'), consented);
  });

  it('that are refused do not mark an account that was reconnected meanwhile, whose new ones are used', async () => {
    const { org, account } = await creator('dana');
    advance(2 * HOUR_MS);
    watched.instead.renew = async (token, signal) => {
      await platform.control('remove_authorization', { username: 'dana' });
      const answer = await realRefresh(token, signal);
      assert.equal(answer.kind, 'reauthorize');
      await org.connectAccount('dana');
      return answer;
    };
    assert.equal(await kindOf(account), 'ok');
    assert.deepEqual(await statusOf(account), ['connected', null]);
  });

  it('a webhook about a revoked authorization marks the account, and no more calls are made', async () => {
    const { org, account } = await creator('elsa');
    await platform.control('remove_authorization', { username: 'elsa' });
    const answer = await ask(service.app, account);
    assert.ok(answer.kind === 'reauthorize' && answer.cure === 'consent');
    const { json } = await org.call('GET', '/api/v1/social-accounts');
    assert.deepEqual(
      [json.data[0].status, json.data[0].status_reason],
      ['reconnect_required', answer.reason],
    );
    watched.calls = [];
    const again = await ask(service.app, account);
    assert.ok(again.kind === 'reauthorize' && again.cure === 'consent');
    assert.deepEqual([again.code, again.reason], ['reconnect_required', answer.reason]);
    assert.deepEqual(watched.calls, []);
    assert.equal(await org.connectAccount('elsa'), account.id);
    assert.equal(await kindOf(account), 'ok');
  });

  it('that never had the scope of a call do not mark the account, but those that lost it do', async () => {
    const org = await service.newOrganization();
    await goThrough(org, 'fee', ['user.info.basic', 'video.upload']);
    const { json } = await org.call('GET', '/api/v1/social-accounts');
    const few = { org_id: org.id, id: json.data[0].id };
    const answer = await ask(service.app, few);
    assert.ok(answer.kind === 'reauthorize' && answer.code === 'scope_not_authorized');
    assert.deepEqual(await statusOf(few), ['connected', null]);
    const { account } = await creator();
    watched.instead.creator = async () => answer;
    assert.equal(await kindOf(account), 'reauthorize');
    assert.deepEqual(await statusOf(account), ['reconnect_required', answer.reason]);
  });

  it('that are missing, or of a missing account, ask to reconnect', async () => {
    const org = await service.newOrganization();
    const bare = { org_id: org.id, id: await org.addAccount() };
    const stranger = { org_id: (await service.newOrganization()).id, id: (await creator()).account.id };
    watched.calls = [];
    for (const account of [bare, stranger]) {
      const answer = await ask(service.app, account);
      assert.ok(answer.kind === 'reauthorize' && / \(reconnect_required\)$/.test(answer.reason));
    }
    assert.deepEqual(watched.calls, []);
    assert.equal((await accountRow(bare.id)).status, 'reconnect_required');
    assert.equal((await accountRow(stranger.id)).status, 'connected');
  });

  it('sealed for another account do not decrypt here', async () => {
    const [{ account }, { account: other }] = [await creator(), await creator()];
    const { access_token } = await accountRow(other.id);
    await service.app.db.transact((tx) =>
      tx
        .updateTable('social_accounts')
        .set({ access_token })
        .where('org_id', '=', account.org_id)
        .where('id', '=', account.id)
        .execute(),
    );
    watched.calls = [];
    assert.equal(await kindOf(account), 'reauthorize');
    assert.deepEqual(watched.calls, []);
  });

  it('are doubted only for connected accounts, and an unfounded doubt costs one renewal', async () => {
    const { account } = await creator();
    const first = await opened(account, 'access_token');
    await scheduleGrantCheck(service.app, account);
    assert.equal(await kindOf(account), 'ok');
    assert.notEqual(await opened(account, 'access_token'), first);
    assert.deepEqual(await statusOf(account), ['connected', null]);
    const org = await service.newOrganization();
    const gone = { org_id: org.id, id: await org.addAccount('disconnected') };
    await scheduleGrantCheck(service.app, gone);
    assert.equal((await accountRow(gone.id)).refresh_at, null);
  });

  it('are renewed by the worker at half of their lifetime, with names and picture', async () => {
    const { account } = await creator('gina');
    const first = await opened(account, 'access_token');
    advance(HOUR_MS - 60_000);
    await renewTokens(service.app);
    assert.equal(await opened(account, 'access_token'), first);
    await platform.control('accounts', { username: 'gina', nickname: 'Gina of the maps' });
    advance(60_000);
    await renewTokens(service.app);
    assert.notEqual(await opened(account, 'access_token'), first);
    assert.equal((await accountRow(account.id)).display_name, 'Gina of the maps');
  });

  it('that cannot be renewed are retried by the worker a minute later, and block no other account', async () => {
    const accounts = [(await creator()).account, (await creator()).account];
    advance(HOUR_MS);
    const [failing, working] = accounts as [AccountRef, AccountRef];
    const dead = await opened(failing, 'refresh_token');
    const before = await Promise.all(accounts.map((account) => opened(account, 'access_token')));
    watched.instead.renew = async (tokens, signal) =>
      tokens.refreshToken === dead ? LATER : realRefresh(tokens, signal);
    await renewTokens(service.app);
    assert.equal(await opened(failing, 'access_token'), before[0]);
    assert.notEqual(await opened(working, 'access_token'), before[1]);
    watched.instead = {};
    watched.calls = [];
    await renewTokens(service.app);
    assert.equal(watched.count('renew'), 0);
    advance(60_000);
    await renewTokens(service.app);
    assert.notEqual(await opened(failing, 'access_token'), before[0]);
  });

  it('are checked by the worker when a webhook says that a grant is gone', async () => {
    const [one, two] = [await creator('hedda'), await creator('ines')];
    await platform.control('remove_authorization', { username: 'hedda' });
    for (const { account } of [one, two]) {
      const { open_id } = await accountRow(account.id);
      await service.app.db.transact((tx) =>
        scheduleGrantChecks(tx, service.clock.now(), 'tiktok', open_id as string),
      );
    }
    await renewTokens(service.app);
    assert.equal((await accountRow(one.account.id)).status, 'reconnect_required');
    assert.equal((await accountRow(two.account.id)).status, 'connected');
    assert.equal(await kindOf(two.account), 'ok');
  });
});

onEngines('sqlite', 'The log and the rows of all this', (engine) => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const { platform, service, watched, advance, creator } = useTidyWorld(engine, { log });

  it('contain no readable token, code, state or verifier', async () => {
    const secrets = new Set<string>();
    watched.instead.exchange = async (code, request, signal) => {
      assert.ok(watched.real);
      const answer = await watched.real.exchange(code, request, signal);
      secrets.add(code).add(request.verifier);
      if (answer.kind === 'ok') secrets.add(answer.value.accessToken).add(answer.value.refreshToken ?? '');
      return answer;
    };
    const { org, account } = await creator('kanarie');
    const begun = await org.call('POST', '/api/v1/social-accounts/connect', {}, { 'idempotency-key': 'one' });
    secrets.add(new URL(begun.json.data.authorize_url).searchParams.get('state') as string);
    advance(2 * HOUR_MS);
    await platform.control('faults', { on: 'token', kind: 'http_500' });
    const info = `/api/v1/social-accounts/${account.id}/creator-info`;
    const responses = [
      await org.call('GET', info),
      await org.call('GET', info),
      await org.call('GET', '/api/v1/social-accounts'),
    ];
    await renewTokens(service.app);
    const rows = await Promise.all(
      (['social_accounts', 'oauth_states', 'idempotency_records'] as const).map((table) =>
        service.app.db.read.selectFrom(table).selectAll().execute(),
      ),
    );
    await platform.control('remove_authorization', { username: 'kanarie' });
    responses.push(
      await org.call('GET', info),
      await org.call('DELETE', `/api/v1/social-accounts/${account.id}`),
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      [503, 200, 200, 409, 204],
    );
    assert.ok(secrets.size >= 4 && lines.length > 5);
    const everything = JSON.stringify(rows) + lines.join('') + responses.map(({ text }) => text).join('');
    for (const secret of secrets) assert.ok(!everything.includes(secret), 'a secret was leaked');
    assert.doesNotMatch(everything, /\b(act|rft)\.[\w-]{8}/);
  });
});
