// Exactly once, enumerated: a worker dies, is paused beyond its lease, or loses its database for as long, at each of its
// operations in turn, in every story.
// SWEEP chooses stories by parts of their names, separated by |, SWEEP_ACT what happens to the worker: die, hold or outage, and
// SWEEP_SEED other cases where there are too many for one run.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ENGINES } from '../../support/databases/fresh-databases.js';
import { casesOf, dice, meetingsOf, nameOf, outagesOf, pick, sweep, Tally } from './sweep.js';
import { type Story, TwoWorkers } from './two-workers.js';

const words = (process.env.SWEEP ?? '').split('|');
const act = process.env.SWEEP_ACT ?? '';
const SEED = Number(process.env.SWEEP_SEED ?? 20_261_115);

// SQLite's driver frees the memory and the files of a closed database when its objects are collected, and V8, which knows
// nothing of that memory, sees little reason to collect them.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** `most` of the cases of each story, chosen at random. */
export function sweepWholly(
  what: string,
  stories: readonly Story[],
  most: number = Number.POSITIVE_INFINITY,
): void {
  describe(`A post is published exactly once, wherever its worker fails (${what})`, {
    concurrency: 2,
  }, () => {
    const total = new Tally();
    after(() => process.stdout.write(`exactly once, ${what}: ${total}\n`));

    for (const engine of ENGINES)
      for (const [number, story] of stories.entries()) {
        const title = `${engine}, ${nameOf(story)}`;
        if (!words.some((word) => title.includes(word))) continue;
        it(title, async (t) => {
          const world = await TwoWorkers.open(engine);
          const choose = (operations: readonly string[]) => {
            const all = [...casesOf(operations), ...outagesOf(operations), ...meetingsOf(story, operations)];
            const chosen = all.filter(({ first }) => first.act.includes(act));
            return chosen.length > most ? pick(chosen, most, dice(SEED + number)) : chosen;
          };
          const tally = await sweep(world, story, choose).finally(() => world.close());
          collectGarbage();
          t.diagnostic(String(tally));
          total.include(tally);
          assert.deepEqual(tally.failures, []);
        });
      }
  });
}
