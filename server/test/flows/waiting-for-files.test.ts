// Scheduled posts whose files are fetched: how long they wait, what ends it, and who is told.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { repairSchedule } from '../../src/publishing/attempt/repair.js';
import { checkUpcomingPosts } from '../../src/publishing/schedule/at-risk.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { eventsOf } from '../support/service/event-streams.js';
import { answering, FETCHING, useFileHost } from '../support/service/fetched-files.js';
import type { Organization } from '../support/service/harness.js';
import { fileOf, imported } from '../support/service/import-files.js';
import {
  assertProblem,
  assertTold,
  at,
  changePost,
  listIds,
  onlyDispatch,
  readPost,
} from '../support/service/posts.js';
import { listAssets, upload } from '../support/service/uploads.js';
import { type Creator, HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

const DAY_MS = 24 * HOUR_MS;

onEngines('sqlite', 'A scheduled post whose files are fetched', (engine) => {
  const world = useTidyWorld(engine, { env: { ...FETCHING, SCHEDULE_MIN_LEAD_SECONDS: '0' } });
  const host = useFileHost(() => world.app);
  let made = 0;

  /** Booked, with a slide that is ready and files that are to be fetched. */
  async function booked(creator: Creator, paths: string[], inMs = HOUR_MS): Promise<string> {
    const { org, accountId } = creator;
    const post = await org.addPost();
    await upload(org, post, 'small.jpg');
    for (const path of paths) {
      const url = host.serve(path, answering(404));
      const answer = await org.call('POST', `/api/v1/posts/${post}/assets/import`, { url });
      assert.equal(answer.status, 202, answer.text);
    }
    await changePost(org, post, {
      status: 'scheduled',
      scheduled_at: at(world.now() + inMs),
      social_account_id: accountId,
      privacy_level: 'SELF_ONLY',
    });
    return post;
  }
  const newPath = () => `/waited/${++made}.jpg`;
  const pendingKeys = async (org: Organization, post: string) =>
    (await org.sdk.posts.assets.list(post)).pending.map(({ object_key }) => object_key);
  const remove = async (org: Organization, post: string, key = '') =>
    assert.equal((await org.call('DELETE', `/api/v1/posts/${post}/assets?object_key=${key}`)).status, 204);
  const problemsOf = async (org: Organization, post: string) =>
    (await org.call('GET', `/api/v1/posts/${post}?include=readiness`)).json.data.readiness.problems;
  const eventData = async (org: Organization, type: string) =>
    (await eventsOf(org)).filter((event) => event.type === type).map(({ data }) => data);
  const slides = async ({ username }: Creator) =>
    (await world.acceptedInits(username)).map(({ request }) => request.source_info.photo_images.length);

  it('waits, says so once, and goes out as soon as the last file is there', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const [first, second] = [newPath(), newPath()];
    const post = await booked(creator, [first, second]);
    world.advance(HOUR_MS);
    for (let n = 0; n < 3; n++) await world.runOnce();
    const waiting = await readPost(org, post);
    assert.deepEqual([waiting.status, waiting.publish_retries], ['scheduled', 0]);
    assertTold(waiting.last_publish_error, 'uploads_pending');
    const [event, ...others] = await eventData(org, 'post.publish_failed');
    assert.deepEqual(others, []);
    assert.deepEqual(
      [event?.error_code, event?.post_status, event?.will_retry, event?.dispatch_id],
      ['uploads_pending', 'scheduled', false, null],
    );
    const { cause, count } = (await org.sdk.posts.attention()).data[0] ?? {};
    assert.deepEqual([cause, count], ['upload_unfinished', 1]);
    host.serve(first, 'small.jpg');
    host.serve(second, 'slide.jpg');
    // One of two is not enough.
    const row = await world.app.db.read
      .selectFrom('asset_sources')
      .select('asset_id')
      .where('org_id', '=', org.id);
    const [one] = await row.orderBy('asset_id').execute();
    await world.app.db.transact((tx) =>
      tx
        .updateTable('asset_sources')
        .set({ fetch_at: world.now() + DAY_MS })
        .where('asset_id', '=', one?.asset_id ?? '')
        .execute(),
    );
    await host.fetchDue();
    await world.runOnce();
    assert.equal((await readPost(org, post)).status, 'scheduled');
    await world.app.db.transact((tx) =>
      tx.updateTable('asset_sources').set({ fetch_at: 0 }).where('org_id', '=', org.id).execute(),
    );
    await host.fetchDue();
    assert.equal((await readPost(org, post)).last_publish_error, null);
    await world.runOnce();
    assert.equal((await readPost(org, post)).status, 'posted');
    assert.deepEqual(await slides(creator), [3]);
    assert.equal((await eventData(org, 'post.publish_failed')).length, 1);
  });

  it('goes out as soon as the file that it waits for is removed', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const post = await booked(creator, [newPath()]);
    world.advance(HOUR_MS);
    await world.runOnce();
    await remove(org, post, (await pendingKeys(org, post))[0]);
    await world.runOnce();
    assert.equal((await readPost(org, post)).status, 'posted');
    assert.deepEqual(await slides(creator), [1]);
  });

  it('returns to draft as soon as the file that it waits for is rejected, with an attempt in the log', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const path = newPath();
    const post = await booked(creator, [path]);
    world.advance(HOUR_MS);
    await world.runOnce();
    await host.fetchDue();
    await world.runOnce();
    const { status, last_publish_error } = await readPost(org, post);
    assert.equal(status, 'draft');
    assert.equal(
      last_publish_error,
      `${path.split('/').at(-1)} was rejected: The address answered 404 instead of a file. Remove or replace it (media_rejected)`,
    );
    const { outcome, error_code } = await onlyDispatch(org, post);
    assert.deepEqual([outcome, error_code], ['failed', 'media_rejected']);
    assert.deepEqual(await slides(creator), []);
  });

  it('is missed if the file does not come in time', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const post = await booked(creator, [newPath()]);
    world.advance(HOUR_MS);
    await world.runOnce();
    world.advance(5.9 * HOUR_MS);
    await world.runOnce();
    assert.equal((await readPost(org, post)).status, 'scheduled');
    world.advance(0.2 * HOUR_MS);
    await world.runOnce();
    const { status, last_publish_error } = await readPost(org, post);
    assert.equal(status, 'draft');
    assertTold(last_publish_error, 'slot_missed');
    assert.deepEqual(await slides(creator), []);
  });

  it('says nothing of the waiting once it is unscheduled', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const post = await booked(creator, [newPath()]);
    world.advance(HOUR_MS);
    await world.runOnce();
    await changePost(org, post, { status: 'draft' });
    assert.equal((await readPost(org, post)).last_publish_error, null);
  });

  it('is left alone by the safety net while it waits', async () => {
    const creator = await world.creator();
    const { org, accountId } = creator;
    const post = await booked(creator, [newPath()]);
    world.advance(HOUR_MS);
    await world.runOnce();
    world.advance(MINUTE_MS);
    await world.app.db.transact((tx) =>
      tx
        .updateTable('social_accounts')
        .set({ updated_at: world.now() })
        .where('id', '=', accountId)
        .execute(),
    );
    await repairSchedule(world.app);
    assertTold((await readPost(org, post)).last_publish_error, 'uploads_pending');
  });

  it('waits for a file that a process of the previous version asked for', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const path = newPath();
    const post = await booked(creator, [path]);
    host.serve(path, 'small.jpg');
    const asset = await world.app.db.read
      .selectFrom('assets')
      .selectAll()
      .where('post_id', '=', post)
      .where('state', '=', 'pending')
      .executeTakeFirstOrThrow();
    const find = world.app.db.read.selectFrom('asset_sources').selectAll().where('asset_id', '=', asset.id);
    const { needed_at, ...source } = await find.executeTakeFirstOrThrow();
    // As that version writes both rows.
    await world.app.db.transact(async (tx) => {
      await tx.deleteFrom('asset_sources').where('asset_id', '=', asset.id).execute();
      await tx.updateTable('assets').set({ is_fetched: 0 }).where('id', '=', asset.id).execute();
      await tx.insertInto('asset_sources').values(source).execute();
    });
    const { scheduled_at } = await world.postRow(post);
    assert.equal(needed_at, scheduled_at);
    world.advance(HOUR_MS);
    await world.runOnce();
    assertTold((await readPost(org, post)).last_publish_error, 'uploads_pending');
    await host.fetchDue();
    await world.runOnce();
    assert.deepEqual(await slides(creator), [2]);
  });

  it('is told of as not ready, at risk and in need of attention until the rejected file is gone', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const path = newPath();
    const name = path.split('/').at(-1);
    const post = await booked(creator, [path], 5 * HOUR_MS);
    const problem = (code: string, detail: string) => ({ code, detail, pointer: null, level: 'error' });
    const pending = problem('uploads_pending', `Wait until ${name} has been fetched, or remove it.`);
    assert.deepEqual(await problemsOf(org, post), [pending]);
    const preflight = async () => (await org.sdk.posts.preflight(post)).problems;
    assert.deepEqual(await preflight(), [pending]);
    assert.deepEqual(await listIds(org, { needs_attention: true }), []);
    await checkUpcomingPosts(world.app);
    const toldAtRisk = async () => (await eventData(org, 'post.at_risk')).map(({ problems }) => problems);
    assert.deepEqual(await toldAtRisk(), [[pending]]);
    await host.fetchDue();
    const detail = `${name} was rejected: The address answered 404 instead of a file. Remove or replace it.`;
    const rejection = problem('media_rejected', detail);
    assert.deepEqual(await problemsOf(org, post), [rejection]);
    assert.deepEqual(await preflight(), [rejection]);
    assert.deepEqual(await listIds(org, { needs_attention: true }), [post]);
    assert.deepEqual(await listIds(org, { needs_attention: true, q: 'post' }), [post]);
    // Right away: the next look would be hours later.
    await checkUpcomingPosts(world.app);
    assert.deepEqual(await toldAtRisk(), [[pending], [rejection]]);
    const row = (await org.sdk.posts.attention()).data[0];
    assert.deepEqual(
      [row?.cause, row?.code, row?.count, row?.post_ids, row?.message],
      ['will_fail', 'media_rejected', 1, [post], `1 scheduled post will fail: ${detail}`],
    );
    const [rejected] = (await listAssets(org, post)).rejected;
    assert.deepEqual([rejected?.origin, rejected?.position], ['address', 2]);
    await remove(org, post, rejected?.object_key);
    assert.deepEqual(
      [
        await problemsOf(org, post),
        (await org.sdk.posts.attention()).data,
        await listIds(org, { needs_attention: true }),
      ],
      [[], [], []],
    );
  });

  it('has one row of attention, not two, if its only file was rejected', async () => {
    const { org, accountId } = await world.creator();
    const url = host.serve(newPath(), answering(404));
    const slot = at(world.now() + 2 * HOUR_MS);
    const line = { title: 'A', media_urls: url, status: 'scheduled', scheduled_at: slot };
    await imported(org, fileOf([{ ...line, social_account_id: accountId, privacy_level: 'SELF_ONLY' }]));
    const causes = async () => (await org.sdk.posts.attention()).data.map(({ cause, code }) => [cause, code]);
    assert.deepEqual(await causes(), [['upload_unfinished', undefined]]);
    await host.fetchDue();
    assert.deepEqual(await causes(), [['will_fail', 'media_rejected']]);
  });

  it('counts rejected files among its 35 slides, so that they cannot fill the table', async () => {
    const { org } = await world.creator();
    const post = await org.addPost();
    const url = host.serve(newPath(), answering(404));
    const add = () => org.call('POST', `/api/v1/posts/${post}/assets/import`, { url });
    for (let n = 0; n < 35; n++) assert.equal((await add()).status, 202);
    await host.fetchDue();
    assert.equal((await listAssets(org, post)).rejected.length, 35);
    assertProblem(await add(), 409, 'too_many_slides');
  });

  it('passes what was to be fetched on to its duplicate, in its place', async () => {
    const creator = await world.creator();
    const { org } = creator;
    const [good, bad] = [newPath(), newPath()];
    const post = await booked(creator, [bad, good]);
    host.serve(good, 'slide.jpg');
    const copyOf = async () => {
      const { json } = await org.call('POST', `/api/v1/posts/${post}/duplicate`);
      return json.data.id as string;
    };
    const early = await copyOf();
    assert.equal((await pendingKeys(org, early)).length, 2);
    await host.fetchDue();
    const late = await copyOf();
    for (const copy of [early, late]) {
      const { data, rejected } = await listAssets(org, copy);
      assert.deepEqual([data.length, rejected.map(({ position }) => position)], [2, [2]]);
      assertProblem(await world.publishNow(creator, copy), 422, 'media_rejected');
    }
  });
});
