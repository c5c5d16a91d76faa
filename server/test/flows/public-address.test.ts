// A published post whose public address the platform tells only after its moderation.
import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { acquireLease } from '../../src/publishing/attempt/lease.js';
import { ADDRESS_POLLS_MS } from '../../src/publishing/attempt/public-address.js';
import { POOL_LIMITS } from '../../src/publishing/schedule/engine.js';
import { Latch } from '../support/platform/scripted-connector.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { eventsOf } from '../support/service/event-streams.js';
import {
  archive,
  onlyDispatch,
  publish,
  publishStatusOf,
  readPost,
  resolve,
  unarchive,
} from '../support/service/posts.js';
import { type Creator, HOUR_MS, MINUTE_MS, STEP_MS, useWorld } from '../support/world/world.js';

const DAY_MS = 24 * HOUR_MS;
const PUBLIC = 'post.publish.publicly_available';

onEngines('sqlite', 'The public address of a post', (engine) => {
  let polled: string[] = [];
  let answering = Promise.resolve();
  const world = useWorld(engine, {
    connector: (real) => ({
      ...real,
      async observe(...given) {
        polled.push(String(given[1].publishId));
        await answering;
        return real.observe(...given);
      },
    }),
  });
  afterEach(async () => {
    polled = [];
    await world.platform.control('settings', { post_ids: 'at_once' });
    await world.tidy();
  });

  const reconcile = async (engine = world.engine) => {
    await engine.poll();
    await engine.idle();
  };

  /** A post that is published, and whose address the platform does not tell yet. */
  async function published(creator: Creator, post_ids = 'never', type: 'slides' | 'video' = 'slides') {
    await world.platform.control('settings', { post_ids });
    const id = await world.scheduled(creator, type);
    await world.finish(creator);
    const row = await world.dispatchRow(id);
    assert.deepEqual([row.outcome, row.post_url, row.platform_post_id], ['published', null, null]);
    polled = [];
    return { id, row, publishId: String(row.publish_id), publishedAt: Number(row.finished_at) };
  }

  /** Moves the clocks to this time after the publication. */
  const moveTo = (publishedAt: number, ms: number) => world.advance(publishedAt + ms - world.now());

  /** What was told of the post, without what came before it was published. */
  const publicationEvents = async ({ org }: Creator, id: string) =>
    (await eventsOf(org)).filter(({ type, data }) => data.post_id === id && /^post\.pub/.test(type));

  /** The platform has a page for exactly this id, which no JavaScript number holds. */
  async function assertExact({ username }: Creator, kind: 'photo' | 'video', id: string | null) {
    assert.ok(id !== null && BigInt(id) > 2n ** 53n, String(id));
    const page = (name: string) => world.platform.request('GET', `/@${username}/${kind}/${name}`);
    assert.equal((await page(id)).status, 200);
    if (String(Number(id)) !== id) assert.notEqual((await page(String(Number(id)))).status, 200);
  }

  it('is asked for after 1, 5 and 30 minutes, 2, 6 and 24 hours, to the millisecond, and then no more', async () => {
    const creator = await world.creator();
    await world.frozen(async () => {
      const { id, publishId, publishedAt } = await published(creator);
      for (const ms of ADDRESS_POLLS_MS) {
        moveTo(publishedAt, ms - 1);
        await reconcile();
        assert.deepEqual(polled, [], `before ${ms / MINUTE_MS} minutes`);
        world.advance(1);
        await reconcile();
        assert.deepEqual(polled, [publishId], `at ${ms / MINUTE_MS} minutes`);
        polled = [];
      }
      world.advance(30 * DAY_MS);
      await reconcile();
      assert.deepEqual(polled, []);
      assert.equal((await world.dispatchRow(id)).next_at, null);
    });
  });

  for (const type of ['slides', 'video'] as const)
    it(`of ${type} changes two fields of the attempt when it becomes known, with every digit, and is told once`, async () => {
      const creator = await world.creator();
      const { org } = creator;
      const { id, row, publishId } = await published(creator, 'later', type);
      const postBefore = await world.postRow(id);
      const tagBefore = (await org.call('GET', `/api/v1/posts/${id}`)).headers.get('etag');
      const [wireBefore, statusBefore] = [await onlyDispatch(org, id), await publishStatusOf(org, id)];
      assert.deepEqual([wireBefore.post_url, wireBefore.platform_post_id], [null, null]);
      world.advance(STEP_MS);
      await reconcile();
      const after = await world.dispatchRow(id);
      const { platform_post_id, post_url } = after;
      const changed = (Object.keys(row) as (keyof typeof row)[]).filter(
        (column) => after[column] !== row[column],
      );
      // `next_at` and the fence are the engine's own.
      assert.deepEqual(changed.sort(), ['fence', 'next_at', 'platform_post_id', 'post_url']);
      assert.equal(after.next_at, null);
      const kind = type === 'slides' ? 'photo' : 'video';
      await assertExact(creator, kind, platform_post_id);
      assert.ok(post_url?.endsWith(`/@${creator.username}/${kind}/${platform_post_id}`), String(post_url));

      const wire = await onlyDispatch(org, id);
      assert.deepEqual(wire, { ...wireBefore, post_url, platform_post_id });
      assert.deepEqual(await publishStatusOf(org, id), { ...statusBefore, post_url });
      assert.deepEqual(await world.postRow(id), postBefore);
      assert.equal((await org.call('GET', `/api/v1/posts/${id}`)).headers.get('etag'), tagBefore);

      const about = {
        post_id: id,
        dispatch_id: row.id,
        social_account_id: creator.accountId,
        platform: 'tiktok',
      };
      assert.deepEqual(
        (await publicationEvents(creator, id)).map(({ type, data }) => [type, data]),
        [
          ['post.published', { ...about, outcome: 'published', publish_id: publishId, post_url: null }],
          ['post.public', { ...about, publish_id: publishId, post_url, platform_post_id }],
        ],
      );
      world.advance(DAY_MS);
      await reconcile();
      assert.deepEqual(polled, [publishId], 'it is not asked for again');
    });

  it('that came with the publication is not asked for, and told with it', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    await world.finish(creator);
    const { post_url, platform_post_id, next_at } = await world.dispatchRow(id);
    assert.ok(post_url?.endsWith(`/${platform_post_id}`));
    await assertExact(creator, 'photo', platform_post_id);
    assert.equal(next_at, null);
    assert.deepEqual(
      (await publicationEvents(creator, id)).map(({ type, data }) => [type, data.post_url]),
      [['post.published', post_url]],
    );
  });

  it('is asked for when a webhook says that the post is public, also long after the last time', async () => {
    const creator = await world.creator();
    for (const afterMs of [1_000, 40 * DAY_MS]) {
      const { id, publishId, publishedAt } = await published(creator);
      await world.webhook('post.publish.complete', { publish_id: publishId });
      await reconcile();
      assert.deepEqual(polled, [], 'that it was published is known');
      moveTo(publishedAt, Math.max(afterMs, world.now() - publishedAt));
      await reconcile();
      polled = [];
      await world.platform.control('settings', { post_ids: 'at_once' });
      assert.equal((await world.webhook(PUBLIC, { publish_id: publishId, post_id: '1' })).status, 200);
      await reconcile();
      assert.deepEqual(polled, [publishId]);
      const { post_url, platform_post_id } = await world.dispatchRow(id);
      assert.ok(platform_post_id !== null && platform_post_id !== '1', 'the poll counts, not the webhook');
      assert.ok(post_url?.endsWith(platform_post_id));
      assert.deepEqual(
        (await publicationEvents(creator, id)).map(({ type }) => type),
        ['post.published', 'post.public'],
      );
      polled = [];
      await world.webhook(PUBLIC, { publish_id: publishId, post_id: '2' });
      await reconcile();
      assert.deepEqual(polled, [], 'it is known');
    }
  });

  it('is asked for by the next process, whenever the one before stopped', async () => {
    const creator = await world.creator();
    const { id, publishedAt } = await published(creator);
    moveTo(publishedAt, ADDRESS_POLLS_MS[0]);
    // A process takes the attempt and dies.
    assert.ok(await acquireLease(world.app, await world.dispatchRow(id)));
    await world.platform.control('settings', { post_ids: 'at_once' });
    const next = await world.otherEngine();
    await reconcile(next);
    assert.equal((await world.dispatchRow(id)).post_url, null, 'the lease has not ended');
    world.advance(world.app.config.publishing.leaseMs + 1);
    await reconcile(next);
    assert.ok((await world.dispatchRow(id)).post_url);
    assert.deepEqual(
      (await publicationEvents(creator, id)).map(({ type }) => type),
      ['post.published', 'post.public'],
    );
  });

  it('is not asked for if the post is private, unless the platform says that it is public now', async () => {
    const creator = await world.creator();
    const { org, accountId } = creator;
    const id = await world.post(creator);
    await publish(org, id, accountId, { privacy_level: 'SELF_ONLY' });
    await world.finish(creator);
    const row = await world.dispatchRow(id);
    assert.deepEqual([row.outcome, row.post_url, row.next_at], ['published', null, null]);
    polled = [];
    world.advance(2 * DAY_MS);
    await reconcile();
    await world.webhook('post.publish.complete', { publish_id: row.publish_id });
    await reconcile();
    assert.deepEqual(polled, []);
    await world.webhook(PUBLIC, { publish_id: row.publish_id, post_id: '1' });
    await reconcile();
    assert.deepEqual(polled, [row.publish_id]);
    assert.equal((await world.dispatchRow(id)).next_at, null);
  });

  it('of an archived post is found and leaves it archived; of a deleted one it is not asked for', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const archived = await published(creator);
    const gone = await published(creator);
    await archive(org, archived.id, gone.id);
    assert.equal((await org.call('DELETE', `/api/v1/posts/${gone.id}`)).status, 204);
    await world.platform.control('settings', { post_ids: 'at_once' });
    world.advance(HOUR_MS);
    await reconcile();
    assert.deepEqual(polled, [archived.publishId]);
    assert.ok((await onlyDispatch(org, archived.id)).post_url);
    assert.equal((await readPost(org, archived.id)).status, 'archived');
    await unarchive(org, archived.id);
    assert.equal((await readPost(org, archived.id)).status, 'posted');
  });

  it('of a post that a person resolved as posted is not asked for: there is no publish id', async () => {
    const creator = await world.creator();
    const id = await world.post(creator);
    await world.loseAnswerAfterFetch();
    await world.publishNow(creator, id);
    assert.equal((await world.dispatchRow(id)).outcome, 'unknown');
    assert.equal((await resolve(creator.org, id, 'posted')).status, 200);
    polled = [];
    world.advance(2 * DAY_MS);
    await reconcile();
    const { outcome, next_at } = await world.dispatchRow(id);
    assert.deepEqual([outcome, next_at, polled], ['published', null, []]);
  });

  it('waits for a poll about an outcome, however long it has been due', async () => {
    const creator = await world.creator();
    const posts = [];
    for (let n = 0; n < 2 * POOL_LIMITS.poll.perTarget; n++) posts.push(await published(creator));
    await world.platform.control('settings', { post_ids: 'at_once' });
    world.advance(HOUR_MS);
    const id = await world.scheduled(creator);
    await world.engine.publish();
    await world.engine.idle();
    await world.waitForPlatform(creator.username);
    world.advance(STEP_MS);
    const { publish_id } = await world.dispatchRow(id);
    const answers = new Latch();
    answering = answers.opened;
    polled = [];
    try {
      await world.engine.poll();
      await until(
        'as many are asked about as may be',
        async () => polled.length === POOL_LIMITS.poll.perTarget,
      );
      assert.ok(polled.includes(String(publish_id)), 'the outcome is asked for first');
    } finally {
      answers.open();
      answering = Promise.resolve();
      await world.engine.idle();
    }
    await reconcile();
    await reconcile();
    for (const { id } of posts) assert.ok((await world.dispatchRow(id)).post_url);
  });
});
