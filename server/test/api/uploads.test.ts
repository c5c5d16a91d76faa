import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { afterEach, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { assertProblem } from '../support/service/posts.js';
import {
  beginPut,
  bytesOf,
  download,
  grant,
  listAssets,
  listKeys,
  media,
  put,
  removeOne,
  slidesAt,
  storedFor,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

const MIB = 1024 * 1024;
const PNG = media('slide.png');

function signal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** How many partial files this process has open; 0 where the system does not tell. */
function openDrafts(): number {
  if (!existsSync('/proc/self/fd')) return 0;
  const links = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
  return links.filter((link) => link.includes('/files/drafts/')).length;
}

onEngines('sqlite', 'PUT to an upload URL', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  afterEach(() => service.clock.resume());

  const newPost = async (post_type: 'slides' | 'video' = 'slides') => {
    const org = await service.newOrganization();
    return { org, id: await org.addPost({ post_type }), stored: () => storedFor(service, org) };
  };

  it('stores the file, which is listed from then on', async () => {
    for (const name of ['slide.png', 'slide.jpg', 'tiny.mp4', 'tiny.webm', 'tiny.mov']) {
      const isSlide = name.startsWith('slide');
      const { org, id, stored } = await newPost(isSlide ? 'slides' : 'video');
      const { object_key } = await upload(org, id, name);
      const { data } = await listAssets(org, id);
      assert.deepEqual(
        data.map((asset) => asset.object_key),
        [object_key],
      );
      assert.deepEqual(await stored(), isSlide ? slidesAt(object_key) : [object_key]);
      assert.deepEqual((await download(data[0]!.url)).bytes, media(name));
    }
  });

  it('must carry the matching Content-Type', async () => {
    const { org, id, stored } = await newPost();
    const { upload_url, object_key } = await grant(org, id);
    for (const type of ['image/jpeg', 'text/html', 'application/octet-stream', 'image/png; charset=utf-8'])
      assertProblem(await put(upload_url, PNG, type), 400, 'upload_mismatch');
    const { body, answer } = beginPut(upload_url, 'image/png');
    body.end(PNG);
    assert.equal((await answer).status, 200);
    assert.deepEqual(await stored(), slidesAt(object_key));
  });

  it('is bound to the length where one was announced', async () => {
    const { org, id, stored } = await newPost();
    const { upload_url, object_key } = await grant(org, id, { content_length: PNG.length });
    for (const bytes of [PNG.slice(0, -1), new Uint8Array([...PNG, 0]), new Uint8Array()])
      assertProblem(await put(upload_url, bytes, 'image/png'), 400, 'upload_mismatch');
    assert.deepEqual(await stored(), []);
    assert.equal((await put(upload_url, PNG, 'image/png')).status, 200);
    assert.deepEqual(await stored(), slidesAt(object_key));
  });

  it('is bound to the announced length even without a Content-Length', async () => {
    const { org, id, stored } = await newPost();
    const { upload_url, object_key } = await grant(org, id, { content_length: PNG.length });
    for (const bytes of [PNG.slice(0, -1), new Uint8Array([...PNG, 0]), new Uint8Array()]) {
      const { body, answer } = beginPut(upload_url, 'image/png');
      body.end(bytes);
      assertProblem(await answer, 400, 'upload_mismatch');
    }
    assert.deepEqual(await stored(), []);
    const { body, answer } = beginPut(upload_url, 'image/png');
    body.end(PNG);
    assert.equal((await answer).status, 200);
    assert.deepEqual(await stored(), slidesAt(object_key));
  });

  it('needs no Content-Length', async () => {
    const { org, id } = await newPost();
    const { upload_url, object_key } = await grant(org, id);
    const { body, answer } = beginPut(upload_url, 'image/png');
    body.write(PNG.slice(0, 1000));
    body.write(PNG.slice(1000, 1001));
    body.end(PNG.slice(1001));
    assert.equal((await answer).status, 200);
    assert.deepEqual(await listKeys(org, id), [object_key]);
  });

  it('is refused with 413 while it streams once it is larger than the limit, and leaves nothing', async () => {
    const { org, id, stored } = await newPost();
    const { upload_url } = await grant(org, id);
    const { body, answer } = beginPut(upload_url, 'image/png');
    for (let i = 0; i < 20; i++) body.write(new Uint8Array(MIB));
    body.end(new Uint8Array(1));
    assertProblem(await answer, 413, 'file_too_large');
    assert.deepEqual(await stored(), []);
    assert.deepEqual(await listAssets(org, id), { data: [], rejected: [] });
    assert.equal((await put(upload_url, PNG, 'image/png')).status, 200);
  });

  it('is refused with 413 by its Content-Length, and leaves nothing', async () => {
    const { org, id, stored } = await newPost();
    const { upload_url } = await grant(org, id);
    const { answer, body } = beginPut(upload_url, 'image/png', { 'content-length': 20 * MIB + 1 });
    body.end(new Uint8Array(20 * MIB + 1));
    assertProblem(await answer, 413, 'file_too_large');
    assert.deepEqual(await stored(), []);
  });

  it('leaves nothing when the connection breaks, and the same URL works again', async () => {
    const { org, id, stored } = await newPost();
    for (const announced of [{ content_length: PNG.length }, {}]) {
      const { upload_url, object_key } = await grant(org, id, announced);
      for (const headers of [{ 'content-length': PNG.length }, {}] as Record<string, number>[]) {
        const { body } = beginPut(upload_url, 'image/png', headers);
        body.write(PNG.slice(0, 5000));
        const drafts = async () => (await stored()).filter((file) => file.startsWith('drafts/'));
        await until('the upload has begun', async () => (await drafts()).length === 1);
        body.destroy();
        await until('no partial file is left', async () => (await drafts()).length === 0);
      }
      assert.deepEqual(await stored(), []);
      assert.equal((await put(upload_url, PNG, 'image/png')).status, 200);
      assert.deepEqual(await stored(), slidesAt(object_key));
      assert.equal((await removeOne(org, id, object_key)).status, 204);
    }
  });

  it('is refused with 403 as soon as the URL has expired', async () => {
    for (const [type, name] of [
      ['slides', 'slide.png'],
      ['video', 'tiny.mp4'],
    ] as const) {
      const { org, id, stored } = await newPost(type);
      const first = await grant(org, id, { filename: name });
      const contentType = type === 'slides' ? 'image/png' : 'video/mp4';
      service.clock.stopAt(Date.parse(first.expires_at) + 1000);
      assertProblem(await put(first.upload_url, media(name), contentType), 403, 'signature_invalid');
      service.clock.stopAt(Date.parse(first.expires_at));
      assertProblem(await put(first.upload_url, media(name), contentType), 403, 'signature_invalid');
      assert.deepEqual(await stored(), []);
      service.clock.stopAt(Date.parse(first.expires_at) - 1000);
      assert.equal((await put(first.upload_url, media(name), contentType)).status, 200);
      service.clock.resume();
    }
  });

  it('works once: an existing file is never overwritten', async () => {
    const { org, id, stored } = await newPost();
    const { upload_url, object_key } = await upload(org, id, 'slide.png');
    const other = media('slide.png');
    other[other.length - 1] = 0;
    for (const bytes of [PNG, other, new Uint8Array(100)])
      assertProblem(await put(upload_url, bytes, 'image/png'), 409, 'already_uploaded');
    assert.deepEqual(await stored(), slidesAt(object_key));
    assert.deepEqual((await download((await listAssets(org, id)).data[0]!.url)).bytes, PNG);
  });

  it('ends the one before: the newer file counts, whatever the older one is', async () => {
    for (const older of [media('slide.jpg'), new Uint8Array(5000), PNG]) {
      const { org, id, stored } = await newPost();
      const { upload_url, object_key } = await grant(org, id);
      const first = beginPut(upload_url, 'image/png');
      first.body.write(older.slice(0, 1000));
      await until('the upload has begun', async () => (await stored()).length === 1);
      assert.equal((await put(upload_url, PNG, 'image/png')).status, 200);
      // Answered without the rest of its body.
      assertProblem(await first.answer, 409, 'upload_superseded');
      first.body.end(older.slice(1000));
      assert.deepEqual(await stored(), slidesAt(object_key));
      const { data, rejected } = await listAssets(org, id);
      assert.deepEqual(rejected, []);
      assert.deepEqual((await download(data[0]!.url)).bytes, PNG);
    }
  });

  it('answers one of many concurrent uploads with 200', async () => {
    const { org, id, stored } = await newPost();
    const { upload_url, object_key } = await grant(org, id);
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(upload_url, PNG, 'image/png')));
    for (const answer of answers)
      if (answer.status !== 200)
        assertProblem(
          answer,
          409,
          answer.json.code === 'already_uploaded' ? 'already_uploaded' : 'upload_superseded',
        );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.deepEqual(await stored(), slidesAt(object_key));
    assert.deepEqual(await listKeys(org, id), [object_key]);
  });

  it('cleans up after a client that leaves before its body is read', async () => {
    const { org, id, stored } = await newPost();
    const { upload_url } = await grant(org, id);
    const { store } = service.app;
    const { find } = store;
    const [leaving, left] = [signal(), signal()];
    // While the service checks whether the upload is still expected.
    store.find = async (key) => {
      store.find = find;
      leaving.give();
      await left.given;
      return find(key);
    };
    const { body } = beginPut(upload_url, 'image/png', { 'content-length': PNG.length });
    body.on('error', () => {});
    body.write(PNG.slice(0, 10));
    await leaving.given;
    const closed = new Promise((resolve) => body.once('close', resolve));
    body.destroy();
    await closed;
    // Once a request on a new connection is answered, the server has seen the first one end.
    assert.equal((await service.request('GET', '/healthz')).status, 200);
    left.give();
    assert.equal((await put(upload_url, PNG, 'image/png')).status, 200);
    // Nothing stays of the broken upload, neither open nor on the disk.
    const drafts = async () => (await stored()).filter((name) => name.startsWith('drafts/'));
    await until('no partial file is left', async () => openDrafts() === 0 && (await drafts()).length === 0);
  });

  it('forgets all but the newest refusals', async () => {
    const { org, id } = await newPost();
    for (let i = 0; i < 37; i++) {
      const { upload_url } = await grant(org, id);
      assert.equal((await put(upload_url, bytesOf(`no picture ${i}`), 'image/png')).status, 422);
    }
    assert.equal((await listAssets(org, id)).rejected.length, 35);
  });

  it('refuses a file in a Content-Encoding', async () => {
    const { org, id, stored } = await newPost();
    const { upload_url } = await grant(org, id);
    const encoding = { 'content-encoding': 'gzip' };
    const answer = await put(upload_url, new Uint8Array(gzipSync(PNG)), 'image/png', encoding);
    assertProblem(answer, 415, 'unsupported_media_type');
    assert.match(answer.json.detail, /Content-Encoding/);
    assert.deepEqual(await stored(), []);
  });
});
