// Every story with every case, on each engine.
// SWEEP chooses stories by parts of their names, separated by |, SWEEP_ACT what happens to the worker: die, hold or outage, and
// SWEEP_SEED other cases where there are too many for one run.
import { after } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ENGINES, type Engine } from '../../support/databases/fresh-databases.js';
import { casesOf, dice, meetingsOf, nameOf, outagesOf, pick, sweep, Tally } from './sweep.js';
import { type Story, TwoWorkers } from './two-workers.js';

const words = (process.env.SWEEP ?? '').split('|');
const act = process.env.SWEEP_ACT ?? '';
const SEED = Number(process.env.SWEEP_SEED ?? 20_261_115);

// SQLite's driver frees the memory and the files of a closed database when its objects are collected, and V8, which knows
// nothing of that memory, sees little reason to collect them.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The stories on each engine, each with a run of `most` of its cases, chosen at random. The sum is printed at the end. */
export function wholeSweep(what: string, stories: readonly Story[], most: number = Number.POSITIVE_INFINITY) {
  const total = new Tally();
  after(() => process.stdout.write(`exactly once, ${what}: ${total}\n`));

  async function run(engine: Engine, story: Story, seed: number): Promise<Tally> {
    const world = await TwoWorkers.open(engine);
    const choose = (operations: readonly string[]) => {
      const all = [...casesOf(operations), ...outagesOf(operations), ...meetingsOf(story, operations)];
      const chosen = all.filter(({ first }) => first.act.includes(act));
      return chosen.length > most ? pick(chosen, most, dice(seed)) : chosen;
    };
    const tally = await sweep(world, story, choose).finally(() => world.close());
    collectGarbage();
    total.include(tally);
    return tally;
  }

  return ENGINES.flatMap((engine) =>
    stories.map((story, number) => ({
      title: `${engine}, ${nameOf(story)}`,
      run: () => run(engine, story, SEED + number),
    })),
  ).filter(({ title }) => words.some((word) => title.includes(word)));
}
