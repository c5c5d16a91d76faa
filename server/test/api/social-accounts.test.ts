import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { PlatformFailure } from '../../src/connectors/connector.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  assertProblem,
  assertRefused,
  at,
  blockAccount,
  TIMESTAMP,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import { useTidyWorld } from '../support/world/world.js';

const PATH = '/api/v1/social-accounts';

onEngines('sqlite', 'GET /api/v1/social-accounts', (engine) => {
  const service = useService(engine);

  it('is empty for an organization without accounts', async () => {
    const org = await service.newOrganization();
    const { data, pagination } = await org.sdk.request('GET', PATH);
    assert.deepEqual(data, []);
    assert.deepEqual(pagination, { page: 1, per_page: 20, total: 0, total_pages: 0 });
  });

  it('shows id, names, picture, status and scopes of each account, and no secret', async () => {
    const org = await service.newOrganization();
    const id = await org.connectAccount('anna');
    const { json } = await org.call('GET', PATH);
    assert.deepEqual(Object.keys(json).sort(), ['data', 'pagination']);
    const [account] = json.data;
    assert.deepEqual(Object.keys(account).sort(), [
      'authorization_expires_at',
      'avatar_url',
      'block_reason',
      'blocked_until',
      'created_at',
      'default_hashtags',
      'default_mode',
      'display_name',
      'id',
      'platform',
      'scopes',
      'status',
      'status_reason',
      'updated_at',
      'username',
    ]);
    assert.equal(account.id, id);
    assert.equal(account.username, 'anna');
    assert.equal(account.status, 'connected');
    assert.deepEqual(account.scopes, ['user.info.basic', 'video.publish', 'video.upload']);
    assert.match(account.created_at, TIMESTAMP);
    assert.match(account.updated_at, TIMESTAMP);
    const daysLeft = (Date.parse(account.authorization_expires_at) - service.clock.now()) / 86_400_000;
    assert.equal(Math.round(daysLeft), 365);
  });

  it('says until when an account is blocked and why; the block of its platform counts if it lasts longer', async () => {
    const org = await service.newOrganization();
    const id = await org.addAccount();
    const blockOf = async () => {
      const { blocked_until, block_reason } = (await org.call('GET', `${PATH}/${id}`)).json.data;
      return [blocked_until, block_reason];
    };
    assert.deepEqual(await blockOf(), [null, null]);
    await blockAccount(service, id, 3_600_000, 'Too many', 'too_many');
    const { blocked_until } = await service.app.db.read
      .selectFrom('social_accounts')
      .select('blocked_until')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const own = [at(blocked_until ?? 0), 'Too many (too_many)'];
    assert.deepEqual(await blockOf(), own);
    const { data } = await org.sdk.request('GET', PATH);
    assert.deepEqual([data[0]?.blocked_until, data[0]?.block_reason], own);
    const until = service.clock.now() + 7_200_000;
    const row = {
      platform: 'tiktok',
      blocked_until: until,
      reason: 'The cap (cap)',
      reason_code: 'cap',
    };
    await service.app.db.transact((tx) => tx.insertInto('platform_blocks').values(row).execute());
    assert.deepEqual(await blockOf(), [at(until), 'The cap (cap)']);
    await service.app.db.transact((tx) => tx.deleteFrom('platform_blocks').execute());
    assert.deepEqual(await blockOf(), own);
  });

  it('says which account must be reconnected', async () => {
    const org = await service.newOrganization();
    await org.addAccount('reconnect_required');
    const { data } = await org.sdk.request('GET', PATH);
    assert.deepEqual(
      data.map(({ status }) => status),
      ['reconnect_required'],
    );
  });

  it('leaves out those that were disconnected', async () => {
    const org = await service.newOrganization();
    const id = await org.addAccount();
    await org.addAccount('disconnected');
    const { data, pagination } = await org.sdk.request('GET', PATH);
    assert.deepEqual(
      data.map((account) => account.id),
      [id],
    );
    assert.equal(pagination.total, 1);
  });

  it('pages through all accounts, each once', async () => {
    const org = await service.newOrganization();
    const added: string[] = [];
    for (let i = 0; i < 5; i++) added.push(await org.addAccount());
    const seen: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const { data, pagination } = await org.sdk.request('GET', PATH, { query: { page, per_page: 2 } });
      assert.deepEqual(pagination, { page, per_page: 2, total: 5, total_pages: 3 });
      seen.push(...data.map(({ id }) => id));
    }
    assert.deepEqual(seen.sort(), added.sort());
  });

  it('never shows the accounts of another organization', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    await other.addAccount();
    const { data, pagination } = await org.sdk.request('GET', PATH);
    assert.deepEqual(data, []);
    assert.equal(pagination.total, 0);
  });

  it('refuses pages out of range and unknown parameters', async () => {
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

onEngines('sqlite', 'GET /api/v1/social-accounts/:id/creator-info', (engine) => {
  const { platform, service, watched, creator } = useTidyWorld(engine);
  const of = (id: string) => `${PATH}/${id}/creator-info`;

  it('passes on the options that the platform offers the creator', async () => {
    const { org, account } = await creator('anna');
    const { status, json } = await org.call('GET', of(account.id));
    assert.equal(status, 200);
    assert.match(json.data.avatar_url, /^http/);
    assert.deepEqual(json, {
      data: {
        platform: 'tiktok',
        supports: {
          post_types: ['slides', 'video'],
          modes: ['direct', 'inbox'],
          toggles: [
            'disable_comment',
            'disable_duet',
            'disable_stitch',
            'brand_content_toggle',
            'brand_organic_toggle',
          ],
        },
        username: 'anna',
        nickname: 'Anna',
        avatar_url: json.data.avatar_url,
        privacy_level_options: [
          'PUBLIC_TO_EVERYONE',
          'MUTUAL_FOLLOW_FRIENDS',
          'FOLLOWER_OF_CREATOR',
          'SELF_ONLY',
        ],
        comment_disabled: false,
        duet_disabled: false,
        stitch_disabled: false,
        max_video_post_duration_sec: 600,
        blocked_until: null,
        block_reason: null,
      },
    });
  });

  it('calls the platform each time', async () => {
    const { org, account } = await creator('bert');
    await org.call('GET', of(account.id));
    await platform.control('accounts', { username: 'bert', comment_disabled: true, nickname: 'Berti' });
    const { json } = await org.call('GET', of(account.id));
    assert.deepEqual([json.data.comment_disabled, json.data.nickname], [true, 'Berti']);
  });

  it('answers 404 for an unknown, foreign, malformed or disconnected account', async () => {
    const { org, account } = await creator();
    const other = await service.newOrganization();
    assertProblem(await other.call('GET', of(account.id)), 404, 'not_found');
    assertProblem(await org.call('GET', of(UNKNOWN_ID)), 404, 'not_found');
    assertProblem(await org.call('GET', of('nonsense')), 404, 'not_found');
    assertProblem(await org.call('GET', of(await org.addAccount('disconnected'))), 404, 'not_found');
  });

  it('says that the account must be reconnected, and why', async () => {
    const { org, account } = await creator('carl');
    await platform.control('remove_authorization', { username: 'carl' });
    for (let i = 0; i < 2; i++) {
      const answer = await org.call('GET', of(account.id));
      assertProblem(answer, 409, 'reconnect_required');
      assert.match(answer.json.detail, /Reconnect it \(invalid_grant\)\.$/);
    }
  });

  it('says how long to wait when the platform asks for a pause', async () => {
    const { org, account } = await creator();
    await platform.control('faults', { on: 'creator_info', kind: 'http_429' });
    const answer = await org.call('GET', of(account.id));
    assertProblem(answer, 503, 'platform_unavailable');
    assert.equal(answer.headers.get('retry-after'), '60');
    assert.match(answer.json.detail, /\(rate_limit_exceeded\)/);
  });

  it("turns each platform error into its problem, with the platform's code", async () => {
    const { org, account } = await creator();
    const failure = { code: 'some_code', reason: 'Something (some_code)' };
    const expected: [PlatformFailure, number, string][] = [
      [{ kind: 'later', ...failure }, 503, 'platform_unavailable'],
      [{ kind: 'refused', isRepeatable: false, ...failure }, 422, 'platform_refused'],
      [{ kind: 'refused', isRepeatable: true, ...failure }, 502, 'platform_failed'],
      [
        { kind: 'blocked', scope: 'account', windowMs: 60_000, isRolling: false, ...failure },
        503,
        'account_blocked',
      ],
      [{ kind: 'unknown', ...failure }, 504, 'platform_timeout'],
      [{ kind: 'reauthorize', cure: 'consent', ...failure }, 409, 'reconnect_required'],
    ];
    for (const [failure, status, code] of expected) {
      watched.instead.creator = async () => failure;
      const answer = await org.call('GET', of(account.id));
      assertProblem(answer, status, code);
      assert.equal(answer.json.detail, 'Something (some_code).');
      assert.equal(answer.headers.has('retry-after'), status === 503);
    }
  });
});
