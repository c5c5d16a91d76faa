// A database that is slow to tell the time. Time moves for both sides together: for the process, whose monotonic clock is the
// test's, and for the database, whose answers are shifted by as much.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../src/db/database.js';
import { openApp } from '../../src/open-app.js';
import { createEngine } from '../../src/publishing/schedule/engine.js';
import { silentLog } from '../support/databases/fresh-databases.js';
import { setPost } from '../support/service/posts.js';
import { type Creator, useWorld } from '../support/world/world.js';

const POSTS = 5;
const HELD_MS = 14_000;
const STEP_MS = 500;

describe('A database that is slow to tell the time (postgres)', () => {
  const world = useWorld('postgres');
  let movedMs = 0;

  const trueNow = async () => (await world.app.db.now()) + movedMs;

  /** Another process, whose queries for the time, or their answers, are delayed on the way. */
  async function slowApp(heldBefore: number, heldAfter: number) {
    const app = await openApp(world.app.config, {
      log: silentLog,
      steadyNow: () => performance.now() + movedMs,
      database: (real: Database) => ({
        ...real,
        async now() {
          movedMs += heldBefore;
          const time = (await real.now()) + movedMs;
          movedMs += heldAfter;
          return time;
        },
      }),
    });
    app.urls.publicUrl = world.app.urls.publicUrl;
    return app;
  }

  async function statusOf({ org }: Creator, id: string): Promise<string> {
    return (await org.call('GET', `/api/v1/posts/${id}`)).json.data.status;
  }

  for (const [title, heldBefore, heldAfter] of [
    ['its answer', 0, HELD_MS],
    ['the question', HELD_MS, 0],
  ] as const)
    it(`publishes no post before its slot when ${title} is delayed for 14 s, and every post in the end`, async () => {
      const creator = await world.creator();
      const ids: string[] = [];
      for (let n = 0; n < POSTS; n++) ids.push(await world.scheduled(creator));
      const app = await slowApp(heldBefore, heldAfter);
      const early: number[] = [];
      try {
        const first = (await trueNow()) + 10_000;
        const slots = new Map(ids.map((id, n) => [id, first + n * 1_000]));
        for (const [id, scheduled_at] of slots) await setPost(world.service, id, { scheduled_at });
        const engine = createEngine(app);
        for (let round = 0; slots.size > 0; round++) {
          assert.ok(round < 200, `${slots.size} posts are never published`);
          await engine.publish();
          await engine.idle();
          for (const [id, slot] of slots) {
            if ((await statusOf(creator, id)) === 'scheduled') continue;
            slots.delete(id);
            const now = await trueNow();
            if (now < slot) early.push(slot - now);
          }
          movedMs += STEP_MS;
        }
      } finally {
        await app.close();
      }
      assert.deepEqual(
        early,
        [],
        `${early.length} of ${POSTS} posts went out early, by so many milliseconds`,
      );
      for (const id of ids) assert.deepEqual(await world.outcomesOf(creator, id), ['posted', 'accepted']);
    });
});
