import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EXAMPLES } from '../../test/draft-examples.js';
import { EVENTS, type Name, NOTHING, TABLE } from '../../test/draft-table.js';
import { reduce } from './draft-reduce.js';
import type { EventKind } from './draft-state.js';

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
    if (effect.kind === 'reread') return `reread ${effect.id}`;
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
      'clashing',
      'comparing',
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
      reread: true,
      clash_answered: true,
      elsewhere_seen: true,
      session_lost: true,
    };
    assert.deepEqual(
      [...new Set(Object.values(EVENTS).map(({ kind }) => kind))].sort(),
      Object.keys(kinds).sort(),
    );
  });
});
