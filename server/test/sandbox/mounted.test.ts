// The sandbox as Airdate runs it: under /sandbox in one process, or alone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, startTestService, type TestService } from '../harness.js';
import { fixture } from '../hostile/media-parts.js';
import { until } from './platform.js';

const CLIP = fixture('tiny.mp4');
const CLIENT = { client_key: 'sandbox-client-key', client_secret: 'sandbox-client-secret' };
const REDIRECT = 'http://127.0.0.1:3000/callback';

/** From consent to a published video, using only URLs that the sandbox returns. */
async function publishVideo(base: string): Promise<string> {
  const form = (path: string, fields: Record<string, string>) =>
    send('POST', base + path, {
      raw: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  const query = new URLSearchParams({
    client_key: CLIENT.client_key,
    response_type: 'code',
    scope: 'user.info.basic,video.publish',
    redirect_uri: REDIRECT,
  });
  const back = await form(`/v2/auth/authorize/?${query}`, { decision: 'allow', username: 'demo' });
  const code = new URL(back.headers.get('location') as string).searchParams.get('code') as string;
  const tokens = await form('/v2/oauth/token/', {
    ...CLIENT,
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT,
  });
  const api = (path: string, body: object) =>
    send('POST', `${base}/v2/post/publish/${path}/`, { key: tokens.json.access_token, body });
  const init = await api('video/init', {
    post_info: { title: 'Seen by all', privacy_level: 'PUBLIC_TO_EVERYONE' },
    source_info: {
      source: 'FILE_UPLOAD',
      video_size: CLIP.length,
      chunk_size: CLIP.length,
      total_chunk_count: 1,
    },
  });
  const { publish_id, upload_url } = init.json.data;
  assert.ok(upload_url.startsWith(base), upload_url);
  const put = await send('PUT', upload_url, {
    raw: new Uint8Array(CLIP),
    headers: { 'content-type': 'video/mp4', 'content-range': `bytes 0-${CLIP.length - 1}/${CLIP.length}` },
  });
  assert.equal(put.status, 201);
  await until('it is published', async () => {
    const { json } = await api('status/fetch', { publish_id });
    return json.data.status === 'PUBLISH_COMPLETE';
  });
  return publish_id;
}

async function withService(
  command: 'serve' | 'sandbox',
  env: Record<string, string>,
  test: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await startTestService('sqlite', {
    command,
    env: { SANDBOX_PROCESSING_MS: '0', SANDBOX_CONTROL: 'on', ...env },
  });
  try {
    await test(service);
  } finally {
    await service.stop();
  }
}

describe('the sandbox in the product’s process', () => {
  it('works under /sandbox, with its own error format', async () => {
    await withService('serve', {}, async (service) => {
      const id = await publishVideo(`${service.url}/sandbox`);
      const page = await service.request('GET', '/sandbox/');
      assert.match(page.text, /Seen by all/);
      assert.equal(page.headers.get('x-request-id'), null, 'no header of ours');
      const [, css = ''] = /href="([^"]+\.css)"/.exec(page.text) ?? [];
      assert.equal((await service.request('GET', css)).status, 200);
      const [, source = ''] = /<video src="([^"]+)"/.exec(page.text) ?? [];
      const head = await service.request('HEAD', source);
      assert.equal(head.headers.get('content-length'), String(CLIP.length));
      const { json } = await service.request('GET', '/sandbox/__control/publishes');
      assert.equal(json.data[0].publish_id, id);
      const unknown = await service.request('GET', '/sandbox/nowhere');
      assert.deepEqual([unknown.status, unknown.json.error.code], [404, 'unsupported_path']);
      const webhooks = await service.request('GET', '/sandbox/__control/webhooks');
      assert.equal(webhooks.json.data.length, 2, 'they go to this process');
    });
  });

  it('can inject faults there too', async () => {
    await withService('serve', {}, async (service) => {
      const order = (kind: string) =>
        service.request('POST', '/sandbox/__control/faults', { body: { on: 'creator_info', kind } });
      const ask = (signal?: AbortSignal) =>
        fetch(`${service.url}/sandbox/v2/post/publish/creator_info/query/`, {
          method: 'POST',
          ...(signal ? { signal } : {}),
        });
      for (const kind of ['reset_before', 'reset_after']) {
        await order(kind);
        await assert.rejects(ask(), kind);
      }
      await order('http_500');
      assert.equal((await ask()).status, 500);
      await order('hang');
      const patience = new AbortController();
      const answer = ask(patience.signal);
      await until('it is used up', async () => {
        const { json } = await service.request('GET', '/sandbox/__control/faults');
        return json.data.length === 0;
      });
      patience.abort();
      await assert.rejects(answer);
    });
  });

  it('is off when the platform is elsewhere, and has no control routes unless they are switched on', async () => {
    await withService('serve', { SOCIAL_API_URL: 'http://127.0.0.1:9' }, async (service) => {
      assert.equal((await service.request('GET', '/sandbox/')).status, 404);
    });
    await withService('serve', { SANDBOX_CONTROL: 'off' }, async (service) => {
      assert.equal((await service.request('GET', '/sandbox/__control/publishes')).status, 404);
    });
  });
});

describe('the sandbox alone', () => {
  it('works at /, beside the health routes, and sends no webhooks without a target', async () => {
    await withService('sandbox', {}, async (service) => {
      await publishVideo(service.url);
      assert.match((await service.request('GET', '/')).text, /Seen by all/);
      for (const path of ['/healthz', '/readyz', '/metrics'])
        assert.equal((await service.request('GET', path)).status, 200, path);
      assert.deepEqual((await service.request('GET', '/__control/webhooks')).json.data, []);
    });
  });
});
