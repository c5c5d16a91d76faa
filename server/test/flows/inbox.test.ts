// A draft that was sent to the inbox of an account: its creator posts it, or does not.
import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { onEngines } from '../support/runner/test-tiers.js';
import { eventsOf } from '../support/service/event-streams.js';
import {
  archive,
  listIds,
  onlyDispatch,
  published,
  publishStatusOf,
  readPost,
} from '../support/service/posts.js';
import { type Creator, HOUR_MS, MINUTE_MS, STEP_MS, useWorld } from '../support/world/world.js';

onEngines('sqlite', 'A draft in the inbox', (engine) => {
  let polls = 0;
  const world = useWorld(engine, {
    connector: (real) => ({
      ...real,
      observe(...given) {
        polls++;
        return real.observe(...given);
      },
    }),
  });
  afterEach(async () => {
    await world.platform.control('settings', { post_ids: 'at_once' });
    await world.tidy();
  });

  const reconcile = async () => {
    await world.engine.poll();
    await world.engine.idle();
  };

  async function inInbox(creator: Creator): Promise<{ id: string; publishId: string }> {
    const id = await world.post(creator);
    const publishId = await published(creator.org, id, creator.accountId, { mode: 'inbox' });
    await world.finish(creator);
    assert.equal((await onlyDispatch(creator.org, id)).outcome, 'in_inbox');
    return { id, publishId };
  }

  /** The creator posts it, and the platform says so. */
  async function posted(publishId: string): Promise<void> {
    await world.platform.control('post_draft', { publish_id: publishId });
    await world.webhook('post.publish.complete', { publish_id: publishId });
    await reconcile();
  }

  const publishEvents = async ({ org }: Creator, id: string) =>
    (await eventsOf(org))
      .filter(({ type, data }) => data.post_id === id && /^post\.pub/.test(type))
      .map(({ type, data }) => [type, data.outcome, data.post_url]);

  const countsOf = async ({ org }: Creator) => {
    const { posted, archived, in_inbox } = (await org.call('GET', '/api/v1/posts/counts')).json.data;
    return { posted, archived, in_inbox };
  };

  it('is posted by its status, and told apart by `in_inbox`, the filter and the count', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const { id } = await inInbox(creator);
    const direct = await world.scheduled(creator);
    await world.finish(creator);
    const { status, in_inbox, posted_at } = await readPost(org, id);
    assert.deepEqual([status, in_inbox], ['posted', true]);
    assert.notEqual(posted_at, null);
    assert.equal((await readPost(org, direct)).in_inbox, false);
    assert.deepEqual(await listIds(org, { outcome: 'in_inbox' }), [id]);
    assert.deepEqual(await listIds(org, { outcome: 'published' }), [direct]);
    assert.deepEqual(await listIds(org, { status: 'posted', outcome_not: 'in_inbox' }), [direct]);
    assert.deepEqual(await listIds(org, { status: 'posted' }), [direct, id]);
    assert.deepEqual(await countsOf(creator), { posted: 2, archived: 0, in_inbox: 1 });
    assert.deepEqual(await publishEvents(creator, id), [['post.published', 'in_inbox', null]]);
  });

  it('is published once the platform says that it was posted, with its address, and told as public only', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const { id, publishId } = await inInbox(creator);
    const before = await readPost(org, id);
    world.advance(HOUR_MS);
    await posted(publishId);
    const { outcome, post_url, platform_post_id } = await onlyDispatch(org, id);
    assert.equal(outcome, 'published');
    assert.ok(post_url?.endsWith(`/${platform_post_id}`));
    const after = await readPost(org, id);
    assert.deepEqual(after, { ...before, in_inbox: false, updated_at: after.updated_at });
    assert.deepEqual(await countsOf(creator), { posted: 1, archived: 0, in_inbox: 0 });
    assert.deepEqual(await listIds(org, { outcome: 'in_inbox' }), []);
    const events = [
      ['post.published', 'in_inbox', null],
      ['post.public', undefined, post_url],
    ];
    assert.deepEqual(await publishEvents(creator, id), events);
    // The platform repeats this webhook.
    world.advance(MINUTE_MS);
    await world.webhook('post.publish.complete', { publish_id: publishId });
    await reconcile();
    assert.deepEqual(await publishEvents(creator, id), events);
  });

  it('is published without an address if the platform tells none, and the address is told when it does', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const { id, publishId } = await inInbox(creator);
    await world.platform.control('settings', { post_ids: 'never' });
    await posted(publishId);
    const { outcome, post_url } = await onlyDispatch(org, id);
    assert.deepEqual([outcome, post_url], ['published', null]);
    const first = [
      ['post.published', 'in_inbox', null],
      ['post.public', undefined, null],
    ];
    assert.deepEqual(await publishEvents(creator, id), first);
    await world.platform.control('settings', { post_ids: 'at_once' });
    world.advance(STEP_MS);
    await reconcile();
    const known = await onlyDispatch(org, id);
    assert.ok(known.post_url);
    assert.deepEqual(await publishEvents(creator, id), [
      ...first,
      ['post.public', undefined, known.post_url],
    ]);
  });

  it('is asked about by publish-status, so that an installation without webhooks learns of it too', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const { id, publishId } = await inInbox(creator);
    const before = await onlyDispatch(org, id);
    world.advance(STEP_MS);
    polls = 0;
    assert.equal((await publishStatusOf(org, id)).status, 'in_inbox');
    assert.equal((await publishStatusOf(org, id)).status, 'in_inbox');
    assert.equal(polls, 1, 'an answer counts for five seconds');
    assert.deepEqual(await onlyDispatch(org, id), before, 'and changes nothing');
    await world.platform.control('post_draft', { publish_id: publishId });
    world.advance(STEP_MS);
    assert.equal((await publishStatusOf(org, id)).status, 'published');
  });

  it('that is archived leaves the count, and is published in the archive if it is posted', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const { id, publishId } = await inInbox(creator);
    await archive(org, id);
    assert.deepEqual(await countsOf(creator), { posted: 0, archived: 1, in_inbox: 0 });
    assert.deepEqual(await listIds(org, { outcome: 'in_inbox' }), [id], 'its last attempt is what it was');
    await posted(publishId);
    const { status, in_inbox } = await readPost(org, id);
    assert.deepEqual([status, in_inbox], ['archived', false]);
    assert.deepEqual(await listIds(org, { outcome: 'published' }), [id]);
    assert.deepEqual(await countsOf(creator), { posted: 0, archived: 1, in_inbox: 0 });
  });
});
