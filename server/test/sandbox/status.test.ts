// What the status endpoint reports, and the quirks that break real clients.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fixture } from '../support/media/parts.js';
import { refused, type Tokens, usePlatform } from '../support/platform/test-platform.js';

const CLIP = fixture('tiny.mp4');

describe('the status', () => {
  const platform = usePlatform();
  let tokens: Tokens;
  before(async () => {
    tokens = await platform.connect('ada');
  });
  const fetchStatus = (publish_id: string, who = tokens) => platform.api('status/fetch', who, { publish_id });
  const published = async (privacy_level = 'PUBLIC_TO_EVERYONE') => {
    const id = await platform.upload(tokens, CLIP, { post_info: { privacy_level } });
    await platform.settled(tokens, id);
    return id;
  };
  const idsIn = (text: string) =>
    /"publicaly_available_post_id":\[([^\]]*)\]/.exec(text)?.[1]?.split(',') ?? null;

  it('of a public post has its id, as a number that JavaScript cannot hold', async () => {
    const { status, text, json } = await fetchStatus(await published());
    assert.equal(status, 200);
    assert.equal(json.data.status, 'PUBLISH_COMPLETE');
    const [id = ''] = idsIn(text) ?? [];
    assert.match(id, /^7\d{18}$/);
    assert.ok(BigInt(id) > 2n ** 53n && BigInt(id) < 2n ** 63n);
  });

  it('of any other post has no id', async () => {
    for (const level of ['MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY'])
      assert.deepEqual((await fetchStatus(await published(level))).json.data, {
        status: 'PUBLISH_COMPLETE',
        publicaly_available_post_id: [],
        uploaded_bytes: CLIP.length,
      });
  });

  it('may get the id later, or never, if told so', async () => {
    await platform.control('settings', { post_ids: 'later' });
    const id = await platform.upload(tokens, CLIP);
    assert.deepEqual((await platform.settled(tokens, id)).publicaly_available_post_id, []);
    assert.equal((await platform.status(tokens, id)).publicaly_available_post_id.length, 1);
    await platform.control('settings', { post_ids: 'never' });
    assert.deepEqual((await platform.status(tokens, id)).publicaly_available_post_id, []);
    await platform.control('settings', { post_ids: 'at_once' });
  });

  it('of a failed post is a successful response', async () => {
    const { status, json } = await fetchStatus(await publishedBadly());
    assert.equal(status, 200);
    assert.equal(json.error.code, 'ok');
    assert.deepEqual(json.data, {
      status: 'FAILED',
      fail_reason: 'file_format_check_failed',
      publicaly_available_post_id: [],
      uploaded_bytes: 4,
    });
  });
  const publishedBadly = async () => {
    const id = await platform.upload(tokens, Buffer.from('text'));
    await platform.settled(tokens, id);
    return id;
  };

  it('of an unknown id is refused with code invalid_params and message invalid_publish_id', async () => {
    for (const id of ['v_pub_file~v2-1.7000000000000000000', '', 'x']) {
      const answer = await fetchStatus(id);
      assert.deepEqual(refused(answer), [400, 'invalid_params']);
      assert.equal(answer.json.error.message, 'invalid_publish_id');
    }
  });

  it('of another creator’s post is refused', async () => {
    const { publish_id } = await platform.initUpload(tokens, 10);
    const other = await platform.connect('bob');
    assert.deepEqual(refused(await fetchStatus(publish_id, other)), [
      400,
      'token_not_authorized_for_specified_publish_id',
    ]);
  });

  it('may be unknown right after the init, if told so', async () => {
    await platform.control('settings', { unknown_after_init: 2 });
    const { publish_id } = await platform.initUpload(tokens, 10);
    for (const status of [400, 400, 200, 200]) assert.equal((await fetchStatus(publish_id)).status, status);
    await platform.control('settings', { unknown_after_init: 0 });
  });

  it('of a draft is in the inbox, until its creator posts it', async () => {
    const answer = await platform.api('inbox/video/init', tokens, {
      source_info: {
        source: 'FILE_UPLOAD',
        video_size: CLIP.length,
        chunk_size: CLIP.length,
        total_chunk_count: 1,
      },
    });
    const { publish_id, upload_url } = answer.json.data;
    await platform.put(upload_url, CLIP, 0, CLIP.length);
    assert.equal((await platform.settled(tokens, publish_id)).status, 'SEND_TO_USER_INBOX');
    await platform.control('post_draft', { publish_id });
    const after = await fetchStatus(publish_id);
    assert.equal(after.json.data.status, 'PUBLISH_COMPLETE');
    assert.equal(idsIn(after.text)?.length, 1);
  });
});
