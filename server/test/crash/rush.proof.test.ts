// The full hour: the posts of thousands of organizations are due in the same second. They go out as fast as those of one
// organization, and another organization notices nothing: its post, due a second later, begins on time, and its reads are served.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { p99 } from '../support/hostile/victim.js';
import { onEngines } from '../support/runner/test-tiers.js';
import { attemptsAt, type Owner, smallPicture } from '../support/world/due-posts.js';
import { addRush, manyOwners, oneOwner } from '../support/world/rush.js';
import { RushService, SHAPES } from './processes/rush-service.js';

/** AIRDATE_TEST_RUSH: fewer, for a first look. */
const POSTS = Number(process.env.AIRDATE_TEST_RUSH ?? 20_000);
const MIN_SHARE = 0.9;
const MAX_LATE_MS = 2_000;
const TIMES_QUIET = 5;
const MIN_MS = 250;
const READS = 100;
/** Of each kind, so that both begin equally warm. */
const WARM_UP = 500;
const TIMEOUT_MS = 30 * 60_000;

/** AIRDATE_TEST_RUSH_ON: one of them only. */
const { AIRDATE_TEST_RUSH_ON: only } = process.env;

for (const shape of SHAPES.filter((each) => only === undefined || each === only))
  onEngines('both', `The posts of ${POSTS} organizations, due in the same second, on ${shape}`, (engine) => {
    let service: RushService;
    let picture: Buffer;
    let quiet: number;
    let many: Owner[];
    let one: Owner[];
    before(async () => {
      service = await RushService.open(engine, shape);
      picture = await smallPicture();
      many = await manyOwners(service.app, service.model, POSTS);
      one = [await oneOwner(service.app, service.model, POSTS)];
      await drain(one, 'warm-up of one', WARM_UP);
      await drain(many, 'warm-up of many', WARM_UP);
      await readsFor(20);
      quiet = p99(await readsFor(READS));
    });
    after(() => service?.close());

    const readsFor = async (n: number) => {
      const times: number[] = [];
      for (let i = 0; i < n; i++) times.push(await service.read());
      return times;
    };

    /** Posts per second until the platform has accepted all. */
    async function drain(
      owners: Owner[],
      name: string,
      posts: number,
      meanwhile: (slot: number) => Promise<void> = async () => {},
    ): Promise<number> {
      const { app } = service;
      const slot = Math.ceil(Date.now() / 1000) * 1000 + 15_000 + 6 * posts;
      await addRush(app, owners, { posts, slot, picture, name });
      await service.addNeighbourPost(slot + 1_000, picture);
      await service.gatherStatistics();
      assert.ok(Date.now() < slot, 'the posts were due before all were created');
      await delay(slot - Date.now());
      await meanwhile(slot);
      for (;;) {
        await delay(1_000);
        // To the end: what is still asked about them would take time from the next ones.
        const { accepted, ended, last } = await service.progress(slot);
        if (ended === posts) return posts / ((last - slot) / 1000);
        assert.ok(
          Date.now() < slot + TIMEOUT_MS,
          `${accepted} of ${posts} posts were accepted, ${ended} have ended`,
        );
      }
    }

    it(`another organization's post begins within ${MAX_LATE_MS} ms, and its reads take at most ${MIN_MS} ms or ${TIMES_QUIET} × the quiet time (p99)`, async (test) => {
      const times: number[] = [];
      let due = 0;
      const rate = await drain(many, 'many', POSTS, async (slot) => {
        due = slot + 1_000;
        times.push(...(await readsFor(READS)));
      });
      const [attempt] = await attemptsAt(service.app, service.neighbour, [due, due]);
      const late = attempt ? attempt.started_at - Number(attempt.scheduled_for) : Number.NaN;
      const sorted = [...times].sort((a, b) => a - b);
      test.diagnostic(
        `${engine}, ${shape}: ${rate.toFixed(1)}/s; its post began ${late} ms late; reads p99 ${quiet} ms quiet, p50 ${sorted[sorted.length >> 1]?.toFixed(0)}, p99 ${p99(times)} ms during the rush`,
      );
      assert.ok(late <= MAX_LATE_MS, `${late} ms late`);
      assert.ok(p99(times) <= Math.max(MIN_MS, TIMES_QUIET * quiet), `${quiet} → ${p99(times)} ms`);
    });

    it(`go out at no less than ${MIN_SHARE} of the rate of one organization with as many accounts`, async (test) => {
      // After the rush above, so that neither is the first and slowed down by being cold.
      const rateOfOne = await drain(one, 'one', POSTS);
      const rateOfMany = await drain(many, 'many once more', POSTS);
      test.diagnostic(`${engine}, ${shape}: ${rateOfMany.toFixed(1)} and ${rateOfOne.toFixed(1)} posts/s`);
      assert.ok(rateOfMany >= MIN_SHARE * rateOfOne, `${rateOfMany} and ${rateOfOne} posts/s`);
    });
  });
