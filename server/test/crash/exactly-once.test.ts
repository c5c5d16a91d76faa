// Exactly once, sampled: a worker dies, is paused beyond its lease, or loses its database for as long, at some of its
// operations. Those around a call that is visible on the platform are always among them. exactly-once.proof.test.ts tries
// all.
//
// The seed is fixed, so that a run can be repeated; SWEEP_SEED chooses another. SWEEP chooses stories by a part of their
// names, and with SWEEP_UNTIL_FOUND=on the first failure is the last.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { renewLease } from '../../src/publishing/attempt/lease.js';
import { ENGINES } from '../support/databases/fresh-databases.js';
import { everyday } from '../support/runner/test-tiers.js';
import {
  type Case,
  casesOf,
  dice,
  meetingsOf,
  nameOf,
  OTHER_STORIES,
  outagesOf,
  pick,
  STORIES,
  sweep,
  Tally,
} from './sweep/sweep.js';
import { type Story, TwoWorkers } from './sweep/two-workers.js';

const SEED = Number(process.env.SWEEP_SEED ?? 20_261_115);
const words = process.env.SWEEP ?? '';
const untilFound = process.env.SWEEP_UNTIL_FOUND === 'on';
const withRandom = everyday(untilFound, true);

/** Calls that are visible on the platform. */
const INITS = ['submit', 'prepare'];
const VISIBLE = [...INITS, 'sendChunk'];

/** Stories of a kind have the same cases: on ordinary days each has one of them. */
const oneOf = (cases: Case[], story: Story): readonly Case[] =>
  withRandom || words !== '' ? cases : everyday(1, cases, nameOf(story));

/** The cases that matter most. The proofs and the planted mistakes add a few random ones. */
function choose(story: Story, operations: readonly string[], random: () => number): Case[] {
  const outages = outagesOf(operations);
  const all = casesOf(operations);
  if (story.other) {
    // Around the visible act, and around the commit that precedes it.
    const act = 1 + operations.indexOf('submit');
    const begin = 1 + operations.lastIndexOf('transact', act - 1);
    const isNear = ({ first: { at } }: Case) => at === act || at === begin;
    return [...oneOf(all.filter(isNear), story), ...pick(meetingsOf(story, operations), 1, random)];
  }
  if (story.lie) {
    // The lie reaches a worker that has lost its lease meanwhile.
    const isLate = ({ first: { act, when, at } }: Case) =>
      act === 'hold' && when === 'after' && at === 1 + operations.indexOf('submit');
    const others = withRandom && story.trigger !== 'now' ? pick([...all, ...outages], 1, random) : [];
    return [...all.filter(isLate), ...others];
  }
  const meetings = meetingsOf(story, operations);
  const claim = 1 + operations.indexOf('transact');
  const matters = ({ first: { act, when, at } }: Case) => {
    if (at === claim) return act === 'hold' && when === 'before';
    return VISIBLE.includes(operations[Number(at) - 1] ?? '') && (act === 'hold' || when === 'after');
  };
  // A request that has claimed the post, and resumes when another worker has sent it.
  const comesBack = ({ first: { when, at }, second }: Case) =>
    when === 'after' && operations[Number(at) - 1] === 'transact' && second?.when === 'after';
  const isPlainNow = story.trigger === 'now' && story.kind === 'slides' && story.tokens === 'fresh';
  // The platform has answered, and the answer cannot be saved; one of the two variants.
  const init = operations.findIndex((name) => INITS.includes(name));
  const saving = 1 + operations.indexOf('transact', init);
  const unsaved = outages.filter(({ first: { at } }) => at === saving);
  return [
    ...oneOf(all.filter(matters), story),
    ...pick(unsaved, 1, random),
    ...(isPlainNow ? meetings.filter(comesBack) : pick(meetings, withRandom ? 1 : 0, random)),
    // A request costs more than a run of the worker.
    ...(withRandom ? pick(all, story.trigger === 'now' ? 1 : 3, random) : []),
  ];
}

/** Renewing tokens first changes little: one story does it, and the proofs have them all. */
const isDaily = ({ trigger, kind, tokens }: Story) =>
  withRandom || words !== '' || tokens === 'fresh' || (trigger === 'schedule' && kind === 'video');

/** Of the other platforms, a plain one and one with a lost answer; the proofs have them all. */
const isSampled = ({ trigger, tokens, lie }: Story) =>
  trigger === 'schedule' && tokens === 'fresh' && (lie === null || lie === 'lost' || lie === '503');

const candidates = [...STORIES.filter(isDaily), ...OTHER_STORIES.filter(isSampled)];
const isPlain = ({ lie, other }: Story) => lie === null && other === undefined;
const unusual = candidates.filter((story) => !isPlain(story));
/** On ordinary days a few of those with a lie or on another platform. */
const sampled =
  withRandom || words !== ''
    ? candidates
    : [...candidates.filter(isPlain), ...everyday(6, unusual, 'lies and other platforms')];

for (const engine of ENGINES) {
  // Each on one engine; with random cases on both.
  const isHere = (story: Story) =>
    withRandom || words !== '' || everyday(1, ENGINES, nameOf(story)).includes(engine);
  const stories = sampled.filter((story) => isHere(story) && `${engine}, ${nameOf(story)}`.includes(words));
  if (stories.length === 0) continue;

  describe(`A post is published exactly once, wherever its worker fails (${engine})`, () => {
    const random = dice(SEED + ENGINES.indexOf(engine));
    const total = new Tally();
    let world: TwoWorkers;
    before(async () => {
      world = await TwoWorkers.open(engine);
    });
    after(async () => {
      await world.close();
      process.stdout.write(`exactly once on ${engine}, SWEEP_SEED=${SEED}: ${total}\n`);
    });

    it('a heartbeat that comes after the result does not bring the attempt back to life', async () => {
      const { db } = world.service.app;
      await world.run(STORIES[0] as Story, null);
      const find = () =>
        db.read.selectFrom('dispatches').selectAll().orderBy('started_at', 'desc').executeTakeFirstOrThrow();
      const settled = await find();
      // With the fence of the worker that has just settled it.
      assert.equal(await renewLease(world.service.app, { ...settled, fence: settled.fence - 1 }), false);
      assert.deepEqual(await find(), settled);
    });

    for (const story of stories)
      it(nameOf(story), async (t) => {
        if (untilFound && total.failures.length > 0) return t.skip('found already');
        const tally = await sweep(world, story, (operations) => choose(story, operations, random));
        total.include(tally);
        assert.deepEqual(tally.failures, [], `SWEEP_SEED=${SEED} repeats this`);
      });
  });
}
