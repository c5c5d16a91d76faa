// The transition table of a draft: what each event does in each state. Pure; draft.ts carries out the effects.
//
//                   typed             save requested      timer fired      account known   saved      failed
// resting           pausing           saves               -                -               -          -
// pausing           pausing           saves               saves            -               -          -
// choosing_account  timer runs too    timer stops         timer stops      creating        -          -
// creating          timer runs too    timer stops         timer stops      -               goes on    by kind
// updating          timer runs too    timer stops         timer stops      -               goes on    by kind
// ended             timer runs too    timer stops         timer stops      -               -          -
//
// "Saves" leads to choosing_account, to updating or, with nothing to save, to resting. "Goes on" does the same, but to
// pausing if the timer runs too. A temporary failure leads to pausing, a 401 to ended; after a refusal of single fields
// the draft goes on with the others; any other failure leads to resting, or to pausing if the timer runs too.
import {
  type DraftEvent,
  type DraftState,
  type EventKind,
  hasUnsaved,
  type PhaseName,
  type Step,
} from './draft-state.js';
import {
  answerRestore,
  CHANGED,
  canTakeUp,
  chooseType,
  clearRefusals,
  create,
  created,
  type EventOf,
  fail,
  focus,
  ignore,
  PAUSE_MS,
  pause,
  pauseBeside,
  receive,
  requestPost,
  restore,
  type StateIn,
  save,
  skipPause,
  step,
  typed,
  updated,
} from './draft-steps.js';

type Rule<N extends PhaseName, K extends EventKind> = (state: StateIn<N>, event: EventOf<K>) => Step;
type Row<N extends PhaseName> = { readonly [K in EventKind]: Rule<N, K> };

/** Every state accepts what the member does. They differ in how a save is put off (`later`) or brought forward (`now`). */
function member<N extends PhaseName>(
  later: (state: StateIn<N>, ms: number) => Step,
  now: (state: StateIn<N>) => Step,
) {
  return {
    typed: (state, event) => later(typed(state, event), event.field === 'social_account_id' ? 0 : PAUSE_MS),
    type_chosen: chooseType,
    focused: focus,
    post_requested: (state, event) =>
      state.id === undefined ? now(requestPost(state, event)) : ignore(state),
    save_requested: now,
    retry_requested: (state) => (hasUnsaved(state) ? now(clearRefusals(state)) : ignore(state)),
    restore_answered: (state, event) => later(answerRestore(state, event), 0),
    left_text_found: (state, { kept }) => {
      if (!canTakeUp(state)) return ignore(state);
      const restored = restore(state, kept);
      return hasUnsaved(restored) ? later(restored, 0) : step(restored, CHANGED);
    },
  } satisfies Partial<Row<N>>;
}

/** Cannot happen in this state. It is ignored all the same: an exception could cost the member the text. */
const impossible = ignore;

const TABLE: { readonly [N in PhaseName]: Row<N> } = {
  resting: {
    ...member<'resting'>(pause, save),
    timer_fired: impossible,
    post_received: receive,
    account_known: impossible,
    saved: impossible,
    failed: impossible,
  },
  pausing: {
    ...member<'pausing'>(pause, save),
    timer_fired: save,
    post_received: receive,
    account_known: impossible,
    saved: impossible,
    failed: impossible,
  },
  choosing_account: {
    ...member<'choosing_account'>(pauseBeside, skipPause),
    timer_fired: skipPause,
    post_received: ignore,
    account_known: create,
    saved: impossible,
    failed: impossible,
  },
  creating: {
    ...member<'creating'>(pauseBeside, skipPause),
    timer_fired: skipPause,
    post_received: ignore,
    account_known: impossible,
    saved: created,
    failed: fail,
  },
  updating: {
    ...member<'updating'>(pauseBeside, skipPause),
    timer_fired: skipPause,
    // It may be older than what this save sends. The answer to the save is newer.
    post_received: ignore,
    account_known: impossible,
    saved: updated,
    failed: fail,
  },
  ended: {
    ...member<'ended'>(pauseBeside, skipPause),
    timer_fired: skipPause,
    post_received: receive,
    account_known: impossible,
    saved: impossible,
    failed: impossible,
  },
};

export function reduce(state: DraftState, event: DraftEvent): Step {
  // The row fits the state and the cell the event, which the type of a lookup cannot say.
  const rule = TABLE[state.phase.name][event.kind] as (state: DraftState, event: DraftEvent) => Step;
  return rule(state, event);
}
