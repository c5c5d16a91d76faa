// Exactly once, enumerated: the stories, the operations of each at which a worker can fail, and the outcomes.

import { OTHER_PLATFORMS, type OtherKind } from '../../support/platform/other-platforms.js';
import { type Fault, isDatabase, isShort } from './fail-points.js';
import type { Lie } from './faulty-platform.js';
import type { Story, TwoWorkers, Verdict } from './two-workers.js';

const story = (
  kind: Story['kind'],
  trigger: Story['trigger'] = 'schedule',
  tokens: Story['tokens'] = 'fresh',
  pull: Story['pull'] = 'early',
  lie: Lie | null = null,
): Story => ({ kind, trigger, tokens, pull, lie });

const lied = (lie: Lie, trigger: Story['trigger'] = 'schedule', pull: Story['pull'] = 'early'): Story =>
  story('slides', trigger, 'fresh', pull, lie);

const elsewhere = (other: OtherKind, changes: Partial<Story> = {}): Story => ({
  ...story('slides'),
  other,
  ...changes,
});

export const STORIES: readonly Story[] = [
  story('slides'),
  story('slides', 'schedule', 'fresh', 'late'),
  story('slides', 'schedule', 'old'),
  story('slides', 'now'),
  story('slides', 'now', 'old', 'late'),
  story('video'),
  story('video', 'schedule', 'old'),
  story('video', 'now'),
  lied('400'),
  lied('401'),
  lied('401', 'schedule', 'late'),
  lied('401', 'now'),
  lied('503'),
  lied('503', 'now'),
];

/** On platforms where a lost answer can be cleared up: never twice, never lost, and never unknown. */
export const OTHER_STORIES: readonly Story[] = [
  ...OTHER_PLATFORMS.flatMap((other) => [
    elsewhere(other),
    elsewhere(other, { tokens: 'old' }),
    elsewhere(other, { trigger: 'now' }),
    elsewhere(other, { lie: 'lost' }),
    elsewhere(other, { lie: 'lost', trigger: 'now' }),
    elsewhere(other, { lie: '401' }),
  ]),
  // One that can be asked is not believed either when it denies.
  elsewhere('ask', { lie: '400' }),
  elsewhere('ask', { lie: '503' }),
  elsewhere('repeat', { lie: '503' }),
];

export const nameOf = ({ kind, trigger, tokens, pull, lie, other }: Story): string =>
  [
    other ? `${kind} to a platform to ${other}` : kind,
    trigger,
    ...(tokens === 'old' ? ['old tokens'] : []),
    ...(pull === 'late' ? ['fetched late'] : []),
    ...(lie === 'lost' ? ['answer lost'] : lie ? [`denied with ${lie}`] : []),
  ].join(', ');

/** A fault of the first worker, and of the second if it is held too. */
export interface Case {
  first: Fault;
  second: Fault | null;
}

const WHEN = ['before', 'after'] as const;

/** Where the second worker is held while the first resumes: around calls that are visible on the platform. */
const MEETINGS: Record<Story['kind'], readonly string[]> = {
  slides: ['submit'],
  video: ['prepare', 'sendChunk'],
};

/** Every way in which a worker can fail in these operations. `at` is the number of one of them. */
export function casesOf(operations: readonly string[]): Case[] {
  const cases: Case[] = [];
  for (const [i, operation] of operations.entries())
    for (const when of WHEN) {
      cases.push({ first: { act: 'die', when, at: i + 1 }, second: null });
      if (!isShort(operation)) cases.push({ first: { act: 'hold', when, at: i + 1 }, second: null });
    }
  return cases;
}

/** A living worker loses its database: before each read and transaction, or right after it. */
export const outagesOf = (operations: readonly string[]): Case[] =>
  operations.flatMap((operation, i) =>
    isDatabase(operation) && !isShort(operation)
      ? WHEN.map((when): Case => ({ first: { act: 'outage', when, at: i + 1 }, second: null }))
      : [],
  );

/** The same, with both workers in the middle of the post at the same time. */
export function meetingsOf({ kind, other }: Story, operations: readonly string[]): Case[] {
  return casesOf(operations)
    .filter(({ first }) => first.act === 'hold')
    .flatMap(({ first }) =>
      (other ? ['prepare', 'submit'] : MEETINGS[kind]).flatMap((at) =>
        WHEN.map((when) => ({ first, second: { act: 'hold', when, at } as const })),
      ),
    );
}

export class Tally {
  runs = 0;
  died = 0;
  held = 0;
  outages = 0;
  unknown = 0;
  twice = 0;
  lost = 0;
  wrong = 0;
  readonly failures: string[] = [];

  /** Without a case: no fault was injected. */
  add(each: Case | null, title: string, verdict: Verdict): void {
    this.runs++;
    if (each?.first.act === 'die') this.died++;
    if (each?.first.act === 'hold') this.held++;
    if (each?.first.act === 'outage') this.outages++;
    if (verdict.isUnknown) this.unknown++;
    for (const kind of ['twice', 'lost', 'wrong'] as const) {
      if (verdict[kind].length === 0) continue;
      this[kind]++;
      const what = `${verdict.struck ?? 'nothing'} struck: ${kind}: ${verdict[kind].join('; ')}`;
      this.failures.push(`${title}: ${whereOf(each)}: ${what}`);
    }
  }

  include(other: Tally): void {
    for (const kind of ['runs', 'died', 'held', 'outages', 'unknown', 'twice', 'lost', 'wrong'] as const)
      this[kind] += other[kind];
    this.failures.push(...other.failures);
  }

  toString(): string {
    const { runs, died, held, outages, unknown, twice, lost, wrong } = this;
    return `${runs} runs, ${died} died, ${held} held, ${outages} outages: ${unknown} unknown, ${twice} twice, ${lost} lost, ${wrong} wrong`;
  }
}

function whereOf(each: Case | null): string {
  if (each === null) return 'undisturbed';
  const { first, second } = each;
  const also = second ? `, second held ${second.when} ${second.at}` : '';
  return `${first.act} ${first.when} ${first.at}${also}`;
}

/** Runs the cases that `choose` picks from the operations of a story without faults. */
export async function sweep(
  world: TwoWorkers,
  story: Story,
  choose: (operations: readonly string[]) => Case[],
): Promise<Tally> {
  const tally = new Tally();
  const title = `${world.service.app.db.engine}, ${nameOf(story)}`;
  const calm = await world.run(story, null);
  tally.add(null, title, calm);
  for (const each of choose(calm.operations))
    try {
      tally.add(each, title, await world.run(story, each.first, each.second));
    } catch (error) {
      throw new Error(`${title}: ${whereOf(each)}: ${(error as Error).message}`, { cause: error });
    }
  return tally;
}

/** The same numbers in [0, 1) for the same seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(from: readonly T[], count: number, random: () => number): T[] {
  const left = [...from];
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [one] = left.splice(Math.floor(random() * left.length), 1);
    return one as T;
  });
}
