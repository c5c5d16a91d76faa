// The platform's real rules, which the sandbox enforces only when it is strict.
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { isRedirectAllowed } from '@airdate/sandbox/consent.js';
import { DEFAULT_SETTINGS } from '@airdate/sandbox/platform.js';
import { refused, type Tokens, usePlatform } from '../support/platform/test-platform.js';

const UPLOAD = { source: 'FILE_UPLOAD', video_size: 10, chunk_size: 10, total_chunk_count: 1 };
const direct = (privacy_level = 'SELF_ONLY') => ({ post_info: { privacy_level }, source_info: UPLOAD });
const HOUR_MS = 3_600_000;

describe('a lenient sandbox', () => {
  const platform = usePlatform();

  it('has no limits and no caps', async () => {
    const tokens = await platform.connect('ada');
    for (let i = 0; i < 40; i++) {
      assert.equal((await platform.api('video/init', tokens, direct())).status, 200);
      assert.equal((await platform.api('inbox/video/init', tokens, { source_info: UPLOAD })).status, 200);
      assert.equal((await platform.api('creator_info/query', tokens)).json.error.code, 'ok');
    }
  });

  it('checks neither audits nor domain ownership', async () => {
    await platform.control('settings', { audited: false, active_user_cap: 0 });
    const tokens = await platform.connect('ada');
    assert.equal((await platform.api('video/init', tokens, direct('PUBLIC_TO_EVERYONE'))).status, 200);
  });
});

