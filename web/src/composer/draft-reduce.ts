// The transition table of a draft: what each event does in each state. Pure; draft.ts carries out the effects.
//
//                   typed             save requested      timer fired      answer                     failed
// resting           pausing           saves               -                -                          -
// pausing           pausing           saves               saves            -                          -
// choosing_account  timer runs too    timer stops         timer stops      account known: creating    -
// creating          timer runs too    timer stops         timer stops      saved: goes on             by kind
// updating          timer runs too    timer stops         timer stops      saved: goes on             by kind
// comparing         timer runs too    timer stops         timer stops      reread: goes on, or clash  by kind
// clashing          the text is kept  -                   -                -                          -
// ended             the text is kept  -                   -                -                          -
//
// "Saves" leads to choosing_account, to updating or, with nothing to save, to resting. "Goes on" does the same, but to
// pausing if the timer runs too. A temporary failure leads to pausing, a 401 to ended, a 412 to comparing; after a refusal
// of single fields the draft goes on with the others; any other failure leads to resting, or to pausing if the timer runs
// too. Clashing ends with the member's choice, or when the texts no longer differ; then the draft saves. Ended is the end.
import { answerClash, compare, compareAgain, typedInClash } from './draft-clash.js';
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
  endSession,
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
  seeElsewhere,
  skipPause,
  step,
  typed,
  typedInVain,
  updated,
} from './draft-steps.js';
import type { Field } from './fields.js';

type Rule<N extends PhaseName, K extends EventKind> = (state: StateIn<N>, event: EventOf<K>) => Step;
type Row<N extends PhaseName> = { readonly [K in EventKind]: Rule<N, K> };

/** With one press: no more is to come. */
const isChosen = (field: Field): boolean =>
  field === 'social_account_id' || field === 'cover_index' || field === 'labels';

/** Every state accepts what the member does. They differ in how a save is put off (`later`) or brought forward (`now`). */
function member<N extends PhaseName>(
  later: (state: StateIn<N>, ms: number) => Step,
  now: (state: StateIn<N>) => Step,
) {
  return {
    typed: (state, event) => later(typed(state, event), isChosen(event.field) ? 0 : PAUSE_MS),
    type_chosen: chooseType,
    focused: focus,
    post_requested: (state, event) =>
      state.id === undefined ? now(requestPost(state, event)) : ignore(state),
    save_requested: now,
    retry_requested: (state) => (hasUnsaved(state) ? now(clearRefusals(state)) : ignore(state)),
    restore_answered: (state, event) => later(answerRestore(state, event), 0),
    elsewhere_seen: seeElsewhere,
    left_text_found: (state, { kept }) => {
      if (!canTakeUp(state)) return ignore(state);
      const restored = restore(state, kept);
      return hasUnsaved(restored) ? later(restored, 0) : step(restored, CHANGED);
    },
  } satisfies Partial<Row<N>>;
}

/** Cannot happen in this state. It is ignored all the same: an exception could cost the member the text. */
const impossible = ignore;

/** No clash to answer, and no post read again. */
const noChoice = { reread: impossible, clash_answered: impossible } as const;

/** Nothing is saved in this state, whatever the member asks for. */
const still = {
  type_chosen: ignore,
  focused: focus,
  post_requested: ignore,
  save_requested: ignore,
  retry_requested: ignore,
  restore_answered: ignore,
  elsewhere_seen: seeElsewhere,
  left_text_found: ignore,
  timer_fired: impossible,
  post_received: ignore,
  account_known: impossible,
  saved: impossible,
  failed: impossible,
  session_lost: ignore,
  ...noChoice,
} as const;

const takeBack: Rule<'ended', 'restore_answered'> = (state, event) =>
  step(answerRestore(state, event), CHANGED);

const TABLE: { readonly [N in PhaseName]: Row<N> } = {
  resting: {
    ...member<'resting'>(pause, save),
    timer_fired: impossible,
    post_received: receive,
    account_known: impossible,
    saved: impossible,
    failed: impossible,
    ...noChoice,
    session_lost: endSession,
  },
  pausing: {
    ...member<'pausing'>(pause, save),
    timer_fired: save,
    post_received: receive,
    account_known: impossible,
    saved: impossible,
    failed: impossible,
    ...noChoice,
    session_lost: endSession,
  },
  choosing_account: {
    ...member<'choosing_account'>(pauseBeside, skipPause),
    timer_fired: skipPause,
    post_received: ignore,
    account_known: create,
    saved: impossible,
    failed: impossible,
    ...noChoice,
    session_lost: endSession,
  },
  creating: {
    ...member<'creating'>(pauseBeside, skipPause),
    timer_fired: skipPause,
    post_received: ignore,
    account_known: impossible,
    saved: created,
    failed: fail,
    ...noChoice,
    // The save has its own answer.
    session_lost: ignore,
  },
  updating: {
    ...member<'updating'>(pauseBeside, skipPause),
    timer_fired: skipPause,
    // It may be older than what this save sends. The answer to the save is newer.
    post_received: ignore,
    account_known: impossible,
    saved: updated,
    failed: fail,
    ...noChoice,
    session_lost: ignore,
  },
  comparing: {
    ...member<'comparing'>(pauseBeside, skipPause),
    timer_fired: skipPause,
    post_received: ignore,
    account_known: impossible,
    saved: impossible,
    failed: fail,
    reread: compare,
    clash_answered: impossible,
    session_lost: ignore,
  },
  clashing: {
    ...still,
    typed: typedInClash,
    post_received: compareAgain,
    clash_answered: answerClash,
    session_lost: endSession,
  },
  ended: { ...still, typed: typedInVain, restore_answered: takeBack },
};

export function reduce(state: DraftState, event: DraftEvent): Step {
  // The row fits the state and the cell the event, which the type of a lookup cannot say.
  const rule = TABLE[state.phase.name][event.kind] as (state: DraftState, event: DraftEvent) => Step;
  return rule(state, event);
}
