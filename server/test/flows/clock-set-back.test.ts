// A clock that was set back by two hours, on a host or by a change of the database server. What was planned by the old time
// would stand still for two hours.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { accountClockChecks, leaseRenewal } from '../../src/accounts/stored-tokens.js';
import { sourceClockChecks } from '../../src/assets/fetch/fetch.js';
import { deliveryClockChecks } from '../../src/events/webhooks/deliver.js';
import { claimDue } from '../../src/publishing/attempt/claim.js';
import { attemptClockChecks, renewLease } from '../../src/publishing/attempt/lease.js';
import { repairSchedule } from '../../src/publishing/attempt/repair.js';
import { createReset } from '../../src/worker/clock-set-back.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { type Creator, HOUR_MS, MINUTE_MS, useWorld } from '../support/world/world.js';

const SET_BACK_MS = 2 * HOUR_MS;

onEngines('sqlite', 'After the clock was set back by two hours', (engine) => {
  const world = useWorld(engine);
  const leaseMs = () => world.app.config.publishing.leaseMs;

  /** A worker that begins after it: its loops for attempts, every five seconds. Returns how long until `isDone`. */
  async function workUntil(isDone: () => Promise<boolean>, mostMs = 3 * HOUR_MS): Promise<number> {
    const reset = createReset(world.app, attemptClockChecks(world.app));
    const beganAt = world.now();
    while (world.now() - beganAt < mostMs) {
      await reset();
      await world.runOnce();
      if (await isDone()) return world.now() - beganAt;
      world.service.clock.advance(5_000);
    }
    return Number.POSITIVE_INFINITY;
  }

  /** Runs the clock of the service alone: the platform keeps its time. */
  async function withClockSetBack(work: () => Promise<void>): Promise<void> {
    world.service.clock.advance(-SET_BACK_MS);
    try {
      await work();
    } finally {
      world.service.clock.advance(SET_BACK_MS);
    }
  }

  const statusOf = async ({ org }: Creator, id: string): Promise<string> =>
    (await org.call('GET', `/api/v1/posts/${id}`)).json.data.status;

  it('the attempt of a worker that died is continued when its lease has stood still for as long as a lease', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator, 'video');
    const claimed = await world.app.db.transact((tx) =>
      claimDue(world.app, tx, { org_id: creator.org.id, id }),
    );
    assert.equal(claimed.kind, 'claimed');
    await withClockSetBack(async () => {
      const tookMs = await workUntil(async () => (await statusOf(creator, id)) === 'posted');
      assert.ok(tookMs >= leaseMs() && tookMs <= leaseMs() + 10_000, `it took ${tookMs} ms`);
    });
    assert.equal((await world.acceptedInits(creator.username)).length, 1);
  });

  it('the attempt of a worker that lives, and renews its lease, stays its own', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator, 'video');
    const claimed = await world.app.db.transact((tx) =>
      claimDue(world.app, tx, { org_id: creator.org.id, id }),
    );
    assert.ok(claimed.kind === 'claimed');
    await withClockSetBack(async () => {
      // Its clock may be set back later than that of the others: it renews by the old time.
      let beats = 0;
      await workUntil(async () => {
        world.service.clock.advance(SET_BACK_MS);
        assert.equal(await renewLease(world.app, claimed.attempt), true);
        world.service.clock.advance(-SET_BACK_MS);
        return ++beats > 40;
      });
      assert.equal((await world.dispatchRow(id)).fence, claimed.attempt.fence);
    });
  });

  it('an accepted attempt is polled within seconds', async () => {
    const creator = await world.creator();
    const id = await world.scheduled(creator);
    await world.engine.publish();
    await world.engine.idle();
    await world.waitForPlatform(creator.username);
    await world.app.db.transact((tx) =>
      tx
        .updateTable('dispatches')
        .set({ next_at: world.now() + 2 * MINUTE_MS })
        .where('post_id', '=', id)
        .execute(),
    );
    await withClockSetBack(async () => {
      const tookMs = await workUntil(async () => (await world.dispatchRow(id)).outcome === 'published');
      assert.ok(tookMs <= 10_000, `it took ${tookMs} ms`);
    });
  });

  it('a published post whose address is not known yet is not polled more often than planned', async () => {
    const creator = await world.creator();
    await world.platform.control('settings', { post_ids: 'never' });
    const id = await world.scheduled(creator);
    await world.engine.publish();
    await world.engine.idle();
    await world.settle((await world.dispatchRow(id)).publish_id ?? '');
    assert.equal((await world.dispatchRow(id)).outcome, 'published');
    await withClockSetBack(async () => {
      const before = (await world.dispatchRow(id)).fence;
      let rounds = 0;
      await workUntil(async () => ++rounds === 20);
      assert.ok((await world.dispatchRow(id)).fence - before <= 2, 'it was polled once at most');
    });
    await world.platform.control('settings', { post_ids: 'at_once' });
  });

  it('a post that was told to wait goes out at its slot, and no post goes out before', async () => {
    const creator = await world.creator();
    const [late, early] = [await world.scheduled(creator, 'video'), await world.post(creator)];
    await world.schedule(creator, early, 3 * MINUTE_MS);
    const slot = world.now() - SET_BACK_MS - MINUTE_MS;
    await world.app.db.transact((tx) =>
      tx
        .updateTable('posts')
        .set({ scheduled_at: slot, wait_until: world.now() + MINUTE_MS, updated_at: world.now() })
        .where('id', '=', late)
        .execute(),
    );
    await withClockSetBack(async () => {
      await repairSchedule(world.app);
      await world.runOnce();
      assert.equal(await statusOf(creator, late), 'posted');
      assert.equal(await statusOf(creator, early), 'scheduled');
      assert.deepEqual(await world.attempts(early), []);
    });
  });

  it('a renewal lease, a revocation, a file to fetch and a delivery are due again within a minute and their lease', async () => {
    const { app } = world;
    const creator = await world.creator();
    const gone = await world.creator();
    const account = await world.accountRow(creator.accountId);
    assert.notEqual(await leaseRenewal(app, account), null);
    const now = world.now();
    const org_id = creator.org.id;
    const post_id = await creator.org.addPost();
    const grant = { filename: 'a.jpg', content_type: 'image/jpeg' };
    await creator.org.call('POST', `/api/v1/posts/${post_id}/assets`, grant);
    const { id: asset_id } = await app.db.read
      .selectFrom('assets')
      .select('id')
      .where('post_id', '=', post_id)
      .executeTakeFirstOrThrow();
    await app.db.transact(async (tx) => {
      await tx
        .updateTable('social_accounts')
        .set({ status: 'disconnected', refresh_at: now + MINUTE_MS })
        .where('id', '=', gone.accountId)
        .execute();
      const delivery = {
        org_id,
        endpoint_id: app.newId(),
        event_id: 'evt_000000001',
        event_seq: 1,
        type: 'post.created',
        subject: post_id,
        body: '{}',
        state: 'pending',
        tries: 1,
        created_at: now - HOUR_MS,
        settled_at: null,
      } as const;
      const [leased, waiting] = [app.newId(), app.newId()];
      await tx
        .insertInto('webhook_deliveries')
        .values([
          {
            ...delivery,
            id: leased,
            message_id: 'msg_1',
            attempts: 0,
            fence: 1,
            next_at: now + MINUTE_MS,
            lease_until: now + MINUTE_MS,
          },
          {
            ...delivery,
            id: waiting,
            message_id: 'msg_2',
            attempts: 1,
            fence: 2,
            next_at: now + 5 * MINUTE_MS,
            lease_until: null,
          },
        ])
        .execute();
      await tx
        .insertInto('webhook_attempts')
        .values({
          org_id,
          delivery_id: waiting,
          n: 1,
          at: now,
          ms: 1,
          status: 500,
          error: null,
          response: null,
        })
        .execute();
      await tx
        .insertInto('asset_sources')
        .values({ org_id, asset_id, url: 'sealed', tries: 1, fetch_at: now + MINUTE_MS })
        .execute();
    });
    const dueNow = async () => {
      const by = world.now();
      const locked = await world.accountRow(creator.accountId);
      const revoked = await world.accountRow(gone.accountId);
      const sources = await app.db.read.selectFrom('asset_sources').select('fetch_at').execute();
      const deliveries = await app.db.read.selectFrom('webhook_deliveries').select('next_at').execute();
      return {
        lock: locked.refreshing_until === null,
        revocation: (revoked.refresh_at ?? by + 1) <= by,
        files: sources.filter(({ fetch_at }) => fetch_at <= by).length,
        deliveries: deliveries.filter(({ next_at }) => (next_at ?? by + 1) <= by).length,
      };
    };
    const reset = createReset(app, [
      ...accountClockChecks(app),
      ...sourceClockChecks,
      ...deliveryClockChecks,
    ]);
    await withClockSetBack(async () => {
      await reset();
      // What has an owner waits for as long as the owner may need.
      assert.deepEqual(await dueNow(), { lock: false, revocation: true, files: 0, deliveries: 1 });
      world.service.clock.advance(2 * MINUTE_MS);
      await reset();
      assert.deepEqual(await dueNow(), { lock: true, revocation: true, files: 1, deliveries: 2 });
    });
  });
});
