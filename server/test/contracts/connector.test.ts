// The connector against the sandbox over HTTP: every call in the good case, every fault at every call, and expired tokens.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { before, describe, it } from 'node:test';
import type { Absent, Connector, Outcome, Ready } from '../../src/connectors/connector.js';
import { fixture } from '../support/media/parts.js';
import { freePort, SCOPES, type Tokens, useOther, usePlatform } from '../support/platform/test-platform.js';
import { until } from '../support/runner/until.js';
import {
  acceptedOf,
  CONSENT,
  connectorTo,
  draftOf,
  granted,
  patience,
  short,
  untilMet,
  VERIFIER,
  VIDEO,
} from './connector/connector-parts.js';

const CLIP = fixture('tiny.mp4');
const CLIP_MEDIA = { bytes: CLIP.length, contentType: 'video/mp4' };
const readClip = async (start: number, end: number) => Readable.from([CLIP.subarray(start, end)]);

describe('the connector', () => {
  const platform = usePlatform();
  const imageHost = useOther((_path, response) =>
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(fixture('slide.jpg')),
  );
  let connector: Connector;
  let tokens: Tokens;
  const slides = () => ({ addresses: [`${imageHost.url}/1.jpg`, `${imageHost.url}/2.jpg`] });

  before(async () => {
    connector = connectorTo(platform.url);
    tokens = await platform.connect('anna');
  });

  const status = (publishId: string) =>
    connector.observe(tokens.access_token, { publishId, username: 'anna' }, patience());
  async function settled(publishId: string): Promise<Outcome | Absent> {
    let outcome = await status(publishId);
    await until('it is settled', async () => {
      outcome = await status(publishId);
      return outcome.kind !== 'accepted';
    });
    return outcome;
  }
  const begin = async (draft = VIDEO) =>
    acceptedOf(await connector.prepare(tokens.access_token, draft, CLIP_MEDIA, patience()));

  it('gets a grant with consent, knows its creator, renews it and revokes it', async () => {
    const scopes = SCOPES.split(',');
    const named = { organization: 'Maps & <Co>', username: 'bella' };
    const address = connector.authorizeUrl({ ...CONSENT, ...named, state: 'a&b', scopes });
    const shown = new URL(address).searchParams;
    assert.deepEqual([shown.get('organization'), shown.get('login_hint')], ['Maps & <Co>', 'bella']);
    assert.ok(address.startsWith(`${platform.url}/v2/auth/authorize/?`));
    const path = address.slice(platform.url.length);
    const answer = await platform.form(path, { decision: 'allow', username: 'bella' });
    const query = new URL(answer.headers.get('location') as string).searchParams;
    assert.equal(query.get('state'), 'a&b');

    const grant = granted(await connector.exchange(query.get('code') as string, CONSENT, patience()));
    assert.deepEqual([grant.lifetimeMs, grant.scopes], [7_200_000, scopes]);
    assert.ok(grant.refreshLifetimeMs > grant.lifetimeMs);
    const identity = granted(await connector.identity(grant.accessToken, patience()));
    assert.equal(identity.openId, grant.openId);
    assert.match(identity.avatarUrl ?? '', /bella/);

    const renewed = granted(
      await connector.renew({ accessToken: '', refreshToken: grant.refreshToken }, patience()),
    );
    assert.notEqual(renewed.refreshToken, grant.refreshToken);
    assert.equal(renewed.openId, grant.openId);
    const stale = await connector.renew({ accessToken: '', refreshToken: grant.refreshToken }, patience());
    assert.equal(short(stale), 'consent', 'the old one died with the rotation');

    assert.equal((await connector.revoke(renewed.accessToken, patience())).kind, 'ok');
    assert.equal(short(await connector.identity(renewed.accessToken, patience())), 'refresh');
    assert.equal(
      short(await connector.renew({ accessToken: '', refreshToken: renewed.refreshToken }, patience())),
      'consent',
    );
    assert.equal(short(await connector.revoke(renewed.accessToken, patience())), 'refresh');
  });

  it('says why a consent cannot be exchanged, with any HTTP status', async () => {
    for (const oauth_error_status of [400, 200]) {
      await platform.control('settings', { oauth_error_status });
      const code = (await platform.allow('carla')).get('code') as string;
      const wrong = await connector.exchange(code, { ...CONSENT, verifier: `${VERIFIER}x` }, patience());
      assert.deepEqual([wrong.kind, 'code' in wrong && wrong.code], ['refused', 'invalid_request']);
      const again = await connector.exchange(code, CONSENT, patience());
      assert.deepEqual([again.kind, 'code' in again && again.code], ['refused', 'invalid_grant']);
    }
  });

  it('reads the options that the creator may choose', async () => {
    const flags = { duet_disabled: true, max_video_seconds: 90, nickname: 'Dora D.' };
    await platform.control('accounts', { username: 'dora', ...flags });
    const { access_token } = await platform.connect('dora');
    const options = granted(await connector.creator(access_token, patience()));
    assert.deepEqual([options.username, options.nickname, options.maxVideoSeconds], ['dora', 'Dora D.', 90]);
    assert.deepEqual([options.isDuetDisabled, options.isCommentDisabled], [true, false]);
    assert.ok(options.privacyLevels.includes('SELF_ONLY'));
    const findings = connector.check(VIDEO, { ...CLIP_MEDIA, durationMs: 91_000 }, options);
    assert.deepEqual(
      findings.map(({ code, pointer }) => [code, pointer]),
      [
        ['video_too_long', null],
        ['turned_off_by_account', '/disable_duet'],
      ],
    );
    await platform.control('accounts', { username: 'dora', is_banned: true });
    assert.equal(short(await connector.creator(access_token, patience())), 'blocked', 'with HTTP 200');
  });

  it('publishes slides: it sends exactly what it describes', async () => {
    const draft = draftOf({ isOwnBrand: true, disableComment: true });
    const outcome = await connector.submit(tokens.access_token, draft, slides(), null, patience());
    const { publishId } = acceptedOf(outcome);
    const { request } = (await platform.publishes()).at(-1);
    assert.deepEqual(request, connector.describe(draft, slides()));
    assert.deepEqual(request.post_info, {
      title: 'A title',
      description: 'A caption\n\n#maps',
      privacy_level: 'PUBLIC_TO_EVERYONE',
      disable_comment: true,
      brand_content_toggle: false,
      brand_organic_toggle: true,
      auto_add_music: false,
    });
    const published = await settled(publishId);
    assert.ok(published.kind === 'published');
    assert.match(published.postUrl ?? '', new RegExp(`^${platform.url}/@anna/photo/\\d{19}$`));
  });

  it('publishes a video once its bytes have arrived', async () => {
    const { publishId, upload } = await begin();
    assert.ok(upload);
    assert.deepEqual(
      (await platform.publishes()).at(-1).request.source_info,
      (connector.describe(VIDEO, CLIP_MEDIA) as { source_info: object }).source_info,
    );
    assert.equal(acceptedOf(await status(publishId)).receivedBytes, 0);
    assert.deepEqual(await connector.sendChunk(upload, 0, readClip, patience()), { kind: 'done' });
    const published = await settled(publishId);
    assert.ok(published.kind === 'published');
    assert.match(published.postUrl ?? '', new RegExp(`^${platform.url}/@anna/video/\\d{19}$`));
  });

  it('delivers videos and slides to the inbox', async () => {
    const { publishId, upload } = await begin(draftOf({ type: 'video', mode: 'inbox' }));
    assert.ok(upload);
    await connector.sendChunk(upload, 0, readClip, patience());
    assert.equal((await settled(publishId)).kind, 'in_inbox');
    const draft = draftOf({ mode: 'inbox', privacyLevel: null });
    const photos = acceptedOf(await connector.submit(tokens.access_token, draft, slides(), null, patience()));
    assert.match(photos.publishId, /^p_inbox_url/);
    assert.equal((await settled(photos.publishId)).kind, 'in_inbox');
  });

  it('does not send a post that the platform would certainly refuse', async () => {
    const count = (await platform.publishes()).length;
    const mistakes: [code: string, outcome: Promise<Ready | Outcome>][] = [
      [
        'branded_content_private',
        connector.submit(
          'token',
          draftOf({ isBrandedContent: true, privacyLevel: 'SELF_ONLY' }),
          slides(),
          null,
          patience(),
        ),
      ],
      [
        'privacy_level_missing',
        connector.submit('token', draftOf({ privacyLevel: null }), slides(), null, patience()),
      ],
      ['slide_count', connector.submit('token', draftOf(), { addresses: [] }, null, patience())],
      [
        'caption_too_long',
        connector.prepare('token', { ...VIDEO, caption: 'a'.repeat(2200) }, CLIP_MEDIA, patience()),
      ],
      ['video_size', connector.prepare('token', VIDEO, { ...CLIP_MEDIA, bytes: 0 }, patience())],
      ['video_type', connector.prepare('token', VIDEO, { bytes: 1, contentType: 'text/html' }, patience())],
    ];
    for (const [code, sent] of mistakes) {
      const outcome = await sent;
      assert.deepEqual([outcome.kind, 'code' in outcome && outcome.code], ['refused', code]);
    }
    assert.equal((await platform.publishes()).length, count);
  });

  it('passes on the platform’s reason for a failed post', async () => {
    await platform.control('outcomes', { username: 'anna', status: 'FAILED', fail_reason: 'spam_risk_text' });
    const { publishId } = acceptedOf(
      await connector.submit(tokens.access_token, draftOf(), slides(), null, patience()),
    );
    const failed = await settled(publishId);
    assert.deepEqual([failed.kind, 'code' in failed && failed.code], ['refused', 'spam_risk_text']);
  });

  it('does not treat an id that is not known yet as a failure', async () => {
    await platform.control('settings', { unknown_after_init: 1 });
    const { publishId } = await begin();
    assert.equal(short(await status(publishId)), 'unknown');
    assert.equal((await status(publishId)).kind, 'accepted');
    await platform.control('settings', { unknown_after_init: 0 });
    const { access_token } = await platform.connect('another.creator');
    const foreign = await connector.observe(access_token, { publishId, username: null }, patience());
    assert.equal(short(foreign), 'unknown');
  });

  describe('with expired tokens', () => {
    it('every call reports an expired token, and the post continues after a refresh', async () => {
      const old = await platform.connect('erika');
      const begun = await connector.prepare(old.access_token, VIDEO, CLIP_MEDIA, patience());
      const { publishId, upload } = acceptedOf(begun);
      await platform.control('expire_tokens', { username: 'erika' });
      const asked = { publishId, username: 'erika' };
      const calls = [
        connector.creator(old.access_token, patience()),
        connector.identity(old.access_token, patience()),
        connector.submit(old.access_token, draftOf(), slides(), null, patience()),
        connector.prepare(old.access_token, VIDEO, CLIP_MEDIA, patience()),
        connector.observe(old.access_token, asked, patience()),
        connector.revoke(old.access_token, patience()),
      ];
      for (const outcome of await Promise.all<Promise<Parameters<typeof short>[0]>[]>(calls))
        assert.equal(short(outcome), 'refresh', JSON.stringify(outcome));
      assert.ok(upload);
      assert.equal((await connector.sendChunk(upload, 0, readClip, patience())).kind, 'done');
      const grant = granted(
        await connector.renew({ accessToken: '', refreshToken: old.refresh_token }, patience()),
      );
      const outcome = await connector.observe(grant.accessToken, asked, patience());
      assert.ok(outcome.kind === 'accepted' || outcome.kind === 'published');
      const posts = (await platform.publishes()).filter(
        (post: { username: string }) => post.username === 'erika',
      );
      assert.equal(posts.length, 1);
    });

    it('says that consent is needed if a scope is missing, or if the grant was removed', async () => {
      const few = await platform.connect('frida', 'user.info.basic,video.upload');
      const sent = await connector.submit(few.access_token, draftOf(), slides(), null, patience());
      assert.deepEqual([short(sent), 'code' in sent && sent.code], ['consent', 'scope_not_authorized']);
      assert.equal(short(await connector.creator(few.access_token, patience())), 'consent');
      await platform.control('remove_authorization', { username: 'frida' });
      assert.equal(short(await connector.creator(few.access_token, patience())), 'refresh');
      assert.equal(
        short(await connector.renew({ accessToken: '', refreshToken: few.refresh_token }, patience())),
        'consent',
      );
    });
  });

  describe('when a call fails', () => {
    const KINDS = ['hang', 'reset_before', 'reset_after', 'slow', 'http_500', 'http_429'] as const;
    type Expected = Record<(typeof KINDS)[number], string>;
    const lost = (word: string) => ({ hang: word, reset_before: word, reset_after: word, slow: word });
    const CALLS: [
      title: string,
      on: string,
      expected: Expected,
      call: (signal: AbortSignal) => Promise<Parameters<typeof short>[0]>,
    ][] = [
      [
        'the init of slides',
        'init',
        { ...lost('unknown'), http_500: 'unknown', http_429: 'later' },
        (signal) => connector.submit(tokens.access_token, draftOf(), slides(), null, signal),
      ],
      [
        'the init of a video',
        'init',
        { ...lost('unknown'), http_500: 'unknown', http_429: 'later' },
        (signal) => connector.prepare(tokens.access_token, VIDEO, CLIP_MEDIA, signal),
      ],
      [
        'a status',
        'status',
        { ...lost('later'), http_500: 'later', http_429: 'later' },
        (signal) =>
          connector.observe(tokens.access_token, { publishId: 'v_pub_file~v2-1.1', username: null }, signal),
      ],
      [
        'the creator options',
        'creator_info',
        { ...lost('later'), http_500: 'later', http_429: 'later' },
        (signal) => connector.creator(tokens.access_token, signal),
      ],
      [
        'a refresh',
        'token',
        { ...lost('unknown'), http_500: 'later', http_429: 'later' },
        async (signal) => {
          const { refresh_token } = await platform.connect('gerda');
          return connector.renew({ accessToken: '', refreshToken: refresh_token }, signal);
        },
      ],
      [
        'an exchange',
        'token',
        { ...lost('unknown'), http_500: 'later', http_429: 'later' },
        (signal) => connector.exchange('a code', CONSENT, signal),
      ],
    ];

    for (const [title, on, expected, call] of CALLS)
      for (const kind of KINDS)
        it(`${title} with ${kind} is ${expected[kind]}`, async () => {
          // The tokens of the refresh are made by the same endpoint.
          const after = title === 'a refresh' ? 1 : 0;
          await platform.control('faults', { on, kind, after, ms: 1000 });
          const outcome = /^(hang|slow)$/.test(kind)
            ? await untilMet(platform, call)
            : await call(patience());
          assert.equal(short(outcome), expected[kind], JSON.stringify(outcome));
          assert.match('reason' in outcome ? outcome.reason : '', /^[A-Z].* \(\w+\)$/);
          if (kind === 'http_429') assert.equal('retryAfterMs' in outcome && outcome.retryAfterMs, 60_000);
        });

    it('waits for a slow answer as long as its deadline lasts', async () => {
      await platform.control('faults', { on: 'creator_info', kind: 'slow', ms: 50 });
      assert.equal((await connector.creator(tokens.access_token, patience())).kind, 'ok');
    });

    const CHUNKS: Record<(typeof KINDS)[number] | 'http_403' | 'http_404' | 'http_416', [string, string]> = {
      hang: ['later', 'done'],
      reset_before: ['later', 'done'],
      reset_after: ['later', 'done'],
      slow: ['later', 'done'],
      http_500: ['later', 'done'],
      http_429: ['later', 'done'],
      http_403: ['gone', 'done'],
      http_404: ['gone', 'done'],
      http_416: ['offset_mismatch', 'done'],
    };
    for (const [kind, [first, second]] of Object.entries(CHUNKS))
      it(`a chunk with ${kind} is ${first}, and sent again it is ${second}, and one post`, async () => {
        const { publishId, upload } = await begin();
        assert.ok(upload);
        await platform.control('faults', { on: 'upload', kind, ms: 1000 });
        const call = (signal: AbortSignal) => connector.sendChunk(upload, 0, readClip, signal);
        const outcome = /^(hang|slow)$/.test(kind) ? await untilMet(platform, call) : await call(patience());
        assert.equal(outcome.kind, first, JSON.stringify(outcome));
        let again = await call(patience());
        await until('it is taken', async () => {
          if (again.kind === 'later' || again.kind === 'refused') again = await call(patience());
          return again.kind !== 'later';
        });
        assert.equal(again.kind, second, JSON.stringify(again));
        assert.equal((await settled(publishId)).kind, 'published');
      });

    it('reports that nothing was sent if there was no connection, or no time', async () => {
      const unreachable = connectorTo(`http://127.0.0.1:${await freePort()}`);
      const nowhere = connectorTo('http://nowhere.invalid');
      const plain = connectorTo(platform.url.replace('http:', 'https:'));
      for (const away of [unreachable, nowhere, plain]) {
        assert.equal(short(await away.submit('token', draftOf(), slides(), null, patience())), 'later');
        assert.equal(
          short(await away.renew({ accessToken: '', refreshToken: 'token' }, patience())),
          'later',
        );
      }
      const count = (await platform.publishes()).length;
      const late = await connector.submit(
        tokens.access_token,
        draftOf(),
        slides(),
        null,
        AbortSignal.abort(),
      );
      assert.equal(short(late), 'later');
      assert.equal((await platform.publishes()).length, count);
    });
  });
});

