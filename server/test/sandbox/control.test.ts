// The routes with which tests control the sandbox: faults at every call, outcomes, and the list of accepted inits.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { fixture } from '../support/media/parts.js';
import { type Tokens, usePlatform } from '../support/platform/test-platform.js';
import { until } from '../support/runner/until.js';
import type { Answer } from '../support/service/send.js';

const CLIP = fixture('tiny.mp4');

describe('control', () => {
  const platform = usePlatform();
  const post = (path: string, body: unknown) => platform.request('POST', `/__control/${path}`, { body });

  it('lists every accepted init, oldest first, as it was requested', async () => {
    const tokens = await platform.connect('ada');
    const first = await platform.upload(tokens, CLIP);
    const photos = await platform.photos(tokens, ['http://127.0.0.1:9/1.jpg'], {
      post_mode: 'MEDIA_UPLOAD',
    });
    await platform.settled(tokens, first);
    const [video, draft, ...others] = await platform.publishes();
    assert.equal(others.length, 0);
    const { at, request, ...rest } = video;
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
    assert.equal(request.post_info.title, 'A video');
    assert.deepEqual(rest, {
      publish_id: first,
      username: 'ada',
      kind: 'video',
      mode: 'direct',
      status: 'PUBLISH_COMPLETE',
      bytes: CLIP.length,
    });
    assert.deepEqual(
      [draft.publish_id, draft.kind, draft.mode, draft.status, draft.bytes],
      [photos.json.data.publish_id, 'photo', 'inbox', 'PROCESSING_DOWNLOAD', 0],
    );
  });

  it('decides the next outcome, for one account or for any', async () => {
    const [ada, bob] = [await platform.connect('ada'), await platform.connect('bob')];
    const endsIn = async (tokens: Tokens) => {
      const { status, fail_reason } = await platform.settled(tokens, await platform.upload(tokens, CLIP));
      return fail_reason ?? status;
    };
    await platform.control('outcomes', { username: 'bob', status: 'FAILED', fail_reason: 'spam_risk_text' });
    assert.equal(await endsIn(ada), 'PUBLISH_COMPLETE');
    assert.equal(await endsIn(bob), 'spam_risk_text');
    assert.equal(await endsIn(bob), 'PUBLISH_COMPLETE');
    await platform.control('outcomes', { status: 'FAILED', fail_reason: 'internal' });
    assert.equal(await endsIn(ada), 'internal');
    await platform.control('outcomes', { status: 'FAILED', fail_reason: 'internal' });
    await platform.control('faults', { on: 'status', kind: 'http_500', times: 9 });
    assert.deepEqual(await platform.control('clear'), {});
    assert.equal(await endsIn(ada), 'PUBLISH_COMPLETE', 'forgotten');
  });

  it('says what is wrong with an invalid command', async () => {
    for (const [path, body] of [
      ['faults', { on: 'everything', kind: 'hang' }],
      ['faults', { on: 'init', kind: 'explode' }],
      ['faults', { on: 'init', kind: 'hang', times: 'many' }],
      ['outcomes', { status: 'PUBLISH_COMPLETE', fail_reason: 'x' }],
      ['outcomes', { status: 'FAILED' }],
      ['accounts', { username: '<b>' }],
      ['settings', { no_such: 1 }],
      ['post_draft', { publish_id: 'x' }],
      ['clear', []],
    ] as const) {
      const { status, json } = await post(path, body);
      assert.equal(status, 400, path);
      assert.equal(typeof json.error, 'string');
    }
  });

  it('expires tokens, which can then be refreshed', async () => {
    const tokens = await platform.connect('ada');
    await platform.control('expire_tokens', { username: 'ada' });
    assert.equal((await platform.api('creator_info/query', tokens)).status, 401);
    const { json } = await platform.token({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    });
    assert.equal((await platform.api('creator_info/query', json)).status, 200);
  });
});

describe('control that is off', () => {
  const platform = usePlatform({ control: false });

  it('answers 404', async () => {
    for (const [method, path] of [
      ['GET', 'publishes'],
      ['POST', 'faults'],
      ['POST', 'clear'],
    ] as const)
      assert.equal((await platform.request(method, `/__control/${path}`)).status, 404);
  });
});

