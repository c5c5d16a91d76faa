// Starting a post: what is accepted, what is refused, and with which words.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { refused, type Tokens, usePlatform } from '../support/platform/test-platform.js';

const UPLOAD = { source: 'FILE_UPLOAD', video_size: 10, chunk_size: 10, total_chunk_count: 1 };
const PULL = { source: 'PULL_FROM_URL', video_url: 'http://127.0.0.1:9/video.mp4' };
const POST = { privacy_level: 'SELF_ONLY' };
const PHOTOS = {
  media_type: 'PHOTO',
  post_mode: 'DIRECT_POST',
  post_info: POST,
  source_info: { source: 'PULL_FROM_URL', photo_images: ['http://127.0.0.1:9/1.jpg'], photo_cover_index: 0 },
};

describe('an init', () => {
  const platform = usePlatform();
  let tokens: Tokens;
  before(async () => {
    tokens = await platform.connect('ada');
  });

  const accepted: [title: string, path: string, body: object, id: RegExp][] = [
    [
      'a direct video in chunks',
      'video/init',
      { post_info: POST, source_info: UPLOAD },
      /^v_pub_file~v2-1\.\d{19}$/,
    ],
    [
      'a direct video to pull',
      'video/init',
      { post_info: POST, source_info: PULL },
      /^v_pub_url~v2\.\d{19}$/,
    ],
    [
      'a video in chunks for the inbox',
      'inbox/video/init',
      { source_info: UPLOAD },
      /^v_inbox_file~v2\.\d{19}$/,
    ],
    ['a video to pull for the inbox', 'inbox/video/init', { source_info: PULL }, /^v_inbox_url~v2\.\d{19}$/],
    ['direct photos', 'content/init', PHOTOS, /^p_pub_url~v2\.\d{19}$/],
    [
      'photos for the inbox',
      'content/init',
      { ...PHOTOS, post_mode: 'MEDIA_UPLOAD', post_info: {} },
      /^p_inbox_url~v2\.\d{19}$/,
    ],
    [
      'a caption of 2200 units',
      'video/init',
      { post_info: { ...POST, title: '😀'.repeat(1100) }, source_info: PULL },
      /./,
    ],
    [
      'a title of 90 and a description of 4000 units',
      'content/init',
      { ...PHOTOS, post_info: { ...POST, title: 'x'.repeat(90), description: 'x'.repeat(4000) } },
      /./,
    ],
    [
      '35 photos with the last as cover',
      'content/init',
      {
        ...PHOTOS,
        source_info: {
          ...PHOTOS.source_info,
          photo_images: Array.from({ length: 35 }, (_, i) => `http://127.0.0.1:9/${i}.jpg`),
          photo_cover_index: 34,
        },
      },
      /./,
    ],
  ];
  for (const [title, path, body, id] of accepted)
    it(`accepts ${title}`, async () => {
      const { status, json, headers } = await platform.api(path, tokens, body);
      assert.equal(status, 200);
      assert.deepEqual(json.error, { code: 'ok', message: '', log_id: headers.get('x-tt-logid') });
      assert.match(json.data.publish_id, id);
      assert.ok(json.data.publish_id.length <= 64);
      const isUpload = json.data.publish_id.includes('file');
      assert.equal(json.data.upload_url !== undefined, isUpload);
      if (!isUpload) return;
      assert.ok(json.data.upload_url.length <= 256);
      assert.match(json.data.upload_url, /\/upload\/\?upload_id=\d{19}&upload_token=[0-9a-f-]{36}$/);
    });

  const wrong: [title: string, path: string, body: object, message?: RegExp][] = [
    ['no privacy level', 'video/init', { post_info: {}, source_info: UPLOAD }, /privacy_level/],
    ['no post', 'video/init', { source_info: UPLOAD }],
    ['no source', 'video/init', { post_info: POST }],
    ['another source', 'video/init', { post_info: POST, source_info: { source: 'FTP' } }],
    [
      'a long caption',
      'video/init',
      { post_info: { ...POST, title: 'x'.repeat(2201) }, source_info: PULL },
      /title/,
    ],
    [
      'a flag that is none',
      'video/init',
      { post_info: { ...POST, disable_comment: 'no' }, source_info: PULL },
    ],
    [
      'chunks counted by rounding up',
      'inbox/video/init',
      {
        source_info: { ...UPLOAD, video_size: 50_000_123, chunk_size: 10_000_000, total_chunk_count: 6 },
      },
      /^The total chunk count is invalid$/,
    ],
    [
      'one chunk that is not the video',
      'inbox/video/init',
      {
        source_info: { ...UPLOAD, video_size: 121_000_000, chunk_size: 64_000_000, total_chunk_count: 1 },
      },
      /^The chunk size is invalid$/,
    ],
    ['an address that is none', 'inbox/video/init', { source_info: { ...PULL, video_url: 'video.mp4' } }],
    ['another kind of media', 'content/init', { ...PHOTOS, media_type: 'VIDEO' }],
    ['another mode', 'content/init', { ...PHOTOS, post_mode: 'DIRECT POST' }],
    ['uploaded photos', 'content/init', { ...PHOTOS, source_info: UPLOAD }],
    ['no photos', 'content/init', { ...PHOTOS, source_info: { ...PHOTOS.source_info, photo_images: [] } }],
    [
      '36 photos',
      'content/init',
      {
        ...PHOTOS,
        source_info: { ...PHOTOS.source_info, photo_images: Array(36).fill('http://127.0.0.1:9/1.jpg') },
      },
    ],
    [
      'a cover beyond the photos',
      'content/init',
      { ...PHOTOS, source_info: { ...PHOTOS.source_info, photo_cover_index: 1 } },
    ],
    ['a long title', 'content/init', { ...PHOTOS, post_info: { ...POST, title: 'x'.repeat(91) } }],
    [
      'a long description',
      'content/init',
      { ...PHOTOS, post_info: { ...POST, description: 'x'.repeat(4001) } },
    ],
  ];
  for (const [title, path, body, message = /./] of wrong)
    it(`refuses ${title}`, async () => {
      const before = (await platform.publishes()).length;
      const answer = await platform.api(path, tokens, body);
      assert.deepEqual(refused(answer), [400, 'invalid_params']);
      assert.match(answer.json.error.message, message);
      assert.deepEqual(answer.json.data, {});
      assert.equal((await platform.publishes()).length, before, 'nothing was accepted');
    });

  it('refuses a privacy level that the creator is not offered', async () => {
    const body = { post_info: { privacy_level: 'EVERYBODY' }, source_info: UPLOAD };
    const answer = await platform.api('video/init', tokens, body);
    assert.deepEqual(refused(answer), [403, 'privacy_level_option_mismatch']);
  });

  it('refuses bodies that are not JSON objects', async () => {
    for (const raw of ['', '[]', '{"post_info"', 'null'])
      for (const type of ['application/json', 'application/json; charset=UTF-8', 'text/plain']) {
        const answer = await platform.request('POST', '/v2/post/publish/video/init/', {
          key: tokens.access_token,
          raw,
          headers: { 'content-type': type },
        });
        assert.deepEqual(refused(answer), [400, 'invalid_params'], `${raw} as ${type}`);
      }
  });

  it('needs a valid token with the scope of the call', async () => {
    const body = { post_info: POST, source_info: UPLOAD };
    const unknown = { ...tokens, access_token: 'act.unknown' };
    for (const path of ['video/init', 'inbox/video/init', 'content/init', 'status/fetch', 'cancel'])
      assert.deepEqual(refused(await platform.api(path, unknown, body)), [401, 'access_token_invalid'], path);
    const forInbox = await platform.connect('ada', 'video.upload');
    const direct = await platform.connect('ada', 'video.publish');
    assert.deepEqual(refused(await platform.api('video/init', forInbox, body)), [
      401,
      'scope_not_authorized',
    ]);
    assert.deepEqual(refused(await platform.api('inbox/video/init', direct, body)), [
      401,
      'scope_not_authorized',
    ]);
    assert.deepEqual(refused(await platform.api('content/init', forInbox, PHOTOS)), [
      401,
      'scope_not_authorized',
    ]);
    const draft = { ...PHOTOS, post_mode: 'MEDIA_UPLOAD' };
    assert.deepEqual(refused(await platform.api('content/init', direct, draft)), [
      401,
      'scope_not_authorized',
    ]);
    assert.equal((await platform.api('content/init', forInbox, draft)).status, 200);
  });

  it('of a banned account is refused everywhere', async () => {
    const banned = await platform.connect('mallory');
    await platform.control('accounts', { username: 'mallory', is_banned: true });
    for (const [path, body] of [
      ['video/init', { post_info: POST, source_info: UPLOAD }],
      ['inbox/video/init', { source_info: UPLOAD }],
      ['content/init', PHOTOS],
    ] as const)
      assert.deepEqual(refused(await platform.api(path, banned, body)), [
        403,
        'spam_risk_user_banned_from_posting',
      ]);
  });

  it('answers errors with another code and shape, if told so', async () => {
    await platform.control('settings', { bad_parameter_code: 'invalid_param', data_in_errors: false });
    const { json } = await platform.api('video/init', tokens, {});
    assert.equal(json.error.code, 'invalid_param');
    assert.equal(json.data, undefined);
  });

  it('at another path is 404', async () => {
    const answer = await platform.request('POST', '/v2/post/publish/video/init', { body: {} });
    assert.deepEqual(refused(answer), [404, 'unsupported_path']);
  });
});
