import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  accountKnown,
  EXAMPLES,
  FILE,
  failed,
  post,
  RETRY,
  SAVE,
  saved,
  TIMER,
  typed,
} from './draft-examples.js';
import { reduce } from './draft-reduce.js';
import type { DraftEvent, EventKind } from './draft-state.js';

/** One of each kind; of failures one of each outcome. */
const EVENTS = {
  typed: typed('hashtags', '#maps'),
  type_chosen: { kind: 'type_chosen', postType: 'video' },
  focused: { kind: 'focused', field: 'title' },
  post_requested: FILE,
  save_requested: SAVE,
  retry_requested: RETRY,
  restore_answered: { kind: 'restore_answered', isKept: true },
  timer_fired: TIMER,
  left_text_found: { kind: 'left_text_found', kept: { fields: { caption: 'Left' } } },
  post_received: { kind: 'post_received', post: post({ hashtags: '#theirs' }) },
  account_known: accountKnown(),
  saved: saved(),
  'failed, temporary': failed(503),
  'failed, session': failed(401),
  'failed, field': failed(422, { title: 'Too plain.' }),
  'failed, refused': failed(409),
  'failed, internal': failed(undefined),
} as const satisfies Record<string, DraftEvent>;
type Name = keyof typeof EVENTS;

/** The event changes nothing and asks for nothing. */
const NOTHING = 'nothing';
const FAILURES_IGNORED = {
  'failed, temporary': NOTHING,
  'failed, session': NOTHING,
  'failed, field': NOTHING,
  'failed, refused': NOTHING,
  'failed, internal': NOTHING,
} as const;

/** Next state (+timer: one runs beside the save): what is to be done, in this order. */
const TABLE: Record<keyof typeof EXAMPLES, Record<Name, string>> = {
  'resting, new': {
    typed: 'pausing: start_timer 600, changed',
    type_chosen: 'resting: changed',
    focused: 'resting:',
    post_requested: 'choosing_account: changed, choose_account',
    save_requested: 'resting: changed',
    retry_requested: NOTHING,
    restore_answered: 'pausing: start_timer 0, changed',
    timer_fired: NOTHING,
    left_text_found: 'pausing: start_timer 0, changed',
    post_received: 'resting: changed',
    account_known: NOTHING,
    saved: NOTHING,
    ...FAILURES_IGNORED,
  },
  'resting, saved': {
    typed: 'pausing: start_timer 600, changed',
    type_chosen: NOTHING,
    focused: 'resting:',
    post_requested: NOTHING,
    save_requested: 'resting: changed',
    retry_requested: NOTHING,
    restore_answered: 'pausing: start_timer 0, changed',
    timer_fired: NOTHING,
    left_text_found: NOTHING,
    post_received: 'resting: changed',
    account_known: NOTHING,
    saved: NOTHING,
    ...FAILURES_IGNORED,
  },
  'pausing, new': {
    typed: 'pausing: start_timer 600, changed',
    type_chosen: 'pausing: changed',
    focused: 'pausing:',
    post_requested: 'choosing_account: stop_timer, changed, choose_account',
    save_requested: 'choosing_account: stop_timer, changed, choose_account',
    retry_requested: 'choosing_account: stop_timer, changed, choose_account',
    restore_answered: 'pausing: start_timer 0, changed',
    timer_fired: 'choosing_account: stop_timer, changed, choose_account',
    left_text_found: NOTHING,
    post_received: 'pausing: changed',
    account_known: NOTHING,
    saved: NOTHING,
    ...FAILURES_IGNORED,
  },
  'pausing, saved': {
    typed: 'pausing: start_timer 600, changed',
    type_chosen: NOTHING,
    focused: 'pausing:',
    post_requested: NOTHING,
    save_requested: 'updating: stop_timer, changed, update title',
    retry_requested: 'updating: stop_timer, changed, update title',
    restore_answered: 'pausing: start_timer 0, changed',
    timer_fired: 'updating: stop_timer, changed, update title',
    left_text_found: NOTHING,
    post_received: 'pausing: changed',
    account_known: NOTHING,
    saved: NOTHING,
    ...FAILURES_IGNORED,
  },
  choosing_account: {
    typed: 'choosing_account+timer: start_timer 600, changed',
    type_chosen: 'choosing_account: changed',
    focused: 'choosing_account:',
    post_requested: 'choosing_account: stop_timer, changed',
    save_requested: 'choosing_account: stop_timer, changed',
    retry_requested: 'choosing_account: stop_timer, changed',
    restore_answered: 'choosing_account+timer: start_timer 0, changed',
    timer_fired: 'choosing_account: stop_timer, changed',
    left_text_found: NOTHING,
    post_received: NOTHING,
    account_known: 'creating: changed, create key-1',
    saved: NOTHING,
    ...FAILURES_IGNORED,
  },
  creating: {
    typed: 'creating+timer: start_timer 600, changed',
    type_chosen: NOTHING,
    focused: 'creating:',
    post_requested: 'creating: stop_timer, changed',
    save_requested: 'creating: stop_timer, changed',
    retry_requested: 'creating: stop_timer, changed',
    restore_answered: 'creating+timer: start_timer 0, changed',
    timer_fired: 'creating: stop_timer, changed',
    left_text_found: NOTHING,
    post_received: NOTHING,
    account_known: NOTHING,
    saved: 'resting: created p, changed',
    'failed, temporary': 'pausing: start_timer 2000, changed',
    'failed, session': 'ended: changed',
    'failed, field': 'resting: changed',
    'failed, refused': 'resting: changed',
    'failed, internal': 'resting: changed',
  },
  updating: {
    typed: 'updating+timer: start_timer 600, changed',
    type_chosen: NOTHING,
    focused: 'updating:',
    post_requested: NOTHING,
    save_requested: 'updating: stop_timer, changed',
    retry_requested: 'updating: stop_timer, changed',
    restore_answered: 'updating+timer: start_timer 0, changed',
    timer_fired: 'updating: stop_timer, changed',
    left_text_found: NOTHING,
    post_received: NOTHING,
    account_known: NOTHING,
    saved: 'resting: updated p, changed',
    'failed, temporary': 'pausing: start_timer 2000, changed',
    'failed, session': 'ended: changed',
    'failed, field': 'resting: changed',
    'failed, refused': 'resting: changed',
    'failed, internal': 'resting: changed',
  },
  'updating, timer': {
    typed: 'updating+timer: start_timer 600, changed',
    type_chosen: NOTHING,
    focused: 'updating+timer:',
    post_requested: NOTHING,
    save_requested: 'updating: stop_timer, changed',
    retry_requested: 'updating: stop_timer, changed',
    restore_answered: 'updating+timer: start_timer 0, changed',
    timer_fired: 'updating: stop_timer, changed',
    left_text_found: NOTHING,
    post_received: NOTHING,
    account_known: NOTHING,
    saved: 'pausing: updated p, changed',
    'failed, temporary': 'pausing: start_timer 2000, changed',
    'failed, session': 'ended+timer: changed',
    'failed, field': 'pausing: changed',
    'failed, refused': 'pausing: changed',
    'failed, internal': 'pausing: changed',
  },
  ended: {
    typed: 'ended+timer: start_timer 600, changed',
    type_chosen: NOTHING,
    focused: 'ended:',
    post_requested: NOTHING,
    save_requested: 'ended: stop_timer, changed',
    retry_requested: 'ended: stop_timer, changed',
    restore_answered: 'ended+timer: start_timer 0, changed',
    timer_fired: 'ended: stop_timer, changed',
    left_text_found: NOTHING,
    post_received: 'ended: changed',
    account_known: NOTHING,
    saved: NOTHING,
    ...FAILURES_IGNORED,
  },
};

