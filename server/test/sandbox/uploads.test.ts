// FILE_UPLOAD: chunks in order, statuses, progress.
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { before, describe, it } from 'node:test';
import { fixture } from '../support/media/parts.js';
import { type Tokens, usePlatform } from '../support/platform/test-platform.js';
import { until } from '../support/runner/until.js';

const SIZE = 11_000_001;
const CHUNK = 5_000_000;
const THREE = { source: 'FILE_UPLOAD', video_size: SIZE, chunk_size: CHUNK, total_chunk_count: 2 };

describe('chunks', () => {
  const platform = usePlatform();
  let tokens: Tokens;
  before(async () => {
    tokens = await platform.connect('ada');
  });
  const init = () => platform.initUpload(tokens, SIZE, { source_info: THREE });
  const bytes = Buffer.alloc(SIZE, 7);
  const first = bytes.subarray(0, CHUNK);
  const last = bytes.subarray(CHUNK);

  it('are taken in order: 206, then 201, with the progress in both', async () => {
    const { publish_id, upload_url } = await init();
    assert.deepEqual(await platform.status(tokens, publish_id), {
      status: 'PROCESSING_UPLOAD',
      publicaly_available_post_id: [],
      uploaded_bytes: 0,
    });
    const one = await platform.put(upload_url, first, 0, SIZE);
    assert.equal(one.status, 206);
    assert.equal(one.headers.get('content-range'), `bytes 0-${CHUNK - 1}/${SIZE}`);
    assert.equal((await platform.status(tokens, publish_id)).uploaded_bytes, CHUNK);
    const two = await platform.put(upload_url, last, CHUNK, SIZE);
    assert.equal(two.status, 201);
    assert.equal(two.headers.get('content-range'), `bytes 0-${SIZE - 1}/${SIZE}`);
    assert.equal((await platform.publishes()).at(-1).bytes, SIZE);
  });

  it('out of order are answered with 416 and the progress', async () => {
    const { upload_url } = await init();
    const early = await platform.put(upload_url, last, CHUNK, SIZE);
    assert.equal(early.status, 416);
    assert.equal(early.headers.get('content-range'), `bytes */${SIZE}`);
    assert.equal((await platform.put(upload_url, first, 0, SIZE)).status, 206);
    const again = await platform.put(upload_url, first, 0, SIZE);
    assert.equal(again.status, 416);
    assert.equal(again.headers.get('content-range'), `bytes 0-${CHUNK - 1}/${SIZE}`);
    assert.equal((await platform.put(upload_url, last, CHUNK, SIZE)).status, 201);
    const tooMuch = await platform.put(upload_url, last, CHUNK, SIZE);
    assert.ok([404, 416].includes(tooMuch.status), 'whether it failed meanwhile or not');
  });

  it('report the progress as a count, if told so', async () => {
    await platform.control('settings', { uploaded_range: 'count' });
    const { upload_url } = await init();
    const { headers } = await platform.put(upload_url, first, 0, SIZE);
    assert.equal(headers.get('content-range'), `bytes 0-${CHUNK}/${SIZE}`);
    await platform.control('settings', { uploaded_range: 'last_byte' });
  });

  it('with bad headers are refused with 400', async () => {
    const { upload_url } = await init();
    for (const headers of [
      { 'content-type': 'application/octet-stream' },
      { 'content-type': 'image/png' },
      { 'content-range': 'bytes 0-4999999' },
      { 'content-range': `bytes 0-${CHUNK}/${SIZE}` },
      { 'content-range': `bytes 0-${CHUNK - 1}/${SIZE + 1}` },
    ])
      assert.equal(
        (await platform.put(upload_url, first, 0, SIZE, headers)).status,
        400,
        JSON.stringify(headers),
      );
    assert.equal((await platform.put(upload_url, first.subarray(1), 0, SIZE)).status, 400, 'another size');
    for (const type of ['video/quicktime', 'video/webm']) {
      const { upload_url } = await init();
      assert.equal((await platform.put(upload_url, first, 0, SIZE, { 'content-type': type })).status, 206);
    }
  });

  it('that break off do not count, and can be sent again', async () => {
    const { publish_id, upload_url } = await init();
    const broken = httpRequest(upload_url, {
      method: 'PUT',
      headers: {
        'content-type': 'video/mp4',
        'content-length': CHUNK,
        'content-range': `bytes 0-${CHUNK - 1}/${SIZE}`,
      },
    });
    broken.on('error', () => {});
    await new Promise((sent) => broken.write(first.subarray(0, 100_000), sent));
    broken.destroy();
    await until('the same chunk is taken', async () => {
      const { status } = await platform.put(upload_url, first, 0, SIZE);
      return status === 206;
    });
    assert.equal((await platform.status(tokens, publish_id)).uploaded_bytes, CHUNK);
  });

  it('are refused with another token, and after an hour', async () => {
    const { upload_url } = await init();
    assert.equal((await platform.put(`${upload_url}x`, first, 0, SIZE)).status, 404);
    assert.equal((await platform.put(`${platform.url}/upload/?upload_id=1`, first, 0, SIZE)).status, 404);
    assert.equal((await platform.put(upload_url, first, 0, SIZE)).status, 206);
    platform.clock.advance(3_600_000);
    assert.equal((await platform.put(upload_url, last, CHUNK, SIZE)).status, 403);
    platform.clock.resume();
  });

  it('a video whose bytes never arrive is not published', async () => {
    const { publish_id } = await init();
    assert.equal((await platform.status(tokens, publish_id)).status, 'PROCESSING_UPLOAD');
  });

  it('make a real video, published byte for byte', async () => {
    const clip = fixture('tiny.mp4');
    const publishId = await platform.upload(tokens, clip);
    const status = await platform.settled(tokens, publishId);
    assert.equal(status.status, 'PUBLISH_COMPLETE');
    assert.equal(status.uploaded_bytes, clip.length);
    const digits = publishId.split('.').at(-1);
    const media = await fetch(`${platform.url}/media/${digits}/0`);
    assert.deepEqual(Buffer.from(await media.arrayBuffer()), clip);
  });
});
