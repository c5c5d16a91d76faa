// A platform that does not tell the truth: nothing counts as published without a final success, and nothing is sent again
// unless it certainly was not published.
import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import type { PostRow } from '../../src/db/tables.js';
import {
  DRIP,
  error,
  FaultyPlatformProxy,
  json,
  type Lie,
  ok,
  PAGE,
  raw,
} from '../support/platform/faulty-platform-proxy.js';
import { everyday, onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { type Creator, STEP_MS, useWorld } from '../support/world/world.js';

const HOUR_MS = 3_600_000;

const FIVE_MB = raw(
  200,
  JSON.stringify({
    data: { publish_id: 'x', status: 'PUBLISH_COMPLETE' },
    error: { code: 'ok' },
    more: 'x'.repeat(5_000_000),
  }),
);
const status = (word: unknown, more: object = {}) => ok({ status: word, ...more });
const failed = (fail_reason?: string) => status('FAILED', { fail_reason });
const PROCESSING = status('PROCESSING_DOWNLOAD');
const COMPLETE = status('PUBLISH_COMPLETE', { publicaly_available_post_id: [7] });

onEngines('sqlite', 'A platform that lies', (engine) => {
  const liar = new FaultyPlatformProxy({
    url: () => world.platform.url,
    quiet: () => world.waitForPlatform(creator.username),
  });
  const world = useWorld(engine, {
    env: () => ({ SOCIAL_API_URL: liar.url, SOCIAL_AUTH_URL: `${world.platform.url}/v2/auth/authorize/` }),
  });
  let creator: Creator;
  beforeEach(async () => {
    liar.reset();
    creator = await world.creator();
    liar.asked = [];
  });

  /** A scheduled post, and the run that sends it. */
  async function sent(type: PostRow['post_type'], tales: FaultyPlatformProxy['lies']): Promise<string> {
    const id = await world.scheduled(creator, type);
    liar.lies = tales;
    await world.engine.publish();
    if (tales.init?.includes(DRIP)) await cutDrip();
    await world.engine.idle();
    return id;
  }

  /** Moves the clock to the deadline when one byte has come and no other will. */
  async function cutDrip(): Promise<void> {
    await until('it is told', () => liar.told.includes(DRIP));
    world.expireDeadlines();
  }

  async function ask(times = 1): Promise<void> {
    for (let i = 0; i < times; i++) {
      world.advance(STEP_MS);
      await world.engine.poll();
      await world.engine.idle();
    }
  }

  const INIT_LIES: [title: string, lie: Lie][] = [
    ['200 without an id', ok({})],
    ['a page', PAGE],
    ['nothing', raw(200, '')],
    ['5 MB', FIVE_MB],
    ['one byte and no more', DRIP],
    ['a redirect', raw(302, '', { location: '/elsewhere' })],
    ['an id that is no text', ok({ publish_id: 7, upload_url: 7 })],
  ];

  for (const type of ['slides', 'video'] as const)
    for (const [title, lie] of everyday(2, INIT_LIES.slice(type === 'slides' ? 0 : 3), type))
      it(`${title} to the init of ${type}, and nothing was taken: withdrawn, and sent again later`, async () => {
        const id = await sent(type, { init: [lie] });
        assert.deepEqual(await world.outcomesOf(creator, id), ['scheduled', 'failed']);
        liar.lies = {};
        await world.finish(creator);
        assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'failed', 'published']);
        assert.equal((await world.acceptedInits(creator.username)).length, 1);
      });

  for (const [title, lie] of everyday(2, INIT_LIES, 'fetched'))
    it(`${title} to the init of slides, though they were fetched: unknown, and never sent again`, async () => {
      liar.isTrueAllTheSame = true;
      const id = await sent('slides', { init: [lie] });
      liar.lies = {};
      for (let hours = 0; hours < 3; hours++) {
        world.advance(HOUR_MS);
        await world.runOnce();
      }
      assert.deepEqual(await world.outcomesOf(creator, id), ['publishing', 'unknown']);
      assert.match(String(await world.errorOf(creator, id)), /^The outcome is unknown: .*\(\w+\)$/);
      assert.equal(liar.inits, 1);
      assert.equal((await world.live(creator.username)).length, 1);
    });

  it('200 with an error to the init: refused, and not retried', async () => {
    const id = await sent('slides', { init: [error('spam_risk')] });
    await world.finish(creator);
    assert.deepEqual(await world.outcomesOf(creator, id), ['draft', 'failed']);
    assert.match(String(await world.errorOf(creator, id)), /\(spam_risk\)$/);
    assert.equal(liar.inits, 1);
  });

  it('a wrong id to the init: the outcome is unknown, and nothing is sent again', async () => {
    liar.isTrueAllTheSame = true;
    const id = await sent('slides', { init: [ok({ publish_id: 'p_pub_url~v2.1' })] });
    liar.lies = {};
    await ask(3);
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
    world.advance(24 * HOUR_MS);
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['publishing', 'unknown']);
    assert.equal(liar.inits, 1);
  });

  const NOT_FINAL: [title: string, lie: Lie][] = [
    ['an unknown word', status('MODERATING')],
    ['the right word in small letters', status('publish_complete')],
    ['a list of words', status(['PUBLISH_COMPLETE'])],
    ['no word', ok({})],
    ['a page', PAGE],
    ['5 MB', FIVE_MB],
    ['500 with a success', json({ data: { status: 'PUBLISH_COMPLETE' }, error: { code: 'ok' } }, 500)],
    [
      'an error with a success',
      json({ data: { status: 'PUBLISH_COMPLETE' }, error: { code: 'internal_error' } }),
    ],
    ['that it does not know the id, as a code', error('invalid_publish_id', 400)],
    ['that it does not know the id, as a message', error('invalid_params', 400, 'invalid_publish_id')],
    ['that it is another creator’s', error('token_not_authorized_for_specified_publish_id', 400)],
  ];

  for (const [title, lie] of everyday(5, NOT_FINAL, 'not final'))
    it(`${title} as the status is not final: polled again until the platform reports an outcome`, async () => {
      const id = await sent('slides', { status: [lie] });
      await world.waitForPlatform(creator.username);
      await ask(3);
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
      liar.lies = {};
      await ask();
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
      assert.equal(liar.inits, 1);
    });

  it('one byte as the status, and no more: cut off at the deadline, polled again', async () => {
    const id = await sent('slides', {});
    await world.waitForPlatform(creator.username);
    liar.lies = { status: [DRIP] };
    world.advance(STEP_MS);
    await world.engine.poll();
    await cutDrip();
    await world.engine.idle();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
    liar.lies = {};
    await ask();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
  });

  it('complete without the id of a post: published, without an address', async () => {
    const id = await sent('slides', {
      status: [status('PUBLISH_COMPLETE', { publicaly_available_post_id: [] })],
    });
    await ask();
    const { json: publishStatus } = await creator.org.call('GET', `/api/v1/posts/${id}/publish-status`);
    assert.deepEqual([publishStatus.data.status, publishStatus.data.post_url], ['published', null]);
  });

  it('failed for an unknown reason: a draft that says so, and not retried', async () => {
    const id = await sent('slides', { status: [failed('something_new')] });
    await world.finish(creator);
    assert.deepEqual(await world.outcomesOf(creator, id), ['draft', 'failed']);
    assert.match(String(await world.errorOf(creator, id)), /\(something_new\)$/);
    assert.equal(liar.inits, 1);
  });

  it('failed, then complete: the late success counts', async () => {
    const id = await sent('slides', { status: [failed('spam_risk'), COMPLETE] });
    await ask();
    assert.deepEqual(await world.outcomesOf(creator, id), ['draft', 'failed']);
    const [{ publish_id } = { publish_id: '' }] = await world.attempts(id);
    assert.equal((await world.webhook('post.publish.complete', { publish_id })).status, 200);
    await ask();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
    assert.equal(await world.errorOf(creator, id), null);
    assert.equal(liar.inits, 1);
  });

  it('complete, then failed: published stays published, and polling has ended', async () => {
    const id = await sent('slides', { status: [COMPLETE, failed('internal')] });
    await ask();
    const before = await world.attempts(id);
    const [{ publish_id } = { publish_id: '' }] = before;
    await world.webhook('post.publish.failed', { publish_id, reason: 'internal' });
    await ask(2);
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
    assert.deepEqual(await world.attempts(id), before, 'it is not asked about again');
    assert.equal(liar.inits, 1);
  });

  it('processing for 24 hours: unknown, not failed and not sent again; and then complete', async () => {
    const id = await sent('slides', { status: [PROCESSING] });
    for (let hours = 0; hours < 24; hours += 4) {
      world.advance(4 * HOUR_MS - 1000);
      await world.runOnce();
      if (hours < 20)
        assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted'], `${hours} hours`);
    }
    world.advance(HOUR_MS);
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['publishing', 'unknown']);
    assert.match(String(await world.errorOf(creator, id)), /\(no_final_status\)$/);
    const { json: publishStatus } = await creator.org.call('GET', `/api/v1/posts/${id}/publish-status`);
    assert.equal(publishStatus.data.status, 'unknown');
    liar.lies = {};
    world.advance(2 * HOUR_MS);
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
    assert.equal(await world.errorOf(creator, id), null);
    assert.equal(liar.inits, 1);
  });

  /** An init whose upload URL leads to this test, not to the platform. */
  const uploadHere = () => ok({ publish_id: 'v_pub_file~v2-1.7', upload_url: `${liar.url}/upload/?id=7` });
  const bytes = (uploaded_bytes: number) => status('PROCESSING_UPLOAD', { uploaded_bytes });

  it('201 for an incomplete upload: never sent again, and in the end unknown', async () => {
    const id = await sent('video', { init: [uploadHere()], upload: [raw(201, '')], status: [bytes(10)] });
    await world.runOnce();
    for (const hours of [0, 1, 4]) {
      world.advance(hours * HOUR_MS + STEP_MS);
      await world.runOnce();
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted'], `${hours} hours`);
    }
    world.advance(24 * HOUR_MS);
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['publishing', 'unknown']);
    assert.deepEqual([liar.inits, liar.asked.filter((call) => call === 'upload').length], [1, 1]);
  });

  it('416 for ever, and nothing arrives: the same upload for an hour, then a new attempt', async () => {
    const lost = raw(416, '', { 'content-range': 'bytes */38566' });
    const id = await sent('video', { init: [uploadHere()], upload: [lost], status: [bytes(0)] });
    for (const minutes of [0, 10, 40]) {
      world.advance(minutes * 60_000 + STEP_MS);
      await world.runOnce();
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted'], `${minutes} minutes`);
    }
    assert.equal(liar.inits, 1);
    world.advance(20 * 60_000);
    await world.runOnce();
    await ask();
    assert.deepEqual(await world.outcomesOf(creator, id), ['scheduled', 'failed']);
    liar.lies = {};
    await world.finish(creator);
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'failed', 'published']);
  });

  it('400 to a chunk, while the status says complete: the status is believed', async () => {
    const id = await sent('video', { init: [uploadHere()], upload: [raw(400, '')], status: [COMPLETE] });
    await world.runOnce();
    assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'published']);
    assert.equal(liar.inits, 1);
  });

  for (const [title, call, lie] of [
    ['a page about the creator', 'creator', PAGE],
    ['a creator without a name', 'creator', ok({ privacy_level_options: [] })],
    ['a page instead of tokens', 'token', PAGE],
    ['half a token', 'token', json({ access_token: 'a', expires_in: 10 })],
  ] as const)
    it(`${title}: certainly nothing was taken, and it is retried`, async () => {
      await world.platform.control('expire_tokens', { username: creator.username });
      const id = await sent('slides', { [call]: [lie] });
      assert.deepEqual(await world.outcomesOf(creator, id), ['scheduled', 'failed']);
      assert.equal(liar.inits, 0);
      liar.lies = {};
      await world.finish(creator);
      assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'failed', 'published']);
    });
});
