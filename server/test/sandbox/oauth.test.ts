// Consent, codes and tokens of the sandbox, as the platform handles them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { CLIENT, REDIRECT, refused, SCOPES, usePlatform } from '../support/platform/test-platform.js';

describe('the consent page', () => {
  const platform = usePlatform();

  it('shows the creator which client asks for which scopes', async () => {
    const { status, headers, text } = await platform.request('GET', platform.authorizePath());
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/html/);
    assert.match(text, /localhost:3000/);
    for (const scope of SCOPES.split(',')) assert.match(text, new RegExp(`value="${scope}" checked`));
    assert.match(text, /name="username"/);
    assert.match(text, /name="decision" value="allow"/);
    assert.match(text, /name="decision" value="deny"/);
    assert.match(headers.get('content-security-policy') ?? '', /form-action 'self' http:\/\/localhost:3000;/);
  });

  it('redirects the creator with a code, the scopes and the state', async () => {
    const query = await platform.allow('ada');
    assert.match(query.get('code') ?? '', /\*v!5236\.s1$/);
    assert.equal(query.get('scopes'), SCOPES);
    assert.equal(query.get('state'), 'a state');
  });

  it('is found without the last slash too, as some libraries ship its address', async () => {
    const path = platform.authorizePath().replace('/?', '?');
    const page = await platform.request('GET', path);
    assert.equal(page.status, 200);
    const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(page.text) ?? [];
    const target = new URL(action.replaceAll('&amp;', '&'), platform.url + path);
    const answer = await platform.form(target.pathname + target.search, {
      decision: 'allow',
      username: 'ada',
    });
    const query = new URL(answer.headers.get('location') ?? '').searchParams;
    assert.ok((await platform.exchange(query.get('code') as string)).json.access_token);
  });

  it('keeps the query of the callback URL', async () => {
    const answer = await platform.form(platform.authorizePath({ redirect_uri: `${REDIRECT}?a=1` }), {
      decision: 'allow',
      username: 'ada',
    });
    assert.match(answer.headers.get('location') ?? '', /callback\?a=1&code=/);
  });

  it('lets the creator untick scopes', async () => {
    const answer = await platform.form(platform.authorizePath(), {
      decision: 'allow',
      username: 'ada',
      with_scopes: '1',
      scope: 'video.upload',
    });
    const query = new URL(answer.headers.get('location') ?? '').searchParams;
    assert.equal(query.get('scopes'), 'video.upload');
    assert.equal((await platform.exchange(query.get('code') as string)).json.scope, 'video.upload');
  });

  it('redirects the creator with access_denied', async () => {
    const answer = await platform.form(platform.authorizePath(), { decision: 'deny' });
    assert.equal(answer.status, 302);
    const query = new URL(answer.headers.get('location') ?? '').searchParams;
    assert.equal(query.get('error'), 'access_denied');
    assert.equal(query.get('state'), 'a state');
    assert.equal(query.get('code'), null);
  });

  it('asks again after an invalid username', async () => {
    for (const username of ['', 'A B', '<b>', '../x', 'x'.repeat(30)]) {
      const answer = await platform.form(platform.authorizePath(), { decision: 'allow', username });
      assert.equal(answer.status, 400, username);
      assert.match(answer.text, /role="alert"/);
    }
  });

  for (const [parameter, value] of Object.entries({
    client_key: 'unknown',
    response_type: 'token',
    redirect_uri: 'javascript:alert(1)',
    scope: 'everything',
    code_challenge_method: 'plain',
  }))
    it(`names a wrong ${parameter} on a page of its own and does not redirect`, async () => {
      for (const method of ['GET', 'POST']) {
        const path = platform.authorizePath({ [parameter]: value });
        const answer = await platform.request(
          method,
          path,
          method === 'POST' ? { raw: 'decision=deny' } : {},
        );
        assert.equal(answer.status, 400);
        assert.match(answer.text, new RegExp(`<code>${parameter}</code>`));
        assert.equal(answer.headers.get('location'), null);
      }
    });
});

