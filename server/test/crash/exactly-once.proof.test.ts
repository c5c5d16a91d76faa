// Exactly once, enumerated: a worker dies, or is held beyond its lease, at each of its operations in turn, in every story.
// SWEEP chooses stories by a part of their names.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ENGINES } from '../databases.js';
import { casesOf, meetingsOf, nameOf, STORIES, sweep, Tally } from './sweep.js';
import { TwoWorkers } from './two-workers.js';

const words = process.env.SWEEP ?? '';

describe('A post is published exactly once, wherever its worker fails', { concurrency: 2 }, () => {
  const total = new Tally();
  after(() => process.stdout.write(`exactly once: ${total}\n`));

  for (const engine of ENGINES)
    for (const story of STORIES) {
      const title = `${engine}, ${nameOf(story)}`;
      if (!title.includes(words)) continue;
      it(title, async (t) => {
        const world = await TwoWorkers.open(engine);
        const tally = await sweep(world, story, (operations) => [
          ...casesOf(operations),
          ...meetingsOf(story, operations),
        ]).finally(() => world.close());
        t.diagnostic(String(tally));
        total.include(tally);
        assert.deepEqual(tally.failures, []);
      });
    }
});
