import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import {
  addPostIn,
  assertProblem,
  assertRefused,
  at,
  setPost,
  UNKNOWN_ID,
} from '../support/service/posts.js';
import {
  askForUpload,
  bytesOf,
  grant,
  listAssets,
  listKeys,
  media,
  put,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const SLIDE = { filename: 'slide.png', content_type: 'image/png' };
const VIDEO = { filename: 'clip.mp4', content_type: 'video/mp4' };

onEngines('sqlite', 'POST /api/v1/posts/{id}/assets', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  afterEach(() => service.clock.resume());

  const newPost = async (post_type: 'slides' | 'video') => {
    const org = await service.newOrganization();
    return { org, id: await org.addPost({ post_type }) };
  };

  it('answers 200 with the fields of the grant at the top level, not wrapped in data', async () => {
    const { org, id } = await newPost('slides');
    const answer = await askForUpload(org, id, SLIDE);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.json).sort(), ['expires_at', 'object_key', 'upload_url']);
  });

  it('names a slide orgs/{org}/posts/{post}/slides/<filename> and a video …/videos/<filename>', async () => {
    for (const [filename, post_type, shape] of [
      ['cover.png', 'slides', 'slides/cover-[0-9a-f]{12}\\.png'],
      ['photo.jpeg', 'slides', 'slides/photo-[0-9a-f]{12}\\.jpg'],
      ['clip.mp4', 'video', 'videos/clip-[0-9a-f]{12}\\.mp4'],
      ['clip.webm', 'video', 'videos/clip-[0-9a-f]{12}\\.webm'],
      ['clip.mov', 'video', 'videos/clip-[0-9a-f]{12}\\.mov'],
    ] as const) {
      const { org, id } = await newPost(post_type);
      const more = filename === 'photo.jpeg' ? { content_type: 'image/jpeg' as const } : {};
      const { object_key, upload_url } = await grant(org, id, { filename, ...more });
      assert.match(object_key, new RegExp(`^orgs/${org.id}/posts/${id}/${shape}$`));
      assert.equal(new URL(upload_url).origin, service.url);
    }
  });

  it('expires upload URLs after 1 hour for slides and after 2 hours for videos', async () => {
    const start = Date.parse('2030-01-01T12:00:00Z');
    for (const [post_type, filename, hours] of [
      ['slides', 'slide.png', 1],
      ['video', 'clip.mp4', 2],
    ] as const) {
      service.clock.stopAt(start);
      const { org, id } = await newPost(post_type);
      const { expires_at, upload_url } = await grant(org, id, { filename });
      assert.equal(expires_at, at(start + hours * HOUR_MS));
      assert.equal(new URL(upload_url).searchParams.get('expires'), String(Date.parse(expires_at) / 1000));
    }
  });

  it('names a missing field, an unknown one, and an invalid one', async () => {
    const { org, id } = await newPost('slides');
    for (const [body, ...fields] of [
      [{}, 'filename', 'content_type'],
      [{ filename: 'a.png' }, 'content_type'],
      [{ content_type: 'image/png' }, 'filename'],
      [{ ...SLIDE, size: 1 }, 'size'],
      [{ ...SLIDE, filename: '' }, 'filename'],
      [{ ...SLIDE, filename: 7 }, 'filename'],
      [{ ...SLIDE, content_type: 'image/gif' }, 'content_type'],
      [{ ...SLIDE, content_type: 'IMAGE/PNG' }, 'content_type'],
      [{ ...SLIDE, content_type: null }, 'content_type'],
      [{ ...SLIDE, content_length: 0 }, 'content_length'],
      [{ ...SLIDE, content_length: -1 }, 'content_length'],
      [{ ...SLIDE, content_length: 1.5 }, 'content_length'],
      [{ ...SLIDE, content_length: '100' }, 'content_length'],
      [{ ...SLIDE, content_length: null }, 'content_length'],
      [{ ...SLIDE, replace: 'true' }, 'replace'],
    ] as const)
      assertRefused(await askForUpload(org, id, body), ...fields);
    assert.deepEqual(await listAssets(org, id), { data: [], rejected: [] });
  });

  it('refuses a content type that does not fit the post type with 400', async () => {
    const [slides, video] = [await newPost('slides'), await newPost('video')];
    for (const content_type of ['video/mp4', 'video/webm', 'video/quicktime'])
      assertRefused(await askForUpload(slides.org, slides.id, { ...SLIDE, content_type }), 'content_type');
    for (const content_type of ['image/png', 'image/jpeg'])
      assertRefused(await askForUpload(video.org, video.id, { ...VIDEO, content_type }), 'content_type');
  });

  it('takes exactly 4 GB of video and 20 MB of slide, and answers 413 to a byte more', async () => {
    for (const [post_type, body, most] of [
      ['video', VIDEO, 4 * GIB],
      ['slides', SLIDE, 20 * MIB],
    ] as const) {
      const { org, id } = await newPost(post_type);
      for (const content_length of [most + 1, Number.MAX_SAFE_INTEGER])
        assertProblem(await askForUpload(org, id, { ...body, content_length }), 413, 'file_too_large');
      const answer = await askForUpload(org, id, { ...body, content_length: most });
      assert.equal(answer.status, 200, answer.text);
    }
  });

  it('answers 409 to a second video without replace, and says what to send', async () => {
    const { org, id } = await newPost('video');
    await upload(org, id, 'tiny.mp4');
    for (const body of [VIDEO, { ...VIDEO, replace: false }]) {
      const answer = await askForUpload(org, id, body);
      assertProblem(answer, 409, 'video_exists');
      assert.match(answer.json.detail, /replace: true/);
    }
  });

  it('lets a pending video reserve the only place until its URL expires', async () => {
    const { org, id } = await newPost('video');
    const first = await grant(org, id, VIDEO as { filename: string });
    assertProblem(await askForUpload(org, id, VIDEO), 409, 'video_exists');
    service.clock.stopAt(Date.parse(first.expires_at) - 1);
    assertProblem(await askForUpload(org, id, VIDEO), 409, 'video_exists');
    service.clock.advance(1);
    const second = await askForUpload(org, id, VIDEO);
    assert.equal(second.status, 200, second.text);
  });

  it('always gives replace: true a new grant, which voids older pending ones', async () => {
    const { org, id } = await newPost('video');
    const older = [await grant(org, id, { filename: 'tiny.mp4' })];
    older.push(await grant(org, id, { filename: 'tiny.mp4', replace: true }));
    const newest = await grant(org, id, { filename: 'tiny.mp4', replace: true });
    for (const { upload_url } of older)
      assertProblem(await put(upload_url, media('tiny.mp4'), 'video/mp4'), 409, 'upload_void');
    assert.equal((await put(newest.upload_url, media('tiny.mp4'), 'video/mp4')).status, 200);
    assert.deepEqual(await listKeys(org, id), [newest.object_key]);
  });

  it('accepts replace: true where there is nothing to replace', async () => {
    const { org, id } = await newPost('video');
    const { object_key } = await upload(org, id, 'tiny.mp4', { replace: true });
    assert.deepEqual(await listKeys(org, id), [object_key]);
  });

  it('ignores replace on slides', async () => {
    const { org, id } = await newPost('slides');
    const keys = [];
    for (let i = 0; i < 2; i++) keys.push((await upload(org, id, 'slide.png', { replace: true })).object_key);
    assert.deepEqual(await listKeys(org, id), keys);
  });

  it('makes two slides from two uploads of a.png', async () => {
    const { org, id } = await newPost('slides');
    const one = await upload(org, id, 'slide.png', { filename: 'a.png' });
    const two = await upload(org, id, 'slide.png', { filename: 'a.png' });
    assert.notEqual(one.object_key, two.object_key);
    const { data } = await listAssets(org, id);
    assert.deepEqual(
      data.map(({ object_key, filename }) => [object_key, filename]),
      [one, two].map(({ object_key }) => [object_key, 'a.png']),
    );
  });

  it('grants up to 35 slides, pending ones counted, and answers 409 beyond', async () => {
    const { org, id } = await newPost('slides');
    const first = await upload(org, id, 'slide.png');
    for (let i = 2; i <= 35; i++) await grant(org, id);
    assertProblem(await askForUpload(org, id, SLIDE), 409, 'too_many_slides');
    const path = `/api/v1/posts/${id}/assets?object_key=${encodeURIComponent(first.object_key)}`;
    assert.equal((await org.call('DELETE', path)).status, 204);
    const { expires_at } = await grant(org, id);
    assertProblem(await askForUpload(org, id, SLIDE), 409, 'too_many_slides');
    service.clock.stopAt(Date.parse(expires_at));
    await grant(org, id);
  });

  it('grants no more than 35 slides to concurrent requests', async () => {
    const { org, id } = await newPost('slides');
    const answers = await Promise.all(Array.from({ length: 40 }, () => askForUpload(org, id, SLIDE)));
    const granted = answers.filter(({ status }) => status === 200);
    assert.equal(granted.length, 35);
    assert.equal(new Set(granted.map(({ json }) => json.object_key)).size, 35);
    for (const answer of answers) if (answer.status !== 200) assertProblem(answer, 409, 'too_many_slides');
  });

  it('does not count a slide that was refused', async () => {
    const { org, id } = await newPost('slides');
    const lie = await grant(org, id);
    assert.equal((await put(lie.upload_url, bytesOf('not a picture'), 'image/png')).status, 422);
    for (let i = 1; i <= 35; i++) await grant(org, id);
    assertProblem(await askForUpload(org, id, SLIDE), 409, 'too_many_slides');
  });

  for (const status of ['draft', 'scheduled'] as const)
    it(`is allowed while the post is ${status}`, async () => {
      const org = await service.newOrganization();
      const id = await addPostIn(service, org, status);
      const { object_key } = await upload(org, id, 'slide.png');
      assert.deepEqual(await listKeys(org, id), [object_key]);
    });

  for (const status of ['publishing', 'posted', 'archived'] as const)
    it(`answers 409 once the post is ${status}, to a grant and to the upload of an older one`, async () => {
      const { org, id } = await newPost('slides');
      const { upload_url } = await grant(org, id);
      await setPost(service, id, { status });
      assertProblem(await askForUpload(org, id, SLIDE), 409, 'wrong_state');
      assertProblem(await put(upload_url, media('slide.png'), 'image/png'), 409, 'wrong_state');
      assert.deepEqual(await listAssets(org, id), { data: [], rejected: [] });
    });

  it('replays the same grant for the same Idempotency-Key, and reserves only one place', async () => {
    const { org, id } = await newPost('video');
    const key = { 'idempotency-key': 'upload-1' };
    const first = await askForUpload(org, id, VIDEO, key);
    const again = await askForUpload(org, id, VIDEO, key);
    assert.equal(first.status, 200, first.text);
    assert.deepEqual([again.status, again.text], [first.status, first.text]);
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    const other = await askForUpload(org, id, { ...VIDEO, replace: true }, key);
    assertProblem(other, 422, 'idempotency_key_reused');
  });

  it('answers 404 for an unknown id, a malformed one, and the post of another organization', async () => {
    const { org } = await newPost('slides');
    const { id: foreign } = await newPost('slides');
    for (const id of [UNKNOWN_ID, 'malformed', foreign]) {
      assertProblem(await askForUpload(org, id, SLIDE), 404, 'not_found');
      assertProblem(await org.call('GET', `/api/v1/posts/${id}/assets`), 404, 'not_found');
    }
  });

  it('takes an id in capital letters like any other', async () => {
    const { org, id } = await newPost('slides');
    const { object_key } = await grant(org, id.toUpperCase());
    assert.match(object_key, new RegExp(`^orgs/${org.id}/posts/${id}/`));
  });
});
