import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import sharp from 'sharp';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Organization, useService } from '../support/service/harness.js';
import { addPostIn, assertProblem } from '../support/service/posts.js';
import {
  bytesOf,
  download,
  grant,
  listAssets,
  listKeys,
  media,
  put,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

const HOUR_MS = 3_600_000;
const FIELDS = [
  'object_key',
  'url',
  'content_type',
  'filename',
  'position',
  'size',
  'width',
  'height',
  'duration_ms',
  'codec',
  'thumbnail_url',
];

onEngines('sqlite', 'GET /api/v1/posts/{id}/assets', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  afterEach(() => service.clock.resume());

  const newPost = async (post_type: 'slides' | 'video' = 'slides') => {
    const org = await service.newOrganization();
    return { org, id: await org.addPost({ post_type }) };
  };

  const onlyAsset = async (org: Organization, id: string) => {
    const { data } = await listAssets(org, id);
    assert.equal(data.length, 1);
    return data[0]!;
  };

  it('GET names pending uploads, as long as they reserve a place', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { object_key, expires_at } = await grant(org, id, { filename: 'later.png' });
    const pending = async () => (await org.call('GET', `/api/v1/posts/${id}/assets`)).json.pending;
    assert.deepEqual(await pending(), [
      { object_key, filename: 'later.png', expires_at, upload_id: null, origin: 'upload' },
    ]);
    service.clock.advance(3_601_000);
    assert.deepEqual(await pending(), []);
    service.clock.resume();
  });

  it('is empty before anything is uploaded', async () => {
    const { org, id } = await newPost();
    assert.deepEqual(await listAssets(org, id), { data: [], rejected: [] });
  });

  it('shows uploaded files with the properties read from their bytes', async () => {
    for (const [name, width, height, duration_ms, codec] of [
      ['slide.png', 135, 240, null, null],
      ['slide.jpg', 1080, 1920, null, null],
    ] as const) {
      const { org, id } = await newPost();
      const { object_key } = await upload(org, id, name);
      const asset = await onlyAsset(org, id);
      assert.deepEqual(Object.keys(asset).sort(), [...FIELDS].sort());
      const { url, thumbnail_url, ...rest } = asset;
      assert.deepEqual(rest, {
        object_key,
        content_type: name === 'slide.png' ? 'image/png' : 'image/jpeg',
        filename: name,
        position: 1,
        size: media(name).length,
        width,
        height,
        duration_ms,
        codec,
      });
      assert.ok(url.startsWith(`${service.url}/`));
      assert.ok(thumbnail_url?.startsWith(`${service.url}/`));
    }
  });

  it('shows how long a video is, and no thumbnail', async () => {
    for (const [name, content_type] of [
      ['clip-12s-moov-at-end.mp4', 'video/mp4'],
      ['tiny.webm', 'video/webm'],
      ['tiny.mov', 'video/quicktime'],
    ] as const) {
      const { org, id } = await newPost('video');
      await upload(org, id, name);
      const asset = await onlyAsset(org, id);
      assert.equal(asset.content_type, content_type);
      assert.equal(asset.size, media(name).length);
      assert.ok(asset.width > 0 && asset.height > 0);
      assert.ok(asset.duration_ms !== null && asset.duration_ms > 0);
      if (name.startsWith('clip-12s')) assert.equal(Math.round(asset.duration_ms / 1000), 12);
      assert.match(asset.codec ?? '', /^[a-z0-9]+$/);
      assert.equal(asset.thumbnail_url, null);
    }
  });

  it('lists only uploaded files, in the order of their grants', async () => {
    const { org, id } = await newPost();
    const grants = [];
    for (let i = 0; i < 4; i++) grants.push(await grant(org, id, { filename: `${i}.png` }));
    for (const i of [3, 0, 2]) await put(grants[i]!.upload_url, media('slide.png'), 'image/png');
    const { data } = await listAssets(org, id);
    assert.deepEqual(
      data.map(({ filename, position }) => [filename, position]),
      [
        ['0.png', 1],
        ['2.png', 2],
        ['3.png', 3],
      ],
    );
    await put(grants[1]!.upload_url, media('slide.png'), 'image/png');
    assert.deepEqual(
      await listKeys(org, id),
      grants.map(({ object_key }) => object_key),
    );
  });

  for (const status of ['draft', 'scheduled', 'publishing', 'posted', 'archived'] as const)
    it(`answers while the post is ${status}`, async () => {
      const org = await service.newOrganization();
      const id = await addPostIn(service, org, status);
      assert.deepEqual(await listAssets(org, id), { data: [], rejected: [] });
    });

  it('gives URLs that download the file as it was uploaded, and never render as a page', async () => {
    for (const name of ['slide.png', 'tiny.mp4']) {
      const { org, id } = await newPost(name === 'slide.png' ? 'slides' : 'video');
      await upload(org, id, name);
      const { url, content_type } = await onlyAsset(org, id);
      const { response, bytes } = await download(url);
      assert.equal(response.status, 200);
      assert.deepEqual(bytes, media(name));
      const header = (of: string) => response.headers.get(of) ?? '';
      assert.equal(header('content-type'), content_type);
      assert.equal(header('content-length'), String(bytes.length));
      assert.equal(header('x-content-type-options'), 'nosniff');
      assert.match(header('content-disposition'), /^attachment; filename="[\w.-]+"$/);
      assert.match(header('content-security-policy'), /sandbox/);
      assert.equal(header('accept-ranges'), 'bytes');
    }
  });

  it('gives URLs that support Range', async () => {
    const { org, id } = await newPost();
    await upload(org, id, 'slide.png');
    const { url } = await onlyAsset(org, id);
    const whole = media('slide.png');
    const size = whole.length;
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=0-', 0, size],
      ['bytes=100-199', 100, 200],
      ['bytes=-5', size - 5, size],
      [`bytes=${size - 1}-`, size - 1, size],
      [`bytes=10-${size + 1000}`, 10, size],
    ] as const) {
      const { response, bytes } = await download(url, { range });
      assert.equal(response.status, 206, range);
      assert.equal(response.headers.get('content-range'), `bytes ${start}-${end - 1}/${size}`);
      assert.equal(response.headers.get('content-length'), String(end - start));
      assert.deepEqual(bytes, whole.slice(start, end));
    }
    for (const range of [`bytes=${size}-`, 'bytes=-0', `bytes=${size + 5}-${size + 9}`]) {
      const response = await fetch(url, { headers: { range } });
      assert.equal(response.status, 416, range);
      assert.equal(response.headers.get('content-range'), `bytes */${size}`);
      assert.equal((await response.json()).code, 'range_not_satisfiable');
    }
    for (const range of ['bytes=5-1', 'bytes=-', 'lines=1-2', 'nonsense']) {
      const { response, bytes } = await download(url, { range });
      assert.equal(response.status, 200, range);
      assert.deepEqual(bytes, whole);
    }
  });

  it('gives URLs that answer HEAD with the length of the file', async () => {
    const { org, id } = await newPost();
    await upload(org, id, 'slide.png');
    const { url } = await onlyAsset(org, id);
    const response = await fetch(url, { method: 'HEAD' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-length'), String(media('slide.png').length));
    assert.equal(response.headers.get('content-type'), 'image/png');
    assert.equal(await response.text(), '');
  });

  it('gives URLs that are valid for an hour', async () => {
    const start = Date.parse('2030-01-01T12:00:00Z');
    service.clock.stopAt(start);
    const { org, id } = await newPost();
    await upload(org, id, 'slide.png');
    const { url, thumbnail_url } = await onlyAsset(org, id);
    for (const address of [url, thumbnail_url!]) {
      service.clock.stopAt(start + HOUR_MS - 1000);
      assert.equal((await download(address)).response.status, 200);
      service.clock.stopAt(start + HOUR_MS);
      assertProblem(
        await service.request('GET', address.slice(service.url.length)),
        403,
        'signature_invalid',
      );
    }
  });

  it('gives thumbnails in WebP that fit into 480 × 854', async () => {
    const picture = async (width: number, height: number) =>
      new Uint8Array(
        await sharp({ create: { width, height, channels: 3, background: 'red' } })
          .png()
          .toBuffer(),
      );
    for (const [bytes, width, height] of [
      [await picture(540, 960), 480, 853],
      [await picture(2000, 100), 480, 24],
      [await picture(10, 20), 10, 20],
    ] as const) {
      const { org, id } = await newPost();
      const { upload_url } = await grant(org, id);
      assert.equal((await put(upload_url, bytes, 'image/png')).status, 200);
      const thumbnail = await download((await onlyAsset(org, id)).thumbnail_url!);
      assert.equal(thumbnail.response.status, 200);
      assert.equal(thumbnail.response.headers.get('content-type'), 'image/webp');
      const found = await sharp(thumbnail.bytes).metadata();
      assert.deepEqual([found.format, found.width, found.height], ['webp', width, height]);
    }
  });

  it('shows refused uploads separately, and reserves no place for them', async () => {
    const { org, id } = await newPost();
    const lie = await grant(org, id, { filename: 'lie.png' });
    assert.equal((await put(lie.upload_url, bytesOf('no picture'), 'image/png')).status, 422);
    const { object_key } = await upload(org, id, 'slide.png');
    const { data, rejected } = await listAssets(org, id);
    assert.deepEqual(
      data.map((asset) => [asset.object_key, asset.position]),
      [[object_key, 1]],
    );
    assert.deepEqual(
      rejected.map((asset) => [asset.object_key, asset.filename]),
      [[lie.object_key, 'lie.png']],
    );
  });
});
