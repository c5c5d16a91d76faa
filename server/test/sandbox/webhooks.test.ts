// Webhooks: the meaning of each event, signatures, and delivery at least once.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { fixture } from '../support/media/parts.js';
import {
  CLIENT,
  type OtherServer,
  TestPlatform,
  useOther,
  usePlatform,
} from '../support/platform/test-platform.js';
import { until } from '../support/runner/until.js';

const CLIP = fixture('tiny.mp4');
const EVENT = 'post.publish.';

describe('webhooks', () => {
  let failing = 0;
  const receiver = useOther((_path, response) => response.writeHead(failing-- > 0 ? 500 : 200).end());
  const platform = usePlatform({ webhookUrl: () => `${receiver.url}/hook` });
  beforeEach(() => {
    receiver.seen.length = 0;
    failing = 0;
  });
  const received = (count: number) => eventsAt(receiver, count);

  it('report a public post: complete, and publicly available with its id as text', async () => {
    const tokens = await platform.connect('ada');
    const publish_id = await platform.upload(tokens, CLIP);
    const events = sorted(await received(2));
    assert.deepEqual(
      events.map(({ event }) => event),
      [`${EVENT}complete`, `${EVENT}publicly_available`],
    );
    for (const { client_key, user_openid, create_time } of events) {
      assert.equal(client_key, CLIENT.client_key);
      assert.equal(user_openid, tokens.open_id);
      assert.ok(Math.abs(create_time - Date.now() / 1000) < 60);
    }
    assert.deepEqual(events[0]?.content, { publish_id, publish_type: 'DIRECT_PUBLISH' });
    const { post_id, ...rest } = (events[1] as Event).content as { post_id: string };
    assert.deepEqual(rest, { publish_id, publish_type: 'DIRECT_PUBLISH' });
    assert.match(post_id, /^7\d{18}$/);
    const status = await platform.api('status/fetch', tokens, { publish_id });
    assert.ok(status.text.includes(`[${post_id}]`), 'the same id in the status');
  });

  it('report that a private post is complete, and why an invalid one failed', async () => {
    const tokens = await platform.connect('ada');
    await platform.upload(tokens, CLIP, { post_info: { privacy_level: 'SELF_ONLY' } });
    const [complete] = await received(1);
    assert.equal(complete?.event, `${EVENT}complete`);
    const publish_id = await platform.upload(tokens, Buffer.from('text'));
    const [, failed] = await received(2);
    assert.equal(failed?.event, `${EVENT}failed`);
    assert.deepEqual(failed?.content, {
      publish_id,
      publish_type: 'DIRECT_PUBLISH',
      reason: 'file_format_check_failed',
    });
  });

  it('report a draft: delivered, later complete', async () => {
    const tokens = await platform.connect('ada');
    const { json } = await platform.api('inbox/video/init', tokens, {
      source_info: {
        source: 'FILE_UPLOAD',
        video_size: CLIP.length,
        chunk_size: CLIP.length,
        total_chunk_count: 1,
      },
    });
    await platform.put(json.data.upload_url, CLIP, 0, CLIP.length);
    const [delivered] = await received(1);
    assert.equal(delivered?.event, `${EVENT}inbox_delivered`);
    const about = { publish_id: json.data.publish_id, publish_type: 'INBOX_SHARE' };
    assert.deepEqual(delivered?.content, about);
    await platform.control('post_draft', { publish_id: json.data.publish_id });
    const [complete] = sorted(await received(3));
    assert.equal(complete?.event, `${EVENT}complete`);
    assert.deepEqual(complete?.content, about);
  });

  it('report that access was removed, and by whom; open posts fail', async () => {
    const tokens = await platform.connect('bob');
    const { publish_id } = await platform.initUpload(tokens, 10);
    await platform.form('/v2/oauth/revoke/', { ...CLIENT, token: tokens.access_token });
    const events = await received(2);
    assert.deepEqual(events.map(({ event, content }) => [event, content]).sort(), [
      ['authorization.removed', { reason: 5 }],
      [`${EVENT}failed`, { publish_id, publish_type: 'DIRECT_PUBLISH', reason: 'auth_removed' }],
    ]);
    await platform.connect('bob');
    await platform.control('remove_authorization', { username: 'bob' });
    const [, , byPerson] = await received(3);
    assert.deepEqual(byPerson?.content, { reason: 1 });
  });

  it('are signed over the exact bytes', async () => {
    const tokens = await platform.connect('ada');
    await platform.upload(tokens, Buffer.from('text'));
    await received(1);
    const { headers, body } = receiver.seen[0] as OtherServer['seen'][number];
    const [, t, s] = /^t=(\d+),s=([0-9a-f]{64})$/.exec(String(headers['tiktok-signature'])) ?? [];
    assert.equal(createHmac('sha256', CLIENT.client_secret).update(`${t}.${body}`).digest('hex'), s);
    assert.match(String(headers['content-type']), /^application\/json/);
  });

  it('are repeated until they are accepted', async () => {
    failing = 1;
    const tokens = await platform.connect('ada');
    await platform.upload(tokens, Buffer.from('text'));
    const [first, second] = await received(2);
    assert.deepEqual(first, second);
    await until('it counts as delivered', async () => {
      const { json } = await platform.request('GET', '/__control/webhooks');
      return json.data.at(-1).state === 'delivered' && json.data.at(-1).attempts === 2;
    });
  });

  it('sends every webhook twice when webhook_copies is 2', async () => {
    await platform.control('settings', { webhook_copies: 2 });
    const tokens = await platform.connect('ada');
    await platform.upload(tokens, Buffer.from('text'));
    const [first, second] = await received(2);
    assert.deepEqual(first, second);
    await platform.control('settings', { webhook_copies: 1 });
  });
});

describe('webhooks across a restart', () => {
  const receiver = useOther((_path, response) => response.end());

  it('that were not accepted come afterwards', async () => {
    const nowhere = () => 'http://127.0.0.1:9/hook';
    const platform = await new TestPlatform().start({ webhookUrl: nowhere });
    try {
      await platform.upload(await platform.connect('ada'), Buffer.from('text'));
      await until('it was tried', async () => {
        const { json } = await platform.request('GET', '/__control/webhooks');
        return json.data[0]?.attempts > 0;
      });
      await platform.restart({ webhookUrl: () => receiver.url });
      const [event] = await eventsAt(receiver, 1);
      assert.equal(event?.event, `${EVENT}failed`);
    } finally {
      await platform.stop();
    }
  });
});

/** They may arrive out of order. */
const sorted = (events: Event[]) => events.toSorted((a, b) => a.event.localeCompare(b.event));

interface Event {
  event: string;
  client_key: string;
  user_openid: string;
  create_time: number;
  content: object;
}

async function eventsAt(receiver: OtherServer, count: number): Promise<Event[]> {
  await until(`${count} webhooks`, () => receiver.seen.length >= count);
  return receiver.seen.map(({ body }) => {
    const event = JSON.parse(body);
    assert.equal(typeof event.content, 'string');
    return { ...event, content: JSON.parse(event.content) };
  });
}
