// Random walks of a draft beside a model of the browser and the API. Each typed text is different from all others, so
// that at every moment the model knows where it must be.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Post } from '@airdate/sdk';
import fc from 'fast-check';
import { accountKnown, failed, newDraft, post, RETRY, savedDraft, TIMER } from './draft-examples.js';
import { reduce } from './draft-reduce.js';
import {
  type DraftEvent,
  type DraftState,
  type Effect,
  hasUnsaved,
  isBusy,
  isPausing,
  unsavedOf,
} from './draft-state.js';
import { begin } from './draft-steps.js';
import { FIELDS, type Field, mistakeIn } from './fields.js';
import type { Kept } from './keep.js';
import { saveable } from './texts.js';

type Request = Extract<Effect, { kind: 'choose_account' | 'create' | 'update' }>;

class World {
  state: DraftState;
  request: Request | undefined;
  isTimerOn = false;
  isSessionOver = false;
  /** What this browser keeps. */
  kept: Kept | undefined;
  /** What the API has. */
  posted: Post | undefined;
  /** By the key of the request that made it. */
  readonly made = new Map<string, Post>();
  readonly bodies = new Map<string, string>();
  /** Typed, and not yet known to be saved. */
  typed: Partial<Record<Field, string>> = {};
  #count = 0;

  constructor(isNew: boolean) {
    this.state = isNew ? newDraft() : savedDraft();
    if (!isNew) this.posted = post();
  }

  next = (word: string): string => `${word} ${this.#count++}`;

  send(event: DraftEvent): void {
    const { state, effects } = reduce(this.state, event);
    this.state = state;
    for (const effect of effects) this.#run(effect);
  }

  #run(effect: Effect): void {
    if (effect.kind === 'start_timer') this.isTimerOn = true;
    if (effect.kind === 'stop_timer') this.isTimerOn = false;
    if (effect.kind === 'changed') this.kept = unsavedOf(this.state);
    if (effect.kind === 'choose_account' || effect.kind === 'create' || effect.kind === 'update') {
      assert.equal(this.request, undefined, 'two requests at once');
      assert.ok(!this.isSessionOver, 'a request after the session ended');
      this.request = effect;
    }
    if (effect.kind === 'create') {
      const { key, body } = effect.creation;
      assert.equal(JSON.stringify(body), this.bodies.get(key) ?? JSON.stringify(body), 'another body');
      assert.deepEqual(this.kept?.creation, effect.creation, 'sent before it was kept');
      this.bodies.set(key, JSON.stringify(body));
    }
  }

  /** The API does what is asked. A key that it knows makes no second post. */
  perform(request: Request): Post | undefined {
    if (request.kind === 'create') {
      const { key, body } = request.creation;
      if (!this.made.has(key)) this.made.set(key, post({ caption: null, ...body }));
      this.posted ??= this.made.get(key);
    }
    if (request.kind === 'update' && this.posted) this.posted = { ...this.posted, ...request.change };
    return this.posted;
  }

  answer(how: Answer): void {
    const { request } = this;
    if (!request) return;
    this.request = undefined;
    if (request.kind === 'choose_account')
      return this.send(accountKnown(this.next('key'), how === 'lost' ? undefined : 'only'));
    const isKnown = request.kind === 'create' && this.made.has(request.creation.key);
    if (how === 'ended') {
      this.isSessionOver = true;
      return this.send(failed(401));
    }
    if (how === 'done, but lost') this.perform(request);
    if (how === 'lost' || how === 'done, but lost') return this.send(failed(0));
    if (how === 'busy') return this.send(failed(503));
    if (how === 'refused' && !isKnown) return this.send(failed(409));
    if (how === 'internal') return this.send(failed(undefined));
    const sent: Partial<Record<Field, string | null>> =
      request.kind === 'create' ? request.creation.body : request.change;
    const [first] = FIELDS.filter((field) => sent[field] === this.typed[field] && sent[field] !== undefined);
    if (how === 'field refused' && first && !isKnown) return this.send(failed(422, { [first]: 'No.' }));
    const made = this.perform(request);
    assert.ok(made);
    for (const field of FIELDS) if (sent[field] === this.typed[field]) delete this.typed[field];
    this.send({ kind: 'saved', post: made });
  }

  /** The tab is gone. Its writer comes back, signed in, and finds what the browser has kept. */
  reload(): void {
    this.request = undefined;
    this.isTimerOn = false;
    this.isSessionOver = false;
    const { kept, posted } = this;
    if (this.state.id === undefined || !posted) {
      this.state = newDraft();
      if (kept) this.send({ kind: 'left_text_found', kept });
      return;
    }
    for (const field of FIELDS) if (posted[field] === this.typed[field]) delete this.typed[field];
    const first = begin(posted, kept);
    this.state = first.state;
    for (const effect of first.effects) this.#run(effect);
  }

  check(): void {
    const { state } = this;
    assert.equal(isBusy(state), this.request !== undefined, 'a state that does not fit the request');
    assert.equal(isPausing(state), this.isTimerOn, 'a state that does not fit the timer');
    assert.ok(this.made.size <= 1, 'two posts');
    for (const field of FIELDS) {
      const text = this.typed[field];
      if (text === undefined) continue;
      assert.equal(state.texts.now[field], text, `the ${field} is lost`);
      assert.equal(this.kept?.fields[field], text, `the ${field} would be lost with the tab`);
    }
    if (state.phase.name === 'resting' && saveable(state.texts).length > 0)
      assert.notEqual(state.problem, undefined, 'it rests on unsaved text, and says nothing');
  }
}

const ANSWERS = [
  'done',
  'done, but lost',
  'lost',
  'busy',
  'refused',
  'field refused',
  'internal',
  'ended',
] as const;
type Answer = (typeof ANSWERS)[number];

type Act = (world: World) => void;
const act = (name: string, run: Act): Act => Object.assign(run, { toString: () => name });

const anyField = fc.constantFrom(...FIELDS);
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
  act('another member types', (world) => {
    if (!world.posted || world.state.id === undefined) return;
    world.posted = { ...world.posted, caption: world.next('theirs') };
    world.send({ kind: 'post_received', post: world.posted });
  }),
  act('reloads', (world) => world.reload()),
  act('reloads after a save that arrives', (world) => {
    if (world.request) world.perform(world.request);
    world.reload();
  }),
  act('answers without a request', (world) => {
    const { state, request } = world;
    const strays: DraftEvent[] = [
      ...(request?.kind === 'choose_account' ? [] : [accountKnown('stray')]),
      ...(request && request.kind !== 'choose_account'
        ? []
        : [failed(401), failed(0), { kind: 'saved', post: post({ title: 'stray' }) } as const]),
    ];
    for (const event of strays) assert.deepEqual(reduce(state, event), { state, effects: [] });
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
  for (let retries = 0; retries < 3; ) {
    if (world.request) world.answer('done');
    else if (world.isTimerOn) {
      world.isTimerOn = false;
      world.send(TIMER);
    } else {
      retries += 1;
      world.send(RETRY);
    }
    world.check();
  }
}

describe('a draft, whatever happens to it', () => {
  it('never saves twice at once, loses no text, makes one post, and is still when the session has ended', () => {
    fc.assert(
      fc.property(fc.boolean(), acts, (isNew, steps) => void walk(isNew, steps)),
      { numRuns: 600 },
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
      { numRuns: 300 },
    );
  });
});

/** All fields but those with a mistake, and a title that the member never gave. */
const saveableFields = ({ texts }: DraftState): Field[] =>
  FIELDS.filter((field) => mistakeIn(field, texts.now[field]) === undefined);
