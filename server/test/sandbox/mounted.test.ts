// The sandbox as Airdate runs it: under /sandbox in one process, or alone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientSecretOf } from '../../src/open-app.js';
import { fixture } from '../support/media/parts.js';
import { until } from '../support/runner/until.js';
import { startTestService, type TestService } from '../support/service/harness.js';
import { type Answer, send } from '../support/service/send.js';

const CLIP = fixture('tiny.mp4');
const KNOWN_SECRET = 'sandbox-client-secret';
const KEY = 'sandbox-client-key';

interface Client {
  base: string;
  secret: string;
  redirectUri: string;
}

/** The sandbox under /sandbox works for the service around it alone. */
const ownClient = ({ url, app }: TestService): Client => ({
  base: `${url}/sandbox`,
  secret: clientSecretOf(app.config),
  redirectUri: `${url}/oauth/callback`,
});

const form = (url: string, fields: Record<string, string>) =>
  send('POST', url, {
    raw: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

function consent({ base, redirectUri }: Client) {
  const query = new URLSearchParams({
    client_key: KEY,
    response_type: 'code',
    scope: 'user.info.basic,video.publish',
    redirect_uri: redirectUri,
  });
  return form(`${base}/v2/auth/authorize/?${query}`, { decision: 'allow', username: 'demo' });
}

/** With a code that a person has just allowed. */
async function tokensOf(client: Client): Promise<Answer> {
  const { base, secret, redirectUri } = client;
  const back = await consent(client);
  const code = new URL(back.headers.get('location') as string).searchParams.get('code') as string;
  return form(`${base}/v2/oauth/token/`, {
    client_key: KEY,
    client_secret: secret,
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
  });
}

/** From consent to a published video, using only URLs that the sandbox returns. */
async function publishVideo(client: Client): Promise<string> {
  const { base } = client;
  const tokens = await tokensOf(client);
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
      const id = await publishVideo(ownClient(service));
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

  it('works for this service alone: its secret, its callback, its files', async () => {
    await withService('serve', { SOCIAL_CLIENT_SECRET: KNOWN_SECRET }, async (service) => {
      const client = ownClient(service);
      assert.notEqual(client.secret, KNOWN_SECRET);
      assert.equal((await tokensOf({ ...client, secret: KNOWN_SECRET })).json.error, 'invalid_client');
      const elsewhere = await consent({ ...client, redirectUri: 'https://evil.example/callback' });
      assert.deepEqual([elsewhere.status, elsewhere.headers.get('location')], [400, null]);

      const { access_token } = (await tokensOf(client)).json;
      const init = (image: string) =>
        send('POST', `${client.base}/v2/post/publish/content/init/`, {
          key: access_token,
          body: {
            post_info: { title: 'Pulled', privacy_level: 'SELF_ONLY' },
            source_info: { source: 'PULL_FROM_URL', photo_cover_index: 0, photo_images: [image] },
            post_mode: 'DIRECT_POST',
            media_type: 'PHOTO',
          },
        });
      for (const image of ['http://127.0.0.1:1/x.jpg', 'http://10.0.0.7/x.jpg', 'http://evil.example/x.jpg'])
        assert.equal((await init(image)).json.error.code, 'url_ownership_unverified', image);
      assert.equal((await init(`${service.url}/media/none/1.jpg`)).json.error.code, 'ok');

      const revoke = (secret: string) =>
        form(`${client.base}/v2/oauth/revoke/`, {
          client_key: KEY,
          client_secret: secret,
          token: access_token,
        });
      assert.equal((await revoke(KNOWN_SECRET)).json.error, 'invalid_client');
      assert.equal((await revoke(client.secret)).json.error, undefined);
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
      await publishVideo({
        base: service.url,
        secret: KNOWN_SECRET,
        redirectUri: 'http://127.0.0.1:3000/callback',
      });
      assert.match((await service.request('GET', '/')).text, /Seen by all/);
      for (const path of ['/healthz', '/readyz', '/metrics'])
        assert.equal((await service.request('GET', path)).status, 200, path);
      assert.deepEqual((await service.request('GET', '/__control/webhooks')).json.data, []);
    });
  });
});
