// All accounts of one organization hang, and it has thousands of due posts and attempts: another organization's work
// starts in the same run.
import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import type { AttemptRow, PostRow } from '../../src/db/tables.js';
import { everyday, itInProofs, onEngines } from '../support/runner/test-tiers.js';
import { until } from '../support/runner/until.js';
import { addAttempts, addBacklog, HangingCrowd } from '../support/world/hanging-crowd.js';
import { type Creator, STEP_MS, useWorld } from '../support/world/world.js';

const BACKLOG = 3_000;
const PER_ORGANIZATION = { publish: 64, poll: 16, transfer: 4 };

onEngines('sqlite', 'While all accounts of one organization hang', (engine) => {
  const crowd = new HangingCrowd();
  const world = useWorld(engine, { connector: crowd.wrap });
  afterEach(async () => {
    crowd.release();
    await world.engine.idle();
    // The next test must not see what the crowd has left behind.
    await world.app.db.transact(async (tx) => {
      await tx.updateTable('dispatches').set({ next_at: null }).execute();
      await tx.updateTable('posts').set({ status: 'archived' }).where('status', '=', 'scheduled').execute();
    });
  });

  /** An attempt of another organization in this state, due now. */
  async function attemptIn(
    phase: AttemptRow['phase'],
    type: PostRow['post_type'],
  ): Promise<[Creator, string, AttemptRow]> {
    const other = await world.creator();
    const id = await world.scheduled(other, type);
    await world.engine.publish();
    await world.engine.idle();
    if (type === 'slides') await world.waitForPlatform(other.username);
    world.advance(STEP_MS);
    const [attempt] = await world.attempts(id);
    assert.equal(attempt?.phase, phase);
    return [other, id, attempt];
  }

  for (const accounts of everyday([60], [20, 60]))
    it(`${accounts} of them, the due post of another organization starts in the same run`, async () => {
      const owner = await crowd.gather(world.app, accounts);
      await addBacklog(world.app, owner, 5 * accounts);
      const other = await world.creator();
      const id = await world.scheduled(other);
      await world.engine.publish();
      await until('the post of the other organization is accepted', async () => {
        const [attempt] = await world.attempts(id);
        return attempt?.outcome === 'accepted';
      });
      await until('the organization that hangs has all its places', () => {
        return crowd.hanging === PER_ORGANIZATION.publish;
      });
    });

  it('with thousands of due posts, one scheduler query finds the post of another organization', async () => {
    const owner = await crowd.gather(world.app, 20);
    await addBacklog(world.app, owner, BACKLOG);
    const other = await world.creator();
    const id = await world.scheduled(other);
    await world.engine.publish();
    await until('the post of the other organization is accepted', async () => {
      const [attempt] = await world.attempts(id);
      return attempt?.outcome === 'accepted';
    });
  });

  itInProofs(
    'with thousands of attempts to poll, one query finds the attempt of another organization',
    async () => {
      const [, id, attempt] = await attemptIn('observing', 'slides');
      const owner = await crowd.gather(world.app, 20);
      await addAttempts(world.app, owner, BACKLOG, attempt);
      await world.engine.poll();
      await until('the attempt of the other organization is known to be published', async () => {
        const [seen] = await world.attempts(id);
        return seen?.outcome === 'published';
      });
      await until('the organization that hangs has all its places', () => {
        return crowd.hanging === PER_ORGANIZATION.poll;
      });
    },
  );

  itInProofs(
    'with thousands of interrupted attempts, one query finds the attempt of another organization',
    async () => {
      const [, id, attempt] = await attemptIn('observing', 'slides');
      const owner = await crowd.gather(world.app, 20);
      const interrupted = { ...attempt, phase: 'sending', outcome: 'started', fetched_at: null } as const;
      await addAttempts(world.app, owner, BACKLOG, interrupted);
      await world.engine.poll();
      await until('the attempt of the other organization is known to be published', async () => {
        const [seen] = await world.attempts(id);
        return seen?.outcome === 'published';
      });
    },
  );

  itInProofs(
    'with thousands of videos to send, one query finds the video of another organization',
    async () => {
      const [, id, attempt] = await attemptIn('transferring', 'video');
      const owner = await crowd.gather(world.app, 20);
      await addAttempts(world.app, owner, BACKLOG, attempt);
      await world.engine.transfer();
      await until('the bytes of the other organization are sent', async () => {
        const [seen] = await world.attempts(id);
        return seen?.phase === 'observing';
      });
      await until('the organization that hangs has all its places', () => {
        return crowd.hanging === PER_ORGANIZATION.transfer;
      });
    },
  );
});