function outcomeOf(example: keyof typeof EXAMPLES, name: Name): string {
  const before = EXAMPLES[example];
  const { state, effects } = reduce(before, EVENTS[name]);
  if (state === before && effects.length === 0) return NOTHING;
  const { phase } = state;
  const timer = 'isPausing' in phase && phase.isPausing ? '+timer' : '';
  const done = effects.map((effect) => {
    if (effect.kind === 'start_timer') return `start_timer ${effect.ms}`;
    if (effect.kind === 'create') return `create ${effect.creation.key}`;
    if (effect.kind === 'update') return `update ${Object.keys(effect.change)}`;
    if (effect.kind === 'created' || effect.kind === 'updated') return `${effect.kind} ${effect.post.id}`;
    return effect.kind;
  });
  return `${phase.name}${timer}: ${done.join(', ')}`.trim();
}

describe('the transition table of a draft', () => {
  for (const example of Object.keys(TABLE) as (keyof typeof EXAMPLES)[])
    it(`of ${example} has an outcome for each event`, () => {
      const outcomes = (Object.keys(EVENTS) as Name[]).map((name) => [name, outcomeOf(example, name)]);
      assert.deepEqual(Object.fromEntries(outcomes), TABLE[example]);
    });

  it('is tested with every state and every event', () => {
    const states = new Set(Object.values(EXAMPLES).map(({ phase }) => phase.name));
    assert.deepEqual([...states].sort(), [
      'choosing_account',
      'creating',
      'ended',
      'pausing',
      'resting',
      'updating',
    ]);
    const kinds: Record<EventKind, true> = {
      typed: true,
      type_chosen: true,
      focused: true,
      post_requested: true,
      save_requested: true,
      retry_requested: true,
      restore_answered: true,
      timer_fired: true,
      left_text_found: true,
      post_received: true,
      account_known: true,
      saved: true,
      failed: true,
    };
    assert.deepEqual(
      [...new Set(Object.values(EVENTS).map(({ kind }) => kind))].sort(),
      Object.keys(kinds).sort(),
    );
  });
});
