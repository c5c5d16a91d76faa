import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { useService } from '../support/service/harness.js';
import { assertRefused, listPosts, POST_FIELDS } from '../support/service/posts.js';
import {
  download,
  grant,
  listAssets,
  media,
  put,
  removeOne,
  reorder,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

onEngines('sqlite', 'GET /api/v1/posts?include=cover', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  it('gives the thumbnail of the first slide, whichever that is', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const cover = async () => {
      const [post] = (await listPosts(org, { include: 'cover' })).data;
      return post?.cover_url ? new URL(post.cover_url).pathname : post?.cover_url;
    };
    const thumbnailOf = (key: string) => `/storage/thumbnails/${key}.webp`;
    const early = await grant(org, id);
    assert.equal(await cover(), null);
    const a = (await upload(org, id, 'slide.png')).object_key;
    const b = (await upload(org, id, 'slide.jpg')).object_key;
    assert.equal(await cover(), thumbnailOf(a));
    assert.equal((await reorder(org, id, [b, a])).status, 200);
    assert.equal(await cover(), thumbnailOf(b));
    assert.equal((await removeOne(org, id, b)).status, 204);
    assert.equal(await cover(), thumbnailOf(a));
    assert.equal((await removeOne(org, id, a)).status, 204);
    assert.equal(await cover(), null);
    assert.equal((await put(early.upload_url, media('slide.png'), 'image/png')).status, 200);
    assert.equal(await cover(), thumbnailOf(early.object_key));
  });

  it('gives a URL that downloads what the list of assets shows', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await upload(org, id, 'slide.png');
    const [post] = (await listPosts(org, { include: 'cover' })).data;
    const [asset] = (await listAssets(org, id)).data;
    const [cover, thumbnail] = [await download(post!.cover_url!), await download(asset!.thumbnail_url!)];
    assert.equal(cover.response.headers.get('content-type'), 'image/webp');
    assert.deepEqual(cover.bytes, thumbnail.bytes);
  });

  it('gives each post of a page its own cover, and null to videos and to posts without slides', async () => {
    const [org, other] = [await service.newOrganization(), await service.newOrganization()];
    await upload(other, await other.addPost(), 'slide.png');
    const [empty, slides, more] = [await org.addPost(), await org.addPost(), await org.addPost()];
    const video = await org.addPost({ post_type: 'video' });
    await upload(org, video, 'tiny.mp4');
    const keys = [await upload(org, slides, 'slide.png'), await upload(org, more, 'slide.png')];
    const covers = (await listPosts(org, { include: 'cover' })).data.map(({ id, cover_url }) => [
      id,
      cover_url ? new URL(cover_url).pathname : cover_url,
    ]);
    assert.deepEqual(Object.fromEntries(covers), {
      [empty]: null,
      [video]: null,
      [slides]: `/storage/thumbnails/${keys[0]!.object_key}.webp`,
      [more]: `/storage/thumbnails/${keys[1]!.object_key}.webp`,
    });
  });

  it('gives a URL that downloads the video, as soon as it is ready and as long as it exists', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost({ post_type: 'video' });
    await upload(org, await org.addPost(), 'slide.png');
    const videos = async () =>
      (await listPosts(org, { include: 'cover' })).data.map(({ post_type, cover_video_url }) => [
        post_type,
        cover_video_url ? new URL(cover_video_url).pathname : cover_video_url,
      ]);
    const { upload_url, object_key } = await grant(org, id, {
      filename: 'film.mp4',
      content_type: 'video/mp4',
    });
    assert.deepEqual(await videos(), [
      ['slides', null],
      ['video', null],
    ]);
    assert.equal((await put(upload_url, media('tiny.mp4'), 'video/mp4')).status, 200);
    await until('it has its URL', async () => (await videos())[1]?.[1] === `/storage/${object_key}`);
    assert.deepEqual((await videos())[0], ['slides', null]);
    const film = (await listPosts(org, { include: 'cover' })).data.find((post) => post.id === id);
    const { response, bytes } = await download(film!.cover_video_url!);
    assert.equal(response.headers.get('content-type'), 'video/mp4');
    assert.deepEqual(Buffer.from(bytes), Buffer.from(media('tiny.mp4')));
    assert.equal((await removeOne(org, id, object_key)).status, 204);
    assert.deepEqual(await videos(), [
      ['slides', null],
      ['video', null],
    ]);
  });

  it('keeps a URL for minutes, so that browsers can cache it, and never longer than an hour', async () => {
    const org = await service.newOrganization();
    await upload(org, await org.addPost({ post_type: 'video' }), 'tiny.mp4');
    const address = async () => (await listPosts(org, { include: 'cover' })).data[0]!.cover_video_url!;
    const halfHour = Math.ceil(service.clock.now() / 1_800_000) * 1_800_000;
    service.clock.stopAt(halfHour);
    try {
      const first = await address();
      assert.equal(Number(new URL(first).searchParams.get('expires')) * 1000, halfHour + 3_600_000);
      service.clock.advance(299_000);
      assert.equal(await address(), first);
      service.clock.advance(2_000);
      assert.notEqual(await address(), first);
    } finally {
      service.clock.resume();
    }
  });

  it('is optional: without include there is no cover_url, and any other value is 400', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    await upload(org, id, 'slide.png');
    const [post] = (await listPosts(org)).data;
    assert.deepEqual(Object.keys(post!).sort(), [...POST_FIELDS].sort());
    const one = await org.call('GET', `/api/v1/posts/${id}`);
    assert.deepEqual(Object.keys(one.json.data).sort(), [...POST_FIELDS].sort());
    for (const include of ['nonsense', '', 'covers', 'cover,cover'])
      assertRefused(await org.call('GET', `/api/v1/posts?include=${include}`), 'include');
  });
});

onEngines('sqlite', 'GET /api/v1/posts/:id?include=cover', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);

  it('gives what the list gives, and for a video its own URL', async () => {
    const org = await service.newOrganization();
    const [slides, video] = [await org.addPost(), await org.addPost({ post_type: 'video' })];
    const { object_key } = await upload(org, slides, 'slide.png');
    const { object_key: video_key } = await upload(org, video, 'tiny.mp4');
    const cover = async (id: string) =>
      (await org.call('GET', `/api/v1/posts/${id}?include=cover`)).json.data;
    const { cover_url, cover_video_url, ...post } = await cover(slides);
    assert.equal(new URL(cover_url).pathname, `/storage/thumbnails/${object_key}.webp`);
    assert.equal(cover_video_url, null);
    assert.deepEqual(Object.keys(post).sort(), [...POST_FIELDS].sort());
    const film = await cover(video);
    assert.equal(film.cover_url, null);
    assert.equal(new URL(film.cover_video_url).pathname, `/storage/${video_key}`);
  });

  it('is optional, and any other value is 400', async () => {
    const org = await service.newOrganization();
    const id = await org.addPost();
    const { data } = (await org.call('GET', `/api/v1/posts/${id}`)).json;
    assert.ok(!('cover_url' in data) && !('cover_video_url' in data));
    assertRefused(await org.call('GET', `/api/v1/posts/${id}?include=assets`), 'include');
  });
});
