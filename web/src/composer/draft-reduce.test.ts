import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { EXAMPLES, phaseOf, play, sentIn } from '../../test/draft-examples.js';
import { EVENTS, type Name, TABLE } from '../../test/draft-table.js';
import type { EventKind } from './draft-state.js';

function outcomeOf(example: keyof typeof EXAMPLES, name: Name): string | undefined {
  const before = EXAMPLES[example];
  const { state, request, timer } = play(before, EVENTS[name]);
  if (isDeepStrictEqual(state, before)) return undefined;
  const then = [
    ...(timer ? [`timer ${timer.ms}`] : []),
    ...(before.timer && !state.timer ? ['no timer'] : []),
    ...(request ? [[request.kind, ...Object.keys(sentIn(request) ?? {})].join(' ')] : []),
  ];
  const beside = state.request && state.timer ? ' and timer' : '';
  return `${phaseOf(state)}${beside}: ${then.join(', ')}`.trim();
}

describe('the transition table of a draft', () => {
  for (const example of Object.keys(TABLE) as (keyof typeof EXAMPLES)[])
    it(`of ${example} has an outcome for each event`, () => {
      const outcomes = (Object.keys(EVENTS) as Name[]).flatMap((name) => {
        const outcome = outcomeOf(example, name);
        return outcome === undefined ? [] : [[name, outcome]];
      });
      assert.deepEqual(Object.fromEntries(outcomes), TABLE[example]);
    });

  it('is tested with every state and every event', () => {
    assert.deepEqual([...new Set(Object.values(EXAMPLES).map(phaseOf))].sort(), [
      ...['conflict', 'create', 'ended', 'find_account', 'pausing', 'reread', 'resting', 'update'],
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
      abandoned_text_found: true,
      post_received: true,
      account_found: true,
      saved: true,
      failed: true,
      reread: true,
      conflict_answered: true,
      remote_seen: true,
      session_lost: true,
    };
    assert.deepEqual(
      [...new Set(Object.values(EVENTS).map(({ kind }) => kind))].sort(),
      Object.keys(kinds).sort(),
    );
  });
});
