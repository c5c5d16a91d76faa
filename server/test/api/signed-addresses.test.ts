import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { useService } from '../support/service/harness.js';
import { assertProblem } from '../support/service/posts.js';
import { send } from '../support/service/send.js';
import {
  type Bytes,
  beginPut,
  bytesOf,
  grant,
  listAssets,
  media,
  put,
  removeOne,
  storedFor,
  upload,
  WITHOUT_WORKER,
} from '../support/service/uploads.js';

const HUGE = 30_000_000;

onEngines('sqlite', 'A signed URL', (engine) => {
  const service = useService(engine, WITHOUT_WORKER);
  afterEach(() => service.clock.resume());

  const newPost = async (post_type: 'slides' | 'video' = 'slides') => {
    const org = await service.newOrganization();
    return { org, id: await org.addPost({ post_type }) };
  };

  it('is valid for its method only', async () => {
    const { org, id } = await newPost();
    const { upload_url } = await upload(org, id, 'slide.png');
    for (const method of ['GET', 'HEAD'])
      assert.equal((await fetch(upload_url, { method })).status, 403, method);
    const { url } = (await listAssets(org, id)).data[0]!;
    assertProblem(await put(url, media('slide.png'), 'image/png'), 403, 'signature_invalid');
    for (const method of ['POST', 'PATCH', 'DELETE'])
      assertProblem(await send(method, url, {}), 405, 'method_not_allowed');
  });

  it('is invalid when anything in it is changed, added, repeated or removed', async () => {
    const { org, id } = await newPost();
    const { upload_url } = await grant(org, id, { content_length: 100 });
    const { pathname, search } = new URL(upload_url);
    const changed = [
      ...flips(search).map((text) => `${pathname}${text}`),
      `${pathname}${search}&a=b`,
      `${pathname}${search}&length=5`,
      `${pathname}?length=5&${search.slice(1)}`,
      `${pathname}${search.replace('length=100&', '')}`,
      `${pathname}${search.replace(/&signature=.*/, '')}`,
      `${pathname}${search.replace(/&signature=.*/, '&signature=')}`,
      `${pathname}${search.toUpperCase()}`,
      pathname,
      `${pathname}/${search}`,
      `${pathname.replace('/slides/', '/slides/../slides/')}${search}`,
      `${pathname.replace('/slides/', '/slides%2f')}${search}`,
      `${pathname.replace('/slides/', '/slides//')}${search}`,
      `${pathname.replace('.png', '.jpg')}${search}`,
      `${pathname.replace('/storage/uploads/', '/storage/')}${search}`,
    ];
    for (const address of changed) {
      const { body, answer } = beginPut(upload_url, 'image/png', {}, address);
      body.end(new Uint8Array(100));
      const { status } = await answer;
      assert.ok(status === 403 || status === 404, `${address}: ${status}`);
    }
    assert.deepEqual(await storedFor(service, org), []);
  });

  it('may be used from any origin', async () => {
    const { org, id } = await newPost();
    const { upload_url } = await grant(org, id);
    const origin = 'https://somewhere.test';
    const preflight = await send('OPTIONS', upload_url, {
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /\bPUT\b/);
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /\bcontent-type\b/i);

    const refused = await put(upload_url, media('slide.jpg'), 'image/jpeg', { origin });
    assertProblem(refused, 400, 'upload_mismatch');
    const taken = await put(upload_url, media('slide.png'), 'image/png', { origin });
    assert.equal(taken.status, 200, taken.text);
    const { url } = (await listAssets(org, id)).data[0]!;
    const sent = await send('GET', url, { headers: { origin } });
    const forged = await send('GET', `${url}0`, { headers: { origin } });
    assertProblem(forged, 403, 'signature_invalid');
    for (const { headers } of [refused, taken, sent, forged]) {
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
    }
  });

  it('says why a file is refused, even to a client that has not sent all of it', async () => {
    const { org, id } = await newPost();
    const [fresh, used] = [await grant(org, id), await upload(org, id, 'slide.png')];
    const ended = await grant(org, id, { content_length: 20_000_000 });
    for (const [url, type, status, code] of [
      [fresh.upload_url, 'image/png', 413, 'file_too_large'],
      [fresh.upload_url, 'image/jpeg', 400, 'upload_mismatch'],
      [`${fresh.upload_url}0`, 'image/png', 403, 'signature_invalid'],
      [used.upload_url, 'image/png', 413, 'file_too_large'],
      [ended.upload_url, 'image/png', 400, 'upload_mismatch'],
    ] as const) {
      assertProblem(await put(url, new Uint8Array(HUGE), type), status, code);
      const { body, answer } = beginPut(url, type, { 'content-length': HUGE });
      body.end(new Uint8Array(HUGE));
      assertProblem(await answer, status, code);
    }
    const video = await newPost('video');
    const { upload_url } = await upload(video.org, video.id, 'tiny.mp4');
    assertProblem(await put(upload_url, new Uint8Array(HUGE), 'video/mp4'), 409, 'already_uploaded');
  });

  const LIES: [title: string, bytes: Bytes, filename: string, says: RegExp][] = [
    ['a PNG called JPEG', media('slide.png'), 'lie.jpg', /is image\/png/],
    ['a JPEG called PNG', media('slide.jpg'), 'lie.png', /is image\/jpeg/],
    ['HTML called PNG', bytesOf('<!doctype html><script>alert(1)</script>'), 'lie.png', /isn't a valid PNG/],
    ['text called MP4', bytesOf('Once upon a time there was a video.'), 'lie.mp4', /isn't a valid MP4/],
    ['a MOV called MP4', media('tiny.mov'), 'lie.mp4', /is video\/quicktime/],
    ['half a picture', media('slide.png').slice(0, 2_500), 'lie.png', /damaged or incomplete/],
    ['an empty file', new Uint8Array(), 'lie.png', /empty/],
  ];
  for (const [title, bytes, filename, says] of LIES)
    it(`refuses ${title} with 422, says why, and lists it as rejected until it is removed`, async () => {
      const type = filename.endsWith('.mp4')
        ? 'video/mp4'
        : filename.endsWith('.jpg')
          ? 'image/jpeg'
          : 'image/png';
      const { org, id } = await newPost(type === 'video/mp4' ? 'video' : 'slides');
      const { upload_url, object_key } = await grant(org, id, { filename });
      const answer = await put(upload_url, bytes, type);
      assertProblem(answer, 422, 'media_rejected');
      assert.match(answer.json.detail, says);
      assert.deepEqual(await storedFor(service, org), []);
      const reason = answer.json.detail;
      const rejected = { object_key, filename, reason, origin: 'upload', position: 1 };
      assert.deepEqual(await listAssets(org, id), { data: [], rejected: [rejected] });
      assertProblem(await put(upload_url, bytes, type), 409, 'upload_void');
      assert.equal((await removeOne(org, id, object_key)).status, 204);
      assert.deepEqual(await listAssets(org, id), { data: [], rejected: [] });
      assertProblem(await put(upload_url, bytes, type), 409, 'upload_void');
      assert.deepEqual(await storedFor(service, org), []);
    });
});

/** The text with each of its letters and digits changed, one at a time. */
function flips(text: string): string[] {
  const other = (letter: string) =>
    /\d/.test(letter) ? String((Number(letter) + 1) % 10) : letter === 'a' ? 'b' : 'a';
  return [...text].flatMap((letter, i) =>
    /[a-z0-9]/.test(letter) ? [text.slice(0, i) + other(letter) + text.slice(i + 1)] : [],
  );
}