describe('a strict sandbox', () => {
  const platform = usePlatform({ strict: true });
  let people = 0;
  const newCreator = (account: object = {}) => connectAs(`person.${++people}`, account);
  const connectAs = async (username: string, account: object): Promise<Tokens> => {
    await platform.control('accounts', { username, ...account });
    return platform.connect(username);
  };
  const init = async (tokens: Tokens, body: object = direct()) =>
    refused(await platform.api('video/init', tokens, body));
  const OK = [200, 'ok'];
  afterEach(async () => {
    await platform.control('settings', { ...DEFAULT_SETTINGS });
    platform.clock.advance(25 * HOUR_MS);
  });

  const LIMITS: [path: string, perMinute: number, body: object][] = [
    ['creator_info/query', 20, {}],
    ['video/init', 6, {}],
    ['inbox/video/init', 6, {}],
    ['content/init', 6, { post_mode: 'DIRECT_POST' }],
    ['status/fetch', 30, { publish_id: 'unknown' }],
  ];
  for (const [path, perMinute, body] of LIMITS)
    it(`lets a token call ${path} ${perMinute} times a minute`, async () => {
      const tokens = await newCreator();
      platform.clock.stopAt(platform.clock.now());
      for (let i = 0; i < perMinute; i++)
        assert.notEqual((await platform.api(path, tokens, body)).status, 429, `call ${i + 1}`);
      assert.deepEqual(refused(await platform.api(path, tokens, body)), [429, 'rate_limit_exceeded']);
      assert.notEqual((await platform.api(path, await newCreator(), body)).status, 429, 'another token');
      platform.clock.advance(60_000);
      assert.notEqual((await platform.api(path, tokens, body)).status, 429, 'a minute later');
      platform.clock.resume();
    });

  it('offers privacy levels by account', async () => {
    const options = async (tokens: Tokens) =>
      (await platform.api('creator_info/query', tokens)).json.data.privacy_level_options;
    const open = await newCreator();
    assert.deepEqual(await options(open), ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']);
    assert.deepEqual(await init(open, direct('FOLLOWER_OF_CREATOR')), [403, 'privacy_level_option_mismatch']);
    const closed = await newCreator({ is_private: true });
    assert.deepEqual(await options(closed), ['FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']);
    assert.deepEqual(await init(closed, direct('PUBLIC_TO_EVERYONE')), [
      403,
      'privacy_level_option_mismatch',
    ]);
    assert.equal((await platform.api('creator_info/query', closed)).json.data.duet_disabled, true);
  });

  it('lets an unaudited client post privately to private accounts of five creators', async () => {
    await platform.control('settings', { audited: false });
    const code = 'unaudited_client_can_only_post_to_private_accounts';
    assert.deepEqual(await init(await newCreator()), [403, code]);
    assert.deepEqual(await init(await newCreator({ is_private: true }), direct('MUTUAL_FOLLOW_FRIENDS')), [
      403,
      code,
    ]);
    const five = [];
    for (let i = 0; i < 5; i++) five.push(await newCreator({ is_private: true }));
    for (const tokens of five) assert.deepEqual(await init(tokens), OK);
    const sixth = await newCreator({ is_private: true });
    assert.deepEqual(await init(sixth), [403, 'reached_active_user_cap']);
    assert.deepEqual(refused(await platform.api('creator_info/query', sixth)), [
      200,
      'reached_active_user_cap',
    ]);
    assert.deepEqual(await init(five[0] as Tokens), OK, 'an active creator stays active');
  });

  it('caps the creators an audited client posts for, if told so', async () => {
    await platform.control('settings', { active_user_cap: 1 });
    assert.deepEqual(await init(await newCreator()), OK);
    assert.deepEqual(await init(await newCreator()), [403, 'reached_active_user_cap']);
  });

  it('lets a creator post 15 times in 24 hours', async () => {
    const tokens = await newCreator();
    for (let i = 0; i < 15; i++) {
      assert.deepEqual(await init(tokens), OK, `post ${i + 1}`);
      platform.clock.advance(61_000);
    }
    assert.deepEqual(await init(tokens), [403, 'spam_risk_too_many_posts']);
    const info = await platform.api('creator_info/query', tokens);
    assert.deepEqual(refused(info), [200, 'spam_risk_too_many_posts']);
    platform.clock.advance(24 * HOUR_MS);
    const again = await platform.connect(`person.${people}`);
    assert.deepEqual(await init(again), OK);
  });

  it('keeps five pending drafts', async () => {
    const tokens = await newCreator();
    const share = () => platform.api('inbox/video/init', tokens, { source_info: UPLOAD });
    for (let i = 0; i < 5; i++) {
      assert.deepEqual(refused(await share()), OK);
      platform.clock.advance(61_000);
    }
    const sixth = await share();
    assert.deepEqual(refused(sixth), [400, 'spam_risk_too_many_pending_share']);
    assert.equal(sixth.json.error.message, 'spam_risk_too_many_pending_share');
    assert.equal(sixth.json.data, undefined);
    await platform.control('settings', { pending_share_status: 403 });
    platform.clock.advance(61_000);
    assert.equal((await share()).status, 403);
  });

  it('pulls from https domains that the client has proved to own', async () => {
    await platform.control('settings', {
      verified_urls: ['static.example.com', 'https://example.org/videos/user/'],
    });
    const tokens = await newCreator();
    const pull = async (video_url: string) => {
      platform.clock.advance(61_000);
      const source_info = { source: 'PULL_FROM_URL', video_url };
      return refused(await platform.api('inbox/video/init', tokens, { source_info }));
    };
    for (const url of [
      'http://static.example.com/v.mp4',
      'https://127.0.0.1/v.mp4',
      'https://[::1]/v.mp4',
      'ftp://static.example.com/v.mp4',
    ])
      assert.deepEqual(await pull(url), [400, 'invalid_params'], url);
    for (const url of [
      'https://example.com/v.mp4',
      'https://notstatic.example.com/v.mp4',
      'https://static.example.com.evil.example/v.mp4',
      'https://example.org/videos/2023/user/v.mp4',
    ])
      assert.deepEqual(await pull(url), [403, 'url_ownership_unverified'], url);
    for (const url of [
      'https://static.example.com/v.mp4',
      'https://video.static.example.com/v.mp4',
      'https://example.org/videos/user/v.mp4',
    ])
      assert.deepEqual(await pull(url), OK, url);
  });

  it('refuses duet and stitch for photos', async () => {
    const answer = await platform.photos(await newCreator(), ['https://example.com/1.jpg'], {
      post_info: { privacy_level: 'SELF_ONLY', disable_duet: true },
    });
    assert.deepEqual(refused(answer), [400, 'invalid_params']);
  });

  it('redirects to https, or to localhost with a port, and requires PKCE there', async () => {
    for (const [address, strict] of [
      ['https://app.example.com/callback', true],
      ['http://localhost:3000/callback', true],
      ['http://127.0.0.1:8080/', true],
      ['http://app.example.com/callback', false],
      ['http://localhost/callback', false],
      ['https://app.example.com/callback?x=1', false],
      ['https://app.example.com/callback#x', false],
      [`https://app.example.com/${'x'.repeat(500)}`, false],
    ] as const) {
      assert.equal(isRedirectAllowed(address, true), strict, address);
      assert.equal(isRedirectAllowed(address, false), true, address);
    }
    const path = platform.authorizePath().replace(/&code_challenge=[^&]*/, '');
    const answer = await platform.request('GET', path);
    assert.match(answer.text, /<code>code_challenge<\/code>/);
  });
});
