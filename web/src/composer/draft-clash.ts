// Two texts for one field: what the member has typed, and what the API has by now. Neither replaces the other until the member
// has seen both and chooses.
import type { SeenPost } from '../api/client.js';
import { noticed } from './draft-elsewhere.js';
import type { DraftState, Step } from './draft-state.js';
import {
  CHANGED,
  type EventOf,
  failForNow,
  PAUSE_MS,
  pause,
  type StateIn,
  save,
  saveMore,
  step,
  typed,
} from './draft-steps.js';
import { type Field, fieldsOf } from './fields.js';
import { catchUp, settle } from './texts.js';

export interface Clash {
  readonly field: Field;
  readonly mine: string;
  readonly theirs: string;
}

/** The fields that the member has to choose about. */
export function clashesOf(state: DraftState): Clash[] {
  const { phase, texts } = state;
  if (phase.name !== 'clashing') return [];
  const theirs = fieldsOf(phase.theirs, state.fallbackTitle);
  return catchUp(texts, theirs, true).unseen.map((field) => ({
    field,
    mine: texts.now[field],
    theirs: theirs[field],
  }));
}

/** Takes over what the member has not changed. What is left is a clash. */
export function meet(state: DraftState, post: SeenPost): { met: DraftState; isClash: boolean } {
  const { texts, unseen } = catchUp(state.texts, fieldsOf(post, state.fallbackTitle), true);
  const met = { ...state, texts, problem: undefined };
  return unseen.length === 0
    ? { met: { ...met, etag: post.etag ?? state.etag }, isClash: false }
    : { met: { ...met, restored: undefined, phase: { name: 'clashing', theirs: post } }, isClash: true };
}

/** After a 412. Often nothing of the text has changed, but a file or the slot: then the save is repeated. */
export function compare(state: StateIn<'comparing'>, { post }: EventOf<'reread'>): Step {
  // The API refused this very ETag. It would again, so the next try comes later.
  if (post.etag === undefined || post.etag === state.etag) return failForNow(state, undefined);
  const { met: read, isClash } = meet(state, post);
  const met = { ...read, elsewhere: noticed(state, read.texts, []) };
  if (!isClash) return saveMore(met);
  return step(met, ...(state.phase.isPausing ? [{ kind: 'stop_timer' } as const] : []), CHANGED);
}

/** Yet another change from elsewhere. */
export function compareAgain(state: StateIn<'clashing'>, { post }: EventOf<'post_received'>): Step {
  const { met, isClash } = meet(state, post);
  return isClash ? step(met, CHANGED) : save(met);
}

/** The member goes on writing, and may arrive at the other text. */
export function typedInClash(state: StateIn<'clashing'>, event: EventOf<'typed'>): Step {
  const { met, isClash } = meet(typed(state, event), state.phase.theirs);
  return isClash ? step(met, CHANGED) : pause(met, PAUSE_MS);
}

export function answerClash(state: StateIn<'clashing'>, { isMine }: EventOf<'clash_answered'>): Step {
  const { theirs } = state.phase;
  const names = clashesOf(state).map(({ field }) => field);
  const texts = settle(state.texts, fieldsOf(theirs, state.fallbackTitle), names, isMine);
  return save({ ...state, texts, etag: theirs.etag ?? state.etag });
}
