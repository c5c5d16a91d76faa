// A big video on its way to the platform: chunk by chunk in little memory. A worker killed in the middle continues the same
// upload where it was, to one publication of the very same bytes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { compareBigVideo, sendBigVideo } from '../support/media/big-video.js';
import { type Program, startProgram } from '../support/programs/start-program.js';
import { ADMIN_TOKEN, consent, TEST_KEY } from '../support/service/harness.js';
import { type Answer, send } from '../support/service/send.js';

/** One byte more than goes in one piece: six chunks. */
const SMALL = 64_000_001;
const SIZE = 300_000_000;
const CHUNK = 10_000_000;
const MAX_GROWTH_MIB = 64;
const TIMEOUT_MS = 120_000;

interface Publish {
  publish_id: string;
  request: { post_info: { title: string } };
  status: string;
  bytes: number;
}

describe('A video of 300 MB on its way to the platform', () => {
  let dir: string;
  let platform: Program;
  let api: Program;
  let worker: Program;
  let key: string;
  let account: string;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'airdate-big-publish-'));
    const { bavail, bsize } = statfsSync(dir);
    assert.ok(bavail * bsize > 6 * SIZE, `This proof needs ${(6 * SIZE) / 1e9} GB free in ${tmpdir()}.`);
    for (const name of ['platform', 'data']) mkdirSync(join(dir, name));
    platform = await startProgram('sandbox', {
      DATA_DIR: join(dir, 'platform'),
      SANDBOX_CONTROL: 'on',
      SANDBOX_PROCESSING_MS: '0',
    });
    api = await startProgram('api', environment());
    worker = await startWorker();
    key = await newKey();
    account = await connectAccount();
  });
  after(async () => {
    for (const program of [worker, api, platform]) await program?.kill();
    rmSync(dir, { recursive: true, force: true });
  });

  it(`grows the worker by at most ${MAX_GROWTH_MIB} MB`, async (test) => {
    await published(await publish('warm-up', SMALL));
    const warm = worker.memory().now;
    worker.forgetPeak();
    const { publish_id } = await published(await publish('whole', SIZE));
    const { peak } = worker.memory();
    test.diagnostic(`memory: ${warm} MB after ${SMALL / 1e6} MB, at most ${peak} MB with ${SIZE / 1e6} MB`);
    await assertSameBytes(publish_id, SIZE);
    assert.ok(peak - warm <= MAX_GROWTH_MIB, `the worker grew by ${peak - warm} MB`);
  });

  for (const size of [SMALL, SIZE])
    it(`continues after kill -9 in the middle of ${Math.round(size / 1e6)} MB, without a second publication`, async (test) => {
      const title = `killed at ${size}`;
      // Each chunk is answered late, so that the kill comes in the middle.
      await control('faults', { on: 'upload', kind: 'slow', times: 100, ms: 150 });
      const id = await publish(title, size);
      const begun = await waitForPublish(title, ({ bytes }) => bytes >= size / 3);
      await worker.kill();
      const killedAt = (await ledger(title)).bytes;
      assert.ok(killedAt > 0 && killedAt < size, `it was killed after ${killedAt} bytes`);
      assert.equal(killedAt % CHUNK, 0, 'half a chunk counts for nothing');

      worker = await startWorker();
      const resumed = await waitForPublish(title, ({ bytes }) => bytes > killedAt);
      test.diagnostic(`killed after ${killedAt / 1e6} MB, next seen at ${resumed.bytes / 1e6} MB`);
      const { publish_id } = await published(id);
      await control('clear', {});
      assert.equal(publish_id, begun.publish_id, 'the same upload');
      const { bytes, status } = await ledger(title);
      assert.deepEqual([bytes, status], [size, 'PUBLISH_COMPLETE']);
      await assertSameBytes(publish_id, size);
      const { json } = await call('GET', `/api/v1/posts/${id}/dispatches`);
      const attempts = json.data.map(({ outcome }: { outcome: string }) => outcome);
      assert.deepEqual(attempts, ['published'], 'one attempt');
    });

  const environment = () => ({
    DATA_DIR: join(dir, 'data'),
    ENCRYPTION_KEY: TEST_KEY,
    ADMIN_TOKEN,
    SOCIAL_API_URL: platform.url,
    SOCIAL_INITS_PER_MINUTE: '0',
    // The next worker need not wait long for the lease of the last one.
    PUBLISH_LEASE_SECONDS: '2',
  });

  const startWorker = () => startProgram('worker', { ...environment(), PUBLIC_URL: api.url });

  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await send(method, api.url + path, { key, body });
    assert.ok(answer.status < 300, answer.text);
    return answer;
  }

  async function newKey(): Promise<string> {
    const admin = `${api.url}/api/admin/v1/organizations`;
    const body = { name: 'Long films', plan: 'growth' };
    const organization = await send('POST', admin, { key: ADMIN_TOKEN, body });
    const issued = await send('POST', `${admin}/${organization.json.data.id}/keys`, {
      key: ADMIN_TOKEN,
      body: { name: 'Key' },
    });
    return issued.json.data.key;
  }

  async function connectAccount(): Promise<string> {
    const { json } = await call('POST', '/api/v1/social-accounts/connect');
    const back = await consent(json.data.authorize_url, { decision: 'allow', username: 'long.films' });
    assert.equal((await send('GET', back, {})).status, 200);
    return (await call('GET', '/api/v1/social-accounts')).json.data[0].id;
  }

  /** Uploads a video of this size and publishes it; the bytes follow. Returns the post's id. */
  async function publish(title: string, size: number): Promise<string> {
    const post = await call('POST', '/api/v1/posts', { title, caption: title, post_type: 'video' });
    const { id } = post.json.data;
    const announced = { filename: 'long.mp4', content_type: 'video/mp4', content_length: size };
    const { json: grant } = await call('POST', `/api/v1/posts/${id}/assets`, announced);
    const sending = request(grant.upload_url, {
      method: 'PUT',
      headers: { 'content-type': 'video/mp4', 'content-length': size },
    });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    await pipeline(sendBigVideo(size), sending);
    const [response] = await answered;
    assert.equal(response.statusCode, 200, await text(response));
    const options = { social_account_id: account, privacy_level: 'SELF_ONLY' };
    await call('POST', `/api/v1/posts/${id}/publish`, options);
    return id;
  }

  /** The post's publish status once it is published. */
  async function published(id: string): Promise<{ publish_id: string }> {
    const giveUpAt = performance.now() + TIMEOUT_MS;
    for (;;) {
      const { data } = (await call('GET', `/api/v1/posts/${id}/publish-status`)).json;
      if (data.status === 'published') return data;
      assert.equal(data.status, 'processing', JSON.stringify(data));
      assert.ok(performance.now() < giveUpAt, 'it was not published in time');
      await delay(100);
    }
  }

  const control = (path: string, body: unknown) =>
    send('POST', `${platform.url}/__control/${path}`, { body });

  /** The only publication with this text, which the platform calls a title. */
  async function ledger(title: string): Promise<Publish> {
    const { json } = await send('GET', `${platform.url}/__control/publishes`, {});
    const found = (json.data as Publish[]).filter(({ request }) => request.post_info.title === title);
    assert.equal(found.length, 1, `${title} is there ${found.length} times`);
    return found[0] as Publish;
  }

  async function waitForPublish(title: string, isThere: (publish: Publish) => boolean): Promise<Publish> {
    const giveUpAt = performance.now() + TIMEOUT_MS;
    for (;;) {
      const publish = await ledger(title);
      if (isThere(publish)) return publish;
      assert.ok(performance.now() < giveUpAt, `${title} does not get beyond ${publish.bytes} bytes`);
      await delay(10);
    }
  }

  /** The platform has, byte for byte, the uploaded file. */
  async function assertSameBytes(publishId: string, size: number): Promise<void> {
    const digits = publishId.slice(publishId.lastIndexOf('.') + 1);
    const file = join(dir, 'platform', 'sandbox', 'media', digits, '0');
    await pipeline(createReadStream(file), compareBigVideo(size));
  }
});