describe('the connector under the strict rules', () => {
  const platform = usePlatform({ strict: true });

  it('reports refused options, unverified domains and limits', async () => {
    const connector = connectorTo(platform.url);
    const { access_token } = await platform.connect('hanna');
    const media = { addresses: ['https://media.example.com/1.jpg'] };
    const publish = (draft = draftOf()) => connector.submit(access_token, draft, media, null, patience());
    const codeOf = (outcome: Outcome) => [outcome.kind, 'code' in outcome && outcome.code];
    assert.deepEqual(codeOf(await publish()), ['refused', 'url_ownership_unverified']);
    await platform.control('settings', { verified_urls: ['example.com'], posts_per_day: 0 });
    const followers = draftOf({ privacyLevel: 'FOLLOWER_OF_CREATOR' });
    assert.deepEqual(codeOf(await publish(followers)), ['refused', 'privacy_level_option_mismatch']);
    assert.deepEqual(codeOf(await publish()), ['blocked', 'spam_risk_too_many_posts']);
    await platform.control('settings', { audited: false });
    const unaudited = 'unaudited_client_can_only_post_to_private_accounts';
    assert.deepEqual(codeOf(await publish()), ['refused', unaudited]);
    await publish();
    await publish();
    const limited = await publish();
    assert.deepEqual(codeOf(limited), ['later', 'rate_limit_exceeded']);
    assert.equal((await platform.publishes()).length, 0);
  });
});

describe('webhooks of the platform', () => {
  const receiver = useOther((_path, response) => response.writeHead(200).end());
  const platform = usePlatform({ webhookUrl: () => `${receiver.url}/webhooks/social` });

  it('are verified by their signature, and name the post', async () => {
    const connector = connectorTo(platform.url);
    const { access_token } = await platform.connect('ida');
    const begun = await connector.prepare(access_token, VIDEO, CLIP_MEDIA, patience());
    const { publishId, upload } = acceptedOf(begun);
    assert.ok(upload);
    await connector.sendChunk(upload, 0, readClip, patience());
    await until('a webhook comes', () => receiver.seen.length > 0);
    const [{ headers, body }] = receiver.seen as [(typeof receiver.seen)[0]];
    const now = platform.clock.now();
    const webhook = connector.readWebhook(headers, Buffer.from(body), now);
    assert.equal(webhook?.publishId, publishId);
    assert.equal(connector.readWebhook(headers, Buffer.from(`${body} `), now), null);
    assert.equal(connector.readWebhook(headers, Buffer.from(body), now + 301_000), null);
    assert.equal(connector.readWebhook({}, Buffer.from(body), now), null);
  });
});
