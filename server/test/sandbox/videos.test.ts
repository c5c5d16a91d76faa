// Reading back: the list of a creator's public posts, and their figures.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fixture } from '../support/media/parts.js';
import { refused, SCOPES, type Tokens, useOther, usePlatform } from '../support/platform/test-platform.js';

const CLIP = fixture('tiny.mp4');
const DAY_MS = 86_400_000;
const FIGURES = 'view_count,like_count,comment_count,share_count';
const ALL = `id,create_time,cover_image_url,share_url,video_description,duration,height,width,title,embed_html,embed_link,${FIGURES}`;

describe('the videos of a creator', () => {
  const platform = usePlatform();
  const files = useOther((_path, response) => response.end(fixture('slide.jpg')));
  let tokens: Tokens;
  let other: Tokens;
  /** Before anything was published. */
  let begunMs = 0;
  before(async () => {
    tokens = await platform.connect('ada', `${SCOPES},video.list,user.info.stats`);
    other = await platform.connect('bob', `${SCOPES},video.list`);
  });

  const read = (path: 'list' | 'query', fields: string, body?: object, who = tokens) =>
    platform.request('POST', `/v2/video/${path}/?fields=${fields}`, {
      key: who.access_token,
      ...(body === undefined ? {} : { body }),
    });
  const list = async (fields: string, body?: object) => (await read('list', fields, body)).json.data;
  const publish = async (who: Tokens, title: string, privacy_level = 'PUBLIC_TO_EVERYONE') =>
    platform.settled(who, await platform.upload(who, CLIP, { post_info: { title, privacy_level } }));
  /** Tokens live for two hours. */
  const advance = async (ms: number) => {
    platform.clock.advance(ms);
    const { refresh_token } = tokens;
    tokens = (await platform.token({ grant_type: 'refresh_token', refresh_token })).json;
  };
  const titles = (videos: { title: string }[]) => videos.map(({ title }) => title);

  it("are those that are public, and no other account's, newest first", async () => {
    assert.deepEqual(await list('id'), { videos: [], cursor: 0, has_more: false });
    begunMs = platform.clock.now();
    for (const title of ['one', 'two', 'three']) await publish(tokens, title);
    await publish(tokens, 'private', 'SELF_ONLY');
    await publish(other, 'foreign');
    assert.deepEqual(titles((await list('id,title')).videos), ['three', 'two', 'one']);
  });

  it('have all documented fields, and exactly those that were asked for', async () => {
    const { videos } = await list(ALL, { max_count: 1 });
    const [video] = videos;
    assert.deepEqual(Object.keys(video), ALL.split(','));
    assert.match(video.id, /^7\d{18}$/);
    const seconds = [begunMs, platform.clock.now()].map((ms) => Math.floor(ms / 1000)) as [number, number];
    assert.ok(seconds[0] <= video.create_time && video.create_time <= seconds[1], String(video.create_time));
    assert.equal(video.video_description, 'three');
    assert.ok(video.width >= 360 && video.height >= 360 && video.duration >= 1, JSON.stringify(video));
    assert.match((await platform.request('GET', new URL(video.share_url).pathname)).text, /three/);
    assert.deepEqual(Object.keys((await list('title', { max_count: 1 })).videos[0]), ['title']);
  });

  it('come in pages, even if they were published in the same millisecond', async () => {
    const found: { id: string; title: string }[] = [];
    let cursor: number | undefined;
    for (let more = true; more; ) {
      const page = await list('id,title', { max_count: 1, ...(cursor === undefined ? {} : { cursor }) });
      assert.equal(page.videos.length, 1);
      found.push(...page.videos);
      ({ cursor, has_more: more } = page);
    }
    assert.deepEqual(titles(found), ['three', 'two', 'one']);
  });

  it('are found by id, up to 20 at a time; others are left out', async () => {
    const { videos } = await list('id,title');
    const { videos: foreign } = (await read('list', 'id', {}, other)).json.data;
    const video_ids = [videos[2].id, videos[0].id, foreign[0].id, '7000000000000000000'];
    const found = (await read('query', 'title', { filters: { video_ids } })).json.data;
    assert.deepEqual(titles(found.videos), ['three', 'one']);
    const many = (n: number) => ({ filters: { video_ids: Array.from({ length: n }, () => videos[0].id) } });
    assert.equal((await read('query', 'id', many(20))).status, 200);
    for (const body of [many(0), many(21), {}, { filters: { video_ids: [1] } }, { filters: [] }])
      assert.deepEqual(refused(await read('query', 'id', body)), [400, 'invalid_params']);
  });

  it('include slides, whose cover is their first one', async () => {
    const { publish_id } = (await platform.photos(other, [`${files.url}/1.jpg`])).json.data;
    await platform.settled(other, publish_id);
    const [photo] = (await read('list', 'cover_image_url,share_url,duration', {}, other)).json.data.videos;
    assert.match(photo.share_url, /\/@bob\/photo\/\d+$/);
    assert.equal(photo.duration, 0);
    const cover = await fetch(photo.cover_image_url);
    assert.deepEqual(Buffer.from(await cover.arrayBuffer()), fixture('slide.jpg'));
  });

  it('have a cover for six hours', async () => {
    const [{ cover_image_url: url }] = (await list('cover_image_url')).videos;
    assert.equal((await fetch(url)).headers.get('content-type'), 'image/svg+xml');
    await advance(6 * 3_600_000 + 1_000);
    assert.equal((await fetch(url)).status, 404);
  });

  it('are viewed more and more, and a restart changes no figure', async () => {
    const first = (await list(FIGURES)).videos;
    await advance(2 * DAY_MS);
    // Views come in from moment to moment.
    platform.clock.stopAt(platform.clock.now());
    const later = (await list(FIGURES)).videos;
    for (const [i, figures] of later.entries()) {
      assert.ok(figures.view_count > first[i].view_count);
      assert.ok(figures.like_count >= first[i].like_count && figures.like_count <= figures.view_count);
    }
    await platform.restart();
    assert.deepEqual((await list(FIGURES)).videos, later);
    const info = await platform.request(
      'GET',
      '/v2/user/info/?fields=likes_count,follower_count,video_count',
      {
        key: tokens.access_token,
      },
    );
    const likes = later.reduce((sum: number, { like_count }: { like_count: number }) => sum + like_count, 0);
    assert.equal(info.json.data.user.likes_count, likes);
    platform.clock.resume();
  });

  it('refuse unknown fields, and numbers outside their limits', async () => {
    for (const fields of ['', 'id,', 'secret', 'id, title'])
      assert.deepEqual(
        refused(await read('list', encodeURIComponent(fields))),
        [400, 'invalid_params'],
        fields,
      );
    for (const body of [
      { max_count: 0 },
      { max_count: 21 },
      { max_count: '5' },
      { cursor: -1 },
      { cursor: 'x' },
    ])
      assert.deepEqual(
        refused(await read('list', 'id', body)),
        [400, 'invalid_params'],
        JSON.stringify(body),
      );
  });

  it('need the scope video.list, with a token whose scheme may be in any case', async () => {
    const carol = await platform.connect('carol');
    assert.deepEqual(refused(await read('list', 'id', {}, carol)), [401, 'scope_not_authorized']);
    for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
      const headers = { authorization: `${scheme} ${tokens.access_token}` };
      assert.equal(
        (await platform.request('POST', '/v2/video/list/?fields=id', { headers })).status,
        200,
        scheme,
      );
    }
    const headers = { authorization: `Basic ${tokens.access_token}` };
    const answer = await platform.request('POST', '/v2/video/list/?fields=id', { headers });
    assert.deepEqual(refused(answer), [401, 'access_token_invalid']);
  });
});
