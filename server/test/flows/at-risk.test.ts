// Scheduled posts are looked at a day and an hour before their slot: one event for each post, slot and reason.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { SocialAccountRow } from '../../src/db/tables.js';
import { checkUpcomingPosts } from '../../src/publishing/schedule/at-risk.js';
import { sweep } from '../../src/worker/sweep.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { eventsOf } from '../support/service/event-streams.js';
import type { Organization } from '../support/service/harness.js';
import { at, changePost, readyPost } from '../support/service/posts.js';
import { grant, upload } from '../support/service/uploads.js';
import { HOUR_MS, MINUTE_MS, useTidyWorld } from '../support/world/world.js';

const DAY_MS = 24 * HOUR_MS;

onEngines('sqlite', 'Scheduled posts at risk', (engine) => {
  const world = useTidyWorld(engine);

  const lookAround = () => checkUpcomingPosts(world.app);
  const risksOf = async (org: Organization) =>
    (await eventsOf(org)).filter(({ type }) => type === 'post.at_risk').map(({ data }) => data);
  /** The post and the codes of each event. */
  const riskCodes = async (org: Organization) =>
    (await risksOf(org)).map(({ post_id, problems }) => [
      post_id,
      ...(problems ?? []).map(({ code }) => code),
    ]);
  const setAccount = (id: string, status: SocialAccountRow['status']) =>
    world.app.db.transact((tx) =>
      tx.updateTable('social_accounts').set({ status }).where('id', '=', id).execute(),
    );
  const book = (org: Organization, id: string, accountId: string, inMs: number) =>
    changePost(org, id, {
      status: 'scheduled',
      scheduled_at: at(world.now() + inMs),
      social_account_id: accountId,
      privacy_level: 'PUBLIC_TO_EVERYONE',
    });

  it('are told of a day before the slot, with what is in the way', async () => {
    const { org, accountId } = await world.creator();
    const id = await org.addPost();
    const { scheduled_at } = await book(org, id, accountId, DAY_MS + HOUR_MS);
    await lookAround();
    assert.deepEqual(await risksOf(org), []);
    world.advance(HOUR_MS + MINUTE_MS);
    await lookAround();
    assert.deepEqual(await risksOf(org), [
      {
        post_id: id,
        social_account_id: accountId,
        platform: 'tiktok',
        slot: scheduled_at,
        problems: [{ code: 'no_media', detail: 'Add at least one slide.', pointer: null, level: 'error' }],
      },
    ]);
  });

  it('are told of once for each reason, and an hour before the slot only of what is new', async () => {
    const { org, accountId } = await world.creator();
    const id = await org.addPost();
    await book(org, id, accountId, 5 * HOUR_MS);
    for (let n = 0; n < 3; n++) await lookAround();
    assert.deepEqual(await riskCodes(org), [[id, 'no_media']]);
    await setAccount(accountId, 'reconnect_required');
    world.advance(3 * HOUR_MS);
    await lookAround();
    assert.deepEqual(await riskCodes(org), [[id, 'no_media']]);
    world.advance(HOUR_MS + MINUTE_MS);
    for (let n = 0; n < 3; n++) await lookAround();
    assert.deepEqual(await riskCodes(org), [
      [id, 'no_media'],
      [id, 'reconnect_required'],
    ]);
  });

  it('are looked at right away if their slot is less than an hour ahead, and once', async () => {
    const { org, accountId } = await world.creator();
    const id = await org.addPost();
    await book(org, id, accountId, 10 * MINUTE_MS);
    await lookAround();
    await setAccount(accountId, 'reconnect_required');
    await lookAround();
    assert.deepEqual(await riskCodes(org), [[id, 'no_media']]);
  });

  it('are told of again for a new slot, and not for the same one', async () => {
    const { org, accountId } = await world.creator();
    const id = await org.addPost();
    const { scheduled_at } = await book(org, id, accountId, 2 * HOUR_MS);
    await lookAround();
    await changePost(org, id, { status: 'draft' });
    await lookAround();
    await changePost(org, id, { status: 'scheduled', scheduled_at });
    await lookAround();
    assert.deepEqual(await riskCodes(org), [[id, 'no_media']]);
    await changePost(org, id, { scheduled_at: at(world.now() + 3 * HOUR_MS) });
    await lookAround();
    assert.equal((await riskCodes(org)).length, 2);
  });

  it('are not told of when they are ready, given up, or past their slot', async () => {
    const { org, accountId } = await world.creator();
    const ready = await readyPost(org);
    await book(org, ready, accountId, HOUR_MS / 2);
    const givenUp = await org.addPost();
    await book(org, givenUp, accountId, HOUR_MS / 2);
    await changePost(org, givenUp, { status: 'draft' });
    await lookAround();
    const late = await org.addPost();
    await book(org, late, accountId, HOUR_MS / 2);
    world.advance(HOUR_MS);
    await lookAround();
    assert.deepEqual(await riskCodes(org), []);
  });

  it('have the files that have arrived by then, and the uploads that have not', async () => {
    const { org, accountId } = await world.creator();
    const [whole, partly] = [await org.addPost(), await org.addPost()];
    for (const id of [whole, partly]) await book(org, id, accountId, 2 * HOUR_MS);
    await upload(org, whole, 'slide.png');
    await grant(org, partly);
    await lookAround();
    assert.deepEqual(await riskCodes(org), [[partly, 'uploads_pending']]);
  });

  it('are told of once, however many workers run at once', async () => {
    const { org, accountId } = await world.creator();
    const ids = [];
    for (let n = 0; n < 12; n++) ids.push(await org.addPost());
    for (const id of ids) await book(org, id, accountId, HOUR_MS / 2);
    await world.withOther(async (other) => {
      await Promise.all([lookAround(), checkUpcomingPosts(other), lookAround(), checkUpcomingPosts(other)]);
    });
    await lookAround();
    assert.deepEqual((await riskCodes(org)).sort(), ids.map((id) => [id, 'no_media']).sort());
  });

  it('keep their ETag and time of change', async () => {
    const { org, accountId } = await world.creator();
    const id = await org.addPost();
    await book(org, id, accountId, HOUR_MS / 2);
    const read = () => org.call('GET', `/api/v1/posts/${id}`);
    const before = await read();
    await lookAround();
    const after = await read();
    assert.deepEqual([after.headers.get('etag'), after.json], [before.headers.get('etag'), before.json]);
    assert.equal((await riskCodes(org)).length, 1);
  });

  it('are forgotten a week after their slot', async () => {
    const { org, accountId } = await world.creator();
    await book(org, await org.addPost(), accountId, HOUR_MS / 2);
    await lookAround();
    const rows = () =>
      world.app.db.read.selectFrom('reported_risks').select('code').where('org_id', '=', org.id).execute();
    await sweep(world.app, world.now() + 7 * DAY_MS);
    assert.equal((await rows()).length, 1);
    await sweep(world.app, world.now() + 8 * DAY_MS);
    assert.deepEqual(await rows(), []);
  });

  it('are told of in safe mode only after its end', async () => {
    const { org, accountId } = await world.creator();
    const id = await org.addPost();
    await book(org, id, accountId, HOUR_MS / 2);
    const safety = { ...world.app.safety, mode: { kind: 'safe' as const, reason: 'A test.' } };
    await checkUpcomingPosts({ ...world.app, safety } as unknown as typeof world.app);
    assert.deepEqual(await riskCodes(org), []);
    await lookAround();
    assert.deepEqual(await riskCodes(org), [[id, 'no_media']]);
  });
});
