// PULL_FROM_URL: what is retried, what fails immediately, and how it is cancelled.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fixture } from '../support/media/parts.js';
import {
  freePort,
  OtherServer,
  refused,
  type Tokens,
  useOther,
  usePlatform,
} from '../support/platform/test-platform.js';
import { until } from '../support/runner/until.js';

const JPEG = fixture('slide.jpg');
const CLIP = fixture('tiny.mp4');

describe('pulling', () => {
  const platform = usePlatform();
  let tokens: Tokens;
  before(async () => {
    tokens = await platform.connect('ada');
  });
  /** Its path decides the response: a status, how often it fails first, or none at all. */
  const failures = new Map<string, number>();
  const files = useOther((path, response) => {
    const [, what, argument] = path.split('/');
    if (what === 'slide.jpg') response.end(JPEG);
    else if (what === 'clip.mp4') response.end(CLIP);
    else if (what === 'moved') response.writeHead(302, { location: '/slide.jpg' }).end();
    else if (what === 'status') response.writeHead(Number(argument)).end();
    else if (what === 'huge') response.end(Buffer.alloc(21 * 1024 * 1024));
    else if (what === 'shaky') {
      const left = failures.get(path) ?? Number(argument);
      failures.set(path, left - 1);
      if (left <= 0) response.end(JPEG);
      else if (left % 2) response.writeHead(503).end();
      else response.destroy();
    }
    // Otherwise the request is never answered.
  });

  const photos = async (...paths: string[]): Promise<string> => {
    const answer = await platform.photos(
      tokens,
      paths.map((path) => files.url + path),
    );
    return answer.json.data.publish_id;
  };
  const asked = (path: string) => files.seen.filter((one) => one.path === path).length;

  it('gets every photo, in order', async () => {
    const good = await platform.settled(tokens, await photos('/slide.jpg', '/slide.jpg'));
    assert.equal(good.status, 'PUBLISH_COMPLETE');
    assert.equal(good.downloaded_bytes, 2 * JPEG.length);
  });

  it('gets videos, for the feed and for the inbox', async () => {
    const source_info = { source: 'PULL_FROM_URL', video_url: `${files.url}/clip.mp4` };
    const direct = await platform.api('video/init', tokens, {
      post_info: { privacy_level: 'SELF_ONLY' },
      source_info,
    });
    assert.equal((await platform.settled(tokens, direct.json.data.publish_id)).status, 'PUBLISH_COMPLETE');
    const draft = await platform.api('inbox/video/init', tokens, { source_info });
    const status = await platform.settled(tokens, draft.json.data.publish_id);
    assert.deepEqual([status.status, status.downloaded_bytes], ['SEND_TO_USER_INBOX', CLIP.length]);
  });

  it('tries again after broken connections and 5xx', async () => {
    const status = await platform.settled(tokens, await photos('/shaky/4'));
    assert.equal(status.status, 'PUBLISH_COMPLETE');
    assert.equal(asked('/shaky/4'), 5);
  });

  it('waits for a server that comes up later', async () => {
    const port = await freePort();
    const answer = await platform.photos(tokens, [`http://127.0.0.1:${port}/slide.jpg`]);
    const { publish_id } = answer.json.data;
    assert.equal((await platform.status(tokens, publish_id)).status, 'PROCESSING_DOWNLOAD');
    const late = new OtherServer((_path, response) => response.end(JPEG));
    await late.start(port);
    assert.equal((await platform.settled(tokens, publish_id)).status, 'PUBLISH_COMPLETE');
    await late.stop();
  });

  for (const path of ['/status/403', '/status/404', '/status/410', '/moved'])
    it(`fails at once on ${path}`, async () => {
      const status = await platform.settled(tokens, await photos('/slide.jpg', path, '/status/400'));
      assert.deepEqual([status.status, status.fail_reason], ['FAILED', 'photo_pull_failed']);
      assert.equal(asked(path), 1);
      assert.equal(asked('/status/400'), 0, 'what comes after is not asked for');
    });

  it('fails on photos of more than 20 MB, and names videos otherwise', async () => {
    assert.equal((await platform.settled(tokens, await photos('/huge'))).fail_reason, 'photo_pull_failed');
    const { json } = await platform.api('inbox/video/init', tokens, {
      source_info: { source: 'PULL_FROM_URL', video_url: `${files.url}/status/404` },
    });
    const status = await platform.settled(tokens, json.data.publish_id);
    assert.equal(status.fail_reason, 'video_pull_failed');
  });

  it('can be cancelled while it runs, and only by its owner', async () => {
    const publish_id = await photos('/hang');
    await until('it is asked for', () => asked('/hang') > 0);
    const other = await platform.connect('bob');
    assert.deepEqual(refused(await platform.api('cancel', other, { publish_id })), [
      400,
      'token_not_authorized_for_specified_publish_id',
    ]);
    const { status, json } = await platform.api('cancel', tokens, { publish_id });
    assert.deepEqual([status, Object.keys(json), json.error.code], [200, ['error'], 'ok']);
    const after = await platform.status(tokens, publish_id);
    assert.deepEqual([after.status, after.fail_reason], ['FAILED', 'publish_cancelled']);
    assert.deepEqual(refused(await platform.api('cancel', tokens, { publish_id })), [
      400,
      'publish_not_cancellable',
    ]);
  });

  it('is the only thing that can be cancelled', async () => {
    const { publish_id } = await platform.initUpload(tokens, 10);
    assert.deepEqual(refused(await platform.api('cancel', tokens, { publish_id })), [
      400,
      'publish_not_cancellable',
    ]);
    const unknown = await platform.api('cancel', tokens, { publish_id: 'v_pub_url~v2.1' });
    assert.deepEqual(refused(unknown), [400, 'invalid_params']);
    assert.equal(unknown.json.error.message, 'invalid_publish_id');
  });
});

describe('pulling with a short timeout', () => {
  const platform = usePlatform({ pullTimeoutMs: 300 });

  it('fails when the server never answers', async () => {
    const tokens = await platform.connect('ada');
    const answer = await platform.photos(tokens, [`http://127.0.0.1:${await freePort()}/slide.jpg`]);
    const status = await platform.settled(tokens, answer.json.data.publish_id);
    assert.equal(status.fail_reason, 'photo_pull_failed');
  });
});
