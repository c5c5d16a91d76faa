// Two clients upload to the same URL, or one withdraws an upload while it runs: one file wins, and is the one that stays.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json as jsonOf } from 'node:stream/consumers';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { confirmUpload } from '../../src/assets/confirm.js';
import { uploadKey } from '../../src/object-store/object-keys.js';
import { collectGarbage } from '../../src/worker/worker.js';
import { makeVersion, sha256, type Version } from '../support/media/videos.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { send } from '../support/service/send.js';

onEngines('sqlite', 'Uploads that meet', (engine) => {
  const service = useService(engine);

  async function granted(): Promise<{ org: Organization; path: string; url: string; key: string }> {
    const org = await service.newOrganization();
    const path = `/api/v1/posts/${await org.addPost({ post_type: 'video' })}/assets`;
    const { json } = await org.call('POST', path, { filename: 'film.mp4', content_type: 'video/mp4' });
    return { org, path, url: json.upload_url, key: json.object_key };
  }

  const drafts = () => join(service.app.config.dataDir, 'files/drafts');

  const put = (url: string, { bytes }: Version) =>
    send('PUT', url, { raw: bytes, headers: { 'content-type': 'video/mp4' } });

  it('at one URL: the newer one stays as it is, the older gets 409', async () => {
    const { org, path, url, key } = await granted();
    const [slow, quick] = [makeVersion(1, 5000), makeVersion(2, 9000)];
    const upload = await beginUpload(url, slow, drafts());
    assert.equal((await put(url, quick)).status, 200);
    const answer = await upload.finish();
    assert.deepEqual([answer.status, answer.json?.code], [409, 'upload_superseded']);
    const { json } = await org.call('GET', path);
    assert.deepEqual([json.data.length, json.data[0].size], [1, quick.bytes.length]);
    const response = await fetch(json.data[0].url);
    assert.equal(sha256(new Uint8Array(await response.arrayBuffer())), quick.sha256);
    assert.deepEqual(await listing(org), [key]);
  });

  it('with the grant withdrawn meanwhile: nothing is left of it', async () => {
    const { org, path, url } = await granted();
    const upload = await beginUpload(url, makeVersion(1, 5000), drafts());
    const again = { filename: 'film.mp4', content_type: 'video/mp4', replace: true };
    const { json } = await org.call('POST', path, again);
    const answer = await upload.finish();
    assert.deepEqual([answer.status, answer.json?.code], [409, 'upload_void']);
    assert.equal((await put(json.upload_url, makeVersion(2, 9000))).status, 200);
    assert.deepEqual(await listing(org), [json.object_key]);
  });

  it('with the grant withdrawn while a request checks the file: the list is just empty', async () => {
    const { org, path, key } = await granted();
    const { store } = service.app;
    // As after a crash: the file has arrived, and no process has checked it yet.
    await store.write(uploadKey(key), Buffer.from(makeVersion(1, 5000).bytes));
    const { read } = store;
    store.read = async (...range) => {
      store.read = read;
      const again = { filename: 'film.mp4', content_type: 'video/mp4', replace: true };
      assert.equal((await org.call('POST', path, again)).status, 200);
      await collectGarbage(service.app);
      return read(...range);
    };
    const { status, text, json } = await org.call('GET', path);
    assert.equal(status, 200, text);
    assert.deepEqual([json.data, json.rejected], [[], []]);
    assert.deepEqual(await listing(org), []);
  });

  it('with a check that comes when the video is already replaced: the old one keeps its grace period', async () => {
    const { org, path, url, key } = await granted();
    const pending = await service.app.db.read
      .selectFrom('assets')
      .selectAll()
      .where('object_key', '=', key)
      .executeTakeFirstOrThrow();
    assert.equal((await put(url, makeVersion(1, 5000))).status, 200);
    const again = { filename: 'film.mp4', content_type: 'video/mp4', replace: true };
    const { json } = await org.call('POST', path, again);
    assert.equal((await put(json.upload_url, makeVersion(2, 9000))).status, 200);
    // Another process that started its check before the first upload was complete.
    assert.equal(await confirmUpload(service.app, pending, 'charged'), 'void');
    assert.deepEqual((await listing(org)).sort(), [key, json.object_key].sort());
  });

  async function listing({ id }: Organization): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of service.app.store.list()) if (key.includes(id)) keys.push(key);
    return keys;
  }
});

/** An upload that the server has started to read, with its last byte still to come. */
async function beginUpload(url: string, { bytes }: Version, drafts: string) {
  const upload: ClientRequest = request(url, {
    method: 'PUT',
    headers: { 'content-type': 'video/mp4', 'content-length': bytes.length },
  });
  const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
  upload.write(bytes.subarray(0, -1));
  while (readdirSync(drafts).length === 0) await delay(5);
  return {
    async finish() {
      upload.end(bytes.subarray(-1));
      const [response] = await answered;
      const text = response.statusCode === 200 ? null : await jsonOf(response);
      // biome-ignore lint/suspicious/noExplicitAny: a problem
      return { status: response.statusCode, json: text as any };
    },
  };
}
