// The HTML of the page that shows published posts.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fixture } from '../support/media/parts.js';
import { type Tokens, useOther, usePlatform } from '../support/platform/test-platform.js';

const CLIP = fixture('tiny.mp4');

describe('the feed', () => {
  const platform = usePlatform();
  const files = useOther((_path, response) => response.end(fixture('slide.jpg')));
  let tokens: Tokens;
  before(async () => {
    tokens = await platform.connect('ada');
  });
  const page = async () => (await platform.request('GET', '/')).text;

  it('says what to do while it is empty', async () => {
    const { status, text, headers } = await platform.request('GET', '/');
    assert.equal(status, 200);
    assert.match(text, /Nothing published yet/);
    assert.match(text, /Connect a sandbox account/);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.match(text, /name="viewport"/);
  });

  it('runs no script and uses only its own style files', async () => {
    const text = await page();
    assert.doesNotMatch(text, /<style|style="| on[a-z]+="|<script(?! src=)/);
    for (const [, path] of text.matchAll(/(?:src|href)="([^"]+\.(?:css|js))"/g)) {
      const file = await platform.request('GET', path as string);
      assert.equal(file.status, 200);
      assert.match(file.headers.get('content-type') ?? '', /^text\/(css|javascript)/);
    }
  });

  it('shows videos that play, with caption, account and privacy', async () => {
    await platform.settled(
      tokens,
      await platform.upload(tokens, CLIP, {
        post_info: { title: 'Hello <b>world</b> & "friends" #map', privacy_level: 'SELF_ONLY' },
      }),
    );
    const text = await page();
    assert.match(text, /Hello &lt;b&gt;world&lt;\/b&gt; &amp; &quot;friends&quot; #map/);
    assert.match(text, /<b>ada<\/b>/);
    assert.match(text, /Only me/);
    assert.match(text, /Here, anyone on this machine can\./);
    const [, source] = /<video src="([^"]+)"/.exec(text) ?? [];
    const whole = await fetch(platform.url + source);
    assert.equal(whole.headers.get('content-type'), 'video/mp4');
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), CLIP);
    assert.doesNotMatch(text, /Nothing published/);
  });

  it('tells the cover of a post, if it is not the first slide or frame', async () => {
    const video = await platform.upload(tokens, CLIP, {
      post_info: { title: 'Later', privacy_level: 'SELF_ONLY', video_cover_timestamp_ms: 1500 },
    });
    await platform.settled(tokens, video);
    assert.match(await page(), /Cover: at 1\.5 s/);
    assert.doesNotMatch(await page(), /Cover: slide/);
  });

  it('has a page for each post, at its URL', async () => {
    const id = await platform.upload(tokens, CLIP, {
      post_info: { title: 'One of its own', privacy_level: 'PUBLIC_TO_EVERYONE' },
    });
    await platform.settled(tokens, id);
    const { text } = await platform.request('POST', '/v2/post/publish/status/fetch/', {
      headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
      raw: JSON.stringify({ publish_id: id }),
    });
    const [, postId] = /"publicaly_available_post_id":\[(\d+)\]/.exec(text) ?? [];
    const own = await platform.request('GET', `/@ada/video/${postId}`);
    assert.equal(own.status, 200);
    assert.match(own.text, /One of its own/);
    assert.doesNotMatch(own.text, /Hello/);
    for (const path of [`/ada/video/${postId}`, `/@ada/photo/${postId}`, '/@ada/video/1'])
      assert.equal((await platform.request('GET', path)).status, 404, path);
  });

  it('serves media in ranges', async () => {
    const [, source] = /<video src="([^"]+)"/.exec(await page()) ?? [];
    const get = (range: string, method = 'GET') =>
      fetch(platform.url + source, { method, headers: { range } });
    const size = CLIP.length;
    for (const [range, start, end] of [
      ['bytes=0-99', 0, 100],
      ['bytes=100-', 100, size],
      ['bytes=-10', size - 10, size],
      [`bytes=${size - 1}-${size + 10}`, size - 1, size],
    ] as const) {
      const answer = await get(range);
      assert.equal(answer.status, 206, range);
      assert.equal(answer.headers.get('content-range'), `bytes ${start}-${end - 1}/${size}`);
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), CLIP.subarray(start, end));
    }
    assert.equal((await get(`bytes=${size}-`)).status, 416);
    assert.equal((await get('bytes=5-2')).status, 200);
    const head = await get('items=1-2', 'HEAD');
    assert.equal(head.headers.get('content-length'), String(size));
    assert.equal((await fetch(`${platform.url}/media/7000000000000000000/0`)).status, 404);
    assert.equal((await fetch(`${platform.url}/media/..%2f..%2fsandbox.db/0`)).status, 404);
  });

  it('shows carousels with all their slides', async () => {
    const { json } = await platform.photos(tokens, [files.url, files.url, files.url]);
    await platform.settled(tokens, json.data.publish_id);
    const text = await page();
    assert.equal(text.match(/alt="Slide \d of 3"/g)?.length, 3);
    for (const [, source] of text.matchAll(/<img src="([^"]+)" alt="Slide/g)) {
      const answer = await fetch(platform.url + source);
      assert.equal(answer.headers.get('content-type'), 'image/jpeg');
      await answer.arrayBuffer();
    }
  });

  it('shows drafts in the inbox, with a button that posts them', async () => {
    const { json } = await platform.photos(tokens, [files.url], {
      post_mode: 'MEDIA_UPLOAD',
      post_info: { title: 'A draft', description: 'with a description' },
    });
    const { publish_id } = json.data;
    await platform.settled(tokens, publish_id);
    const text = await page();
    assert.match(text, /<h2>Inbox<\/h2>/);
    assert.match(text, /A draft\nwith a description/);
    const [, action] = /<form method="post" action="([^"]+)"><button[^>]*>Post</.exec(text) ?? [];
    const forged = await platform.request('POST', action as string, {
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    assert.equal(forged.status, 404);
    const answer = await platform.request('POST', action as string);
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get('location'), '/');
    assert.equal((await platform.status(tokens, publish_id)).status, 'PUBLISH_COMPLETE');
    assert.doesNotMatch(await page(), /<h2>Inbox<\/h2>/);
    assert.equal((await platform.request('POST', action as string)).status, 404, 'once');
  });

  it('does not show failed posts', async () => {
    const id = await platform.upload(tokens, Buffer.from('text'));
    await platform.settled(tokens, id);
    assert.ok(!(await page()).includes(id));
  });
});