describe('the token endpoint', () => {
  const platform = usePlatform();
  const codeFor = async (username: string, more = {}) =>
    (await platform.allow(username, more)).get('code') as string;

  it('exchanges a code for tokens valid for two hours, at the top level of the body', async () => {
    const { status, json, headers } = await platform.exchange(await codeFor('ada'));
    assert.equal(status, 200);
    assert.match(json.access_token, /^act\./);
    assert.match(json.refresh_token, /^rft\./);
    assert.deepEqual(
      [json.expires_in, json.refresh_expires_in, json.scope, json.token_type],
      [7200, 31_536_000, SCOPES, 'Bearer'],
    );
    assert.equal((await platform.connect('ada')).open_id, json.open_id, 'the same person');
    assert.notEqual((await platform.connect('bob')).open_id, json.open_id);
    assert.match(headers.get('x-tt-logid') ?? '', /^\d{14}[0-9A-F]{20}$/);
  });

  const fails = async (answer: ReturnType<typeof platform.token>, error: string, description: RegExp) => {
    const { status, json } = await answer;
    assert.equal(status, 200, 'errors too');
    assert.equal(json.error, error);
    assert.match(json.error_description, description);
    assert.match(json.log_id, /^\d{14}[0-9A-F]{20}$/);
    assert.equal(json.access_token, undefined);
  };

  it('accepts a code once', async () => {
    const code = await codeFor('ada');
    await platform.exchange(code);
    await fails(platform.exchange(code), 'invalid_grant', /Authorization code is expired/);
  });

  it('accepts a code for five minutes, and only the whole code', async () => {
    const code = await codeFor('ada');
    platform.clock.advance(5 * 60_000);
    await fails(platform.exchange(code), 'invalid_grant', /expired/);
    await fails(
      platform.exchange((await codeFor('ada')).replace(/\*.*$/, '')),
      'invalid_grant',
      /Authorization code is expired/,
    );
  });

  it('accepts a code only with the redirect URI it was requested with', async () => {
    const code = await codeFor('ada');
    await fails(
      platform.exchange(code, { redirect_uri: `${REDIRECT}/` }),
      'invalid_request',
      /Redirect_uri is not matched/,
    );
  });

  it('requires the verifier of a challenge, which is a hexadecimal hash', async () => {
    const wrong = 'x'.repeat(43);
    await fails(
      platform.exchange(await codeFor('ada'), { code_verifier: wrong }),
      'invalid_request',
      /Code verifier or code challenge is invalid/,
    );
    const code_challenge = createHash('sha256').update(wrong).digest('base64url');
    await fails(
      platform.exchange(await codeFor('ada', { code_challenge }), { code_verifier: wrong }),
      'invalid_request',
      /Code verifier/,
    );
  });

  it('accepts only its client, and only forms', async () => {
    await fails(platform.exchange('x', { client_secret: 'wrong' }), 'invalid_client', /./);
    await fails(platform.token({ grant_type: 'password' }), 'unsupported_grant_type', /./);
    await fails(platform.token({ grant_type: 'authorization_code' }), 'invalid_request', /malformed/);
    const body = { ...CLIENT, grant_type: 'refresh_token', refresh_token: 'x' };
    await fails(platform.request('POST', '/v2/oauth/token/', { body }), 'invalid_request', /malformed/);
  });

  const refresh = (refresh_token: string) => platform.token({ grant_type: 'refresh_token', refresh_token });

  it('rotates refresh tokens: each works once', async () => {
    const first = await platform.connect('ada');
    const second = (await refresh(first.refresh_token)).json;
    assert.notEqual(second.access_token, first.access_token);
    assert.notEqual(second.refresh_token, first.refresh_token);
    assert.equal(second.open_id, first.open_id);
    assert.equal(second.scope, first.scope);
    await fails(refresh(first.refresh_token), 'invalid_grant', /Refresh token is invalid or expired/);
    assert.ok((await refresh(second.refresh_token)).json.access_token);
  });

  it('gives access tokens that expire', async () => {
    const tokens = await platform.connect('ada');
    assert.equal((await platform.api('creator_info/query', tokens)).status, 200);
    platform.clock.advance(7200_000);
    const answer = await platform.api('creator_info/query', tokens);
    assert.deepEqual(refused(answer), [401, 'access_token_invalid']);
    assert.equal(answer.json.error.message, 'The access token is invalid or not found in the request.');
    assert.ok((await refresh(tokens.refresh_token)).json.access_token);
  });

  it('revokes with a valid access token, for good', async () => {
    const tokens = await platform.connect('carl');
    const revoke = (token: string) => platform.form('/v2/oauth/revoke/', { ...CLIENT, token });
    const answer = await revoke(tokens.access_token);
    assert.deepEqual([answer.status, answer.json], [200, {}]);
    assert.equal((await platform.api('creator_info/query', tokens)).status, 401);
    await fails(refresh(tokens.refresh_token), 'invalid_grant', /./);
    const other = await platform.connect('carl');
    await platform.control('expire_tokens', { username: 'carl' });
    await fails(revoke(other.access_token), 'invalid_grant', /./);
  });

  it('answers errors with another status, and issues tokens with another lifetime, if told so', async () => {
    await platform.control('settings', { oauth_error_status: 400, access_token_seconds: 86_400 });
    assert.equal((await refresh('rft.unknown')).status, 400);
    assert.equal((await platform.connect('ada')).expires_in, 86_400);
  });
});