describe('a fault', () => {
  const platform = usePlatform();
  let tokens: Tokens;
  let accepted = 0;
  beforeEach(async () => {
    await platform.control('clear');
    tokens = await platform.connect('ada');
    accepted = (await platform.publishes()).length;
  });

  /** A call, and whether it had an effect. */
  interface Call {
    make(signal?: AbortSignal): Promise<Answer | Response>;
    tookEffect(): Promise<boolean>;
  }
  const calls: Record<string, () => Promise<Call>> = {
    init: async () => ({
      make: (signal) =>
        post('/v2/post/publish/video/init/', signal, {
          post_info: { privacy_level: 'SELF_ONLY' },
          source_info: { source: 'FILE_UPLOAD', video_size: 10, chunk_size: 10, total_chunk_count: 1 },
        }),
      tookEffect: async () => (await platform.publishes()).length > accepted,
    }),
    upload: async () => {
      const { publish_id, upload_url } = await platform.initUpload(tokens, 10);
      return {
        make: (signal) =>
          fetch(upload_url, {
            method: 'PUT',
            headers: { 'content-type': 'video/mp4', 'content-range': 'bytes 0-9/10' },
            body: '0123456789',
            ...(signal ? { signal } : {}),
          }),
        tookEffect: async () =>
          (await platform.publishes()).find((one: { publish_id: string }) => one.publish_id === publish_id)
            .bytes === 10,
      };
    },
    token: async () => {
      const { refresh_token } = tokens;
      const fields = () => ({ grant_type: 'refresh_token', refresh_token });
      return {
        make: (signal) =>
          fetch(`${platform.url}/v2/oauth/token/`, {
            method: 'POST',
            body: new URLSearchParams({
              client_key: 'test-client-key',
              client_secret: 'test-client-secret',
              ...fields(),
            }),
            ...(signal ? { signal } : {}),
          }),
        // The old token is invalid, whether or not the new one arrived.
        tookEffect: async () => (await platform.token(fields())).json.error === 'invalid_grant',
      };
    },
  };
  const post = (path: string, signal: AbortSignal | undefined, body: object) =>
    fetch(platform.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    });

  for (const on of Object.keys(calls)) {
    const prepare = calls[on] as () => Promise<Call>;

    for (const [kind, status] of [
      ['http_500', 500],
      ['http_429', 429],
      ['http_503', 503],
    ] as const)
      it(`${kind} at ${on}: refused, nothing was accepted`, async () => {
        const call = await prepare();
        await platform.control('faults', { on, kind });
        assert.equal((await call.make()).status, status);
        assert.equal(await call.tookEffect(), false);
      });

    it(`reset_before at ${on}: no answer, nothing was accepted`, async () => {
      const call = await prepare();
      await platform.control('faults', { on, kind: 'reset_before' });
      await assert.rejects(call.make());
      assert.equal(await call.tookEffect(), false);
    });

    it(`reset_after at ${on}: no answer, but accepted`, async () => {
      const call = await prepare();
      await platform.control('faults', { on, kind: 'reset_after' });
      await assert.rejects(call.make());
      assert.equal(await call.tookEffect(), true);
    });

    it(`hang at ${on}: never answered, but accepted`, async () => {
      const call = await prepare();
      await platform.control('faults', { on, kind: 'hang' });
      const patience = new AbortController();
      const answer = call.make(patience.signal);
      const early = await Promise.race([answer.then(() => 'answered'), effect(call)]);
      assert.equal(early, 'accepted');
      patience.abort();
      await assert.rejects(answer);
    });

    it(`slow at ${on}: answered late`, async () => {
      const call = await prepare();
      await platform.control('faults', { on, kind: 'slow', ms: 150 });
      const began = performance.now();
      const { status } = await call.make();
      assert.ok([200, 201].includes(status));
      assert.ok(performance.now() - began >= 140);
    });
  }

  async function effect(call: Call): Promise<string> {
    // One of the questions below is a call of the same kind, and must not meet the fault in its place.
    await until('the fault is used up', async () => {
      const { json } = await platform.request('GET', '/__control/faults');
      return json.data.length === 0;
    });
    while (!(await call.tookEffect()));
    return 'accepted';
  }

  for (const [on, path, body] of [
    ['status', 'status/fetch', { publish_id: 'x' }],
    ['creator_info', 'creator_info/query', {}],
  ] as const)
    it(`hits ${on} as often as ordered, after as many calls as it was told to skip`, async () => {
      const normal = (await platform.api(path, tokens, body)).status;
      await platform.control('faults', { on, kind: 'http_500', times: 2, after: 1 });
      await platform.control('faults', { on, kind: 'http_401' });
      await platform.control('faults', { on, kind: 'reset_before' });
      const statuses = [];
      for (let i = 0; i < 6; i++)
        statuses.push(
          await platform.api(path, tokens, body).then(
            ({ status }) => status,
            () => 'reset',
          ),
        );
      assert.deepEqual(statuses, [normal, 500, 500, 401, 'reset', normal]);
    });

  it('uses the platform’s error codes', async () => {
    await platform.control('faults', { on: 'init', kind: 'http_500' });
    await platform.control('faults', { on: 'init', kind: 'http_429' });
    const codes = [];
    for (let i = 0; i < 2; i++) codes.push((await platform.api('video/init', tokens)).json.error.code);
    assert.deepEqual(codes, ['internal_error', 'rate_limit_exceeded']);
    await platform.control('faults', { on: 'token', kind: 'http_503' });
    const { status, json } = await platform.token({});
    assert.deepEqual([status, json.error], [503, 'server_error'], 'flat, as all errors there');
  });
});
