// Random walks of a draft beside a model of the browser and the API (draft-world.ts).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  accountFound,
  failed,
  MINE,
  PLAIN,
  post,
  RETRY,
  SESSION_LOST,
  THEIRS,
  TIMER,
} from '../../test/draft-examples.js';
import { ANSWERS, type Answer, World } from '../../test/draft-world.js';
import { reduce } from './draft-reduce.js';
import {
  conflictsOf,
  type DraftEvent,
  type DraftState,
  hasUnsaved,
  isAsking,
  unsavedOf,
} from './draft-state.js';
import { type Field, mistakeIn } from './fields.js';

type Act = (world: World) => void;
const act = (name: string, run: Act): Act => Object.assign(run, { toString: () => name });

const anyField = fc.constantFrom(...PLAIN);
const typing = fc.tuple(anyField, fc.boolean()).map(([field, isLong]) =>
  act(`types ${isLong ? 'too long a ' : ''}${field}`, (world) => {
    const text = world.next(isLong ? 'x'.repeat(2_200) : 'text');
    world.typed[field] = text;
    world.send({ kind: 'typed', field, text });
  }),
);
const answering = fc
  .constantFrom<Answer>('done', 'done', ...ANSWERS)
  .map((how) => act(`API: ${how}`, (world) => world.answer(how)));
const timer = fc.constant(
  act('timer', (world) => {
    if (!world.isTimerOn) return;
    world.isTimerOn = false;
    world.send(TIMER);
  }),
);
const member = fc
  .constantFrom<DraftEvent>(
    { kind: 'post_requested', fallbackTitle: 'ridge' },
    { kind: 'save_requested' },
    RETRY,
    { kind: 'type_chosen', postType: 'video' },
    { kind: 'restore_answered', isKept: true },
    { kind: 'focused', field: 'title' },
    { kind: 'focused', field: undefined },
  )
  .map((event) => act(event.kind, (world) => world.send(event)));
const other = fc.constantFrom<Act>(
  act('takes the saved text back', (world) => {
    if (world.state.restored) world.typed = {};
    world.send({ kind: 'restore_answered', isKept: false });
  }),
  ...([true, false] as const).map((isTold) =>
    act(`another member types, ${isTold ? 'and this one is told' : 'unnoticed'}`, (world) => {
      if (!world.posted || world.state.id === undefined) return;
      const field = world.posted.caption?.startsWith('theirs') ? 'title' : 'caption';
      const text = world.next('theirs');
      world.unseen[field] = text;
      world.change({ [field]: text });
      if (isTold) world.send({ kind: 'post_received', post: world.posted });
    }),
  ),
  act('a file or the slot changes', (world) => world.change({})),
  act('keeps the own text', (world) => world.send(MINE)),
  act('takes theirs', (world) => {
    for (const { field } of conflictsOf(world.state)) delete world.typed[field];
    world.send(THEIRS);
  }),
  act('the session is lost', (world) => {
    if (world.request && world.request.kind !== 'find_account') return;
    world.request = undefined;
    world.isSessionOver = true;
    world.send(SESSION_LOST);
  }),
  act('reloads', (world) => world.reload()),
  act('reloads after a save that arrives', (world) => {
    if (world.request) world.perform(world.request);
    world.reload();
  }),
  act('answers without a request', (world) => {
    const { state, request } = world;
    const strays: DraftEvent[] = [
      ...(request?.kind === 'find_account' ? [] : [accountFound('stray')]),
      ...(request && request.kind !== 'find_account'
        ? []
        : [failed(401), failed(0), { kind: 'saved', post: post({ title: 'stray' }) } as const]),
    ];
    for (const event of strays) assert.equal(reduce(state, event), state);
  }),
);
const acts = fc.array(fc.oneof(typing, typing, answering, answering, timer, timer, member, other), {
  maxLength: 60,
});

function walk(isNew: boolean, steps: readonly Act[]): World {
  const world = new World(isNew);
  for (const step of steps) {
    step(world);
    world.check();
  }
  return world;
}

/** The API answers, and the member tries again where the draft asks for it. */
function settle(world: World): void {
  world.check();
  for (let retries = 0; retries < 3; ) {
    if (world.request) world.answer('done');
    else if (world.state.theirs) world.send(MINE);
    else if (isAsking(world.state)) world.send({ kind: 'restore_answered', isKept: true });
    else if (world.isTimerOn) {
      world.isTimerOn = false;
      world.send(TIMER);
    } else {
      retries += 1;
      world.send(RETRY);
    }
    world.check();
  }
  world.send({ kind: 'focused', field: undefined });
  if (world.posted && world.state.id !== undefined) world.send({ kind: 'post_received', post: world.posted });
  world.check();
}

/** The same walks in every run: a failure that comes and goes helps no one. */
const SEED = 20_261_116;

describe('a draft, whatever happens to it', () => {
  it('never saves twice at once, loses and overwrites no text unseen, makes one post, and stops with the session', () => {
    fc.assert(
      fc.property(fc.boolean(), acts, (isNew, steps) => void walk(isNew, steps)),
      { numRuns: 600, seed: SEED },
    );
  });

  it('has everything saved in the end that has no mistake, also after the writer signs in again', () => {
    fc.assert(
      fc.property(fc.boolean(), acts, (isNew, steps) => {
        const world = walk(isNew, steps);
        if (world.isSessionOver) world.reload();
        settle(world);
        for (const [field, text] of Object.entries(world.typed))
          assert.ok(mistakeIn(field as Field, text), `the ${field} is not saved`);
        const { posted, state } = world;
        for (const field of saveableFields(state))
          assert.equal(state.texts.now[field], posted?.[field] ?? '');
        assert.equal(hasUnsaved(state), unsavedOf(state) !== undefined, 'a file still waits');
      }),
      { numRuns: 300, seed: SEED },
    );
  });
});

/** All fields but those with a mistake, and a title that the member never gave. */
const saveableFields = ({ texts }: DraftState): Field[] =>
  PLAIN.filter((field) => mistakeIn(field, texts.now[field]) === undefined);