describe('the person behind a token', () => {
  const platform = usePlatform();
  const info = (fields: string, key: string) =>
    platform.request('GET', `/v2/user/info/?fields=${fields}`, { key });

  it('is described by the requested fields', async () => {
    const tokens = await platform.connect('ada');
    const { status, json } = await info('open_id,display_name,avatar_url', tokens.access_token);
    assert.equal(status, 200);
    assert.equal(json.error.code, 'ok');
    assert.equal(json.data.user.open_id, tokens.open_id);
    assert.equal(json.data.user.display_name, 'Ada');
    const avatar = await platform.request('GET', new URL(json.data.user.avatar_url).pathname);
    assert.equal(avatar.headers.get('content-type'), 'image/svg+xml');
  });

  it('is described only as far as the scopes allow', async () => {
    const tokens = await platform.connect('ada');
    assert.deepEqual(refused(await info('username', tokens.access_token)), [401, 'scope_not_authorized']);
    assert.deepEqual(refused(await info('shoe_size', tokens.access_token)), [400, 'invalid_params']);
    assert.deepEqual(refused(await info('', tokens.access_token)), [400, 'invalid_params']);
    assert.deepEqual(refused(await info('open_id', 'act.unknown')), [401, 'access_token_invalid']);
    const wide = await platform.connect('ada', 'user.info.basic,user.info.profile');
    assert.equal((await info('username', wide.access_token)).json.data.user.username, 'ada');
  });

  it('as a creator may choose any privacy level, in the platform’s words', async () => {
    const tokens = await platform.connect('ada.lovelace');
    const { json, headers } = await platform.api('creator_info/query', tokens);
    assert.match(json.data.creator_avatar_url, /^http/);
    assert.deepEqual(
      { ...json.data, creator_avatar_url: '' },
      {
        creator_avatar_url: '',
        creator_username: 'ada.lovelace',
        creator_nickname: 'Ada lovelace',
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
      },
    );
    assert.equal(json.error.log_id, headers.get('x-tt-logid'));
  });

  it('as a creator needs the scope, and may be banned: still HTTP 200', async () => {
    const narrow = await platform.connect('ada', 'user.info.basic');
    assert.deepEqual(refused(await platform.api('creator_info/query', narrow)), [
      401,
      'scope_not_authorized',
    ]);
    const tokens = await platform.connect('mallory');
    await platform.control('accounts', { username: 'mallory', is_banned: true, comment_disabled: true });
    assert.deepEqual(refused(await platform.api('creator_info/query', tokens)), [
      200,
      'spam_risk_user_banned_from_posting',
    ]);
  });
});
