// The steps of a draft's transition table (draft-reduce.ts): what each event changes, and what is to be done then.
import type { SeenPost } from '../api/client.js';
import { isQuiet, NOWHERE, noticed, touched } from './draft-elsewhere.js';
import {
  type DraftEvent,
  type DraftState,
  type Effect,
  type EventKind,
  type Failure,
  hasUnsaved,
  isPausing,
  type Phase,
  type PhaseName,
  type Step,
} from './draft-state.js';
import { changeOf, creationOf, type Fields, fieldsOf } from './fields.js';
import { accept, catchUp, forgetRefusals, lose, pick, refuse, replace, saveable, type } from './texts.js';
import type { Creation, Kept } from './unsaved-storage.js';

export type StateIn<N extends PhaseName> = DraftState & { readonly phase: Extract<Phase, { name: N }> };
export type EventOf<K extends EventKind> = Extract<DraftEvent, { kind: K }>;
type WithTimer = StateIn<'choosing_account' | 'creating' | 'updating' | 'comparing'>;

export const PAUSE_MS = 600;
const RETRY_MS: readonly number[] = [2_000, 4_000, 8_000, 15_000, 30_000];

export const step = (state: DraftState, ...effects: Effect[]): Step => ({ state, effects });
export const CHANGED: Effect = { kind: 'changed' };

/** The event changes nothing. */
export const ignore = (state: DraftState): Step => step(state);

// When to save: later or now, with a request under way or without.

/** Later, with nothing under way. */
export const pause = (state: DraftState, ms: number): Step =>
  step({ ...state, phase: { name: 'pausing' } }, { kind: 'start_timer', ms }, CHANGED);

/** Later, with a save under way: if the timer still runs when the answer comes, the next save waits for it. */
export const pauseBeside = (state: WithTimer, ms: number): Step =>
  step({ ...state, phase: { ...state.phase, isPausing: true } }, { kind: 'start_timer', ms }, CHANGED);

/** Now, with a save under way: the next one follows the answer at once. */
export const skipPause = (state: WithTimer): Step =>
  step({ ...state, phase: { ...state.phase, isPausing: false } }, { kind: 'stop_timer' }, CHANGED);

/** Now: every text without a mistake. */
export function save(state: DraftState): Step {
  const { id, texts, etag } = state;
  const names = saveable(texts);
  const before: Effect[] = state.phase.name === 'pausing' ? [{ kind: 'stop_timer' }, CHANGED] : [CHANGED];
  if (id !== undefined && names.length > 0) {
    const phase: Phase = { name: 'updating', names, sent: pick(texts.now, names), isPausing: false };
    const change = changeOf(texts.now, names);
    return step({ ...state, phase }, ...before, { kind: 'update', id, change, etag });
  }
  if (id === undefined && (state.isWanted || state.creation || names.length > 0)) {
    const phase: Phase = { name: 'choosing_account', names, isPausing: false };
    return step({ ...state, phase }, ...before, { kind: 'choose_account' });
  }
  return step({ ...state, phase: { name: 'resting' } }, ...before);
}

/** Saves what was typed meanwhile. While the member still types, the pause after the last letter comes first. */
export const saveMore = (state: DraftState): Step => (isPausing(state) ? end(state) : save(state));

const end = (state: DraftState): Step =>
  step({ ...state, phase: { name: isPausing(state) ? 'pausing' : 'resting' } }, CHANGED);

// What the member does.

export const typed = <S extends DraftState>(state: S, { field, text }: EventOf<'typed'>): S => ({
  ...state,
  texts: type(state.texts, field, text),
  elsewhere: touched(state.elsewhere, field),
  hasOwnHashtags: state.hasOwnHashtags || field === 'hashtags',
  problem: undefined,
  failures: 0,
});

/** Only before the first save is sent: the API cannot change the type of a post. */
export function chooseType(state: DraftState, { postType }: EventOf<'type_chosen'>): Step {
  if (state.id !== undefined || state.creation || postType === state.postType) return ignore(state);
  return step({ ...state, postType }, CHANGED);
}

export const focus = (state: DraftState, { field }: EventOf<'focused'>): Step =>
  step({ ...state, texts: { ...state.texts, focused: field } });

export const requestPost = <S extends DraftState>(
  state: S,
  { fallbackTitle }: EventOf<'post_requested'>,
): S => ({
  ...state,
  fallbackTitle,
  isWanted: true,
  problem: undefined,
});

export const clearRefusals = <S extends DraftState>(state: S): S => ({
  ...state,
  texts: forgetRefusals(state.texts),
  problem: undefined,
});

export function answerRestore<S extends DraftState>(state: S, { isKept }: EventOf<'restore_answered'>): S {
  const { restored, texts } = state;
  const isTakenBack = !isKept && restored !== undefined;
  return { ...state, restored: undefined, texts: isTakenBack ? replace(texts, restored.before) : texts };
}

export const seeElsewhere = (state: DraftState): Step =>
  isQuiet(state.elsewhere) ? ignore(state) : step({ ...state, elsewhere: NOWHERE }, CHANGED);

/** Text from a closed tab goes only into a new post that is still empty. */
export const canTakeUp = (state: DraftState): boolean => state.id === undefined && !hasUnsaved(state);

export function restore<S extends DraftState>(state: S, { fields, postType, creation }: Kept): S {
  const isNew = state.id === undefined;
  const next: S = {
    ...state,
    texts: replace(state.texts, fields),
    creation,
    postType: isNew && postType ? postType : state.postType,
  };
  return hasUnsaved(next) ? { ...next, restored: { before: state.texts.now, isNew } } : next;
}

// What the API says.

/**
 * The post as it is now: another member may have changed it. A save may name its ETag only if the fields show everything that
 * has changed.
 */
export function receive(state: DraftState, { post }: EventOf<'post_received'>): Step {
  const { texts, unseen } = catchUp(state.texts, fieldsOf(post, state.fallbackTitle));
  const etag = seenTag(state, post, unseen);
  const elsewhere = noticed(state, texts, unseen);
  if (texts === state.texts && elsewhere === state.elsewhere)
    return etag === state.etag ? ignore(state) : step({ ...state, etag });
  return step({ ...state, texts, etag, elsewhere }, CHANGED);
}

const seenTag = ({ etag }: DraftState, post: SeenPost, unseen: readonly unknown[]): string | undefined =>
  unseen.length === 0 ? (post.etag ?? etag) : etag;

/** The same body under the same key until the API answers. The browser keeps both before the request leaves. */
export function create(state: StateIn<'choosing_account'>, { account, key }: EventOf<'account_known'>): Step {
  const { phase, fallbackTitle, postType } = state;
  const { hashtags = '', ...chosen } = account;
  const isFilled = hashtags !== '' && !state.hasOwnHashtags && state.texts.now.hashtags === '';
  // From here on they are the member's own text.
  const texts = isFilled && !state.creation ? replace(state.texts, { hashtags }) : state.texts;
  const names = texts === state.texts ? phase.names : [...phase.names, 'hashtags' as const];
  const creation: Creation = state.creation ?? {
    key,
    names: [...names],
    body: { ...chosen, ...creationOf(texts.now, names, fallbackTitle), post_type: postType },
  };
  const sent = pick(creation.body, creation.names);
  return step({ ...state, texts, creation, phase: { ...phase, names, name: 'creating', sent } }, CHANGED, {
    kind: 'create',
    creation,
  });
}

export function created(state: StateIn<'creating'>, { post }: EventOf<'saved'>): Step {
  const exists = {
    ...taken(state, post, state.phase.sent),
    creation: undefined,
    isWanted: false,
    id: post.id,
  };
  return after({ kind: 'created', post }, saveMore(exists));
}

export const updated = (state: StateIn<'updating'>, { post }: EventOf<'saved'>): Step =>
  after({ kind: 'updated', post }, saveMore(taken(state, post, state.phase.sent)));

function taken(state: DraftState, post: SeenPost, sent: Partial<Fields>): DraftState {
  const { texts, unseen } = accept(state.texts, fieldsOf(post, state.fallbackTitle), sent);
  const elsewhere = state.id === undefined ? state.elsewhere : noticed(state, texts, unseen);
  return { ...state, texts, elsewhere, etag: seenTag(state, post, unseen), failures: 0, problem: undefined };
}

const after = (first: Effect, { state, effects }: Step): Step => step(state, first, ...effects);

type FailureKind = 'temporary' | 'session_ended' | 'clash' | 'refused' | 'internal';

export function kindOf({ status }: Pick<Failure, 'status'>): FailureKind {
  if (status === undefined) return 'internal';
  if (status === 0 || status === 429 || status >= 500) return 'temporary';
  if (status === 412) return 'clash';
  return status === 401 ? 'session_ended' : 'refused';
}

export function fail(
  state: StateIn<'creating' | 'updating' | 'comparing'>,
  failure: EventOf<'failed'>,
): Step {
  const failed: DraftState = { ...state, problem: failure.problem, failures: 0 };
  const kind = kindOf(failure);
  switch (kind) {
    case 'temporary':
      return failForNow(state, failure.problem);
    case 'session_ended':
      return endSession(state, failure);
    case 'clash': {
      const { id, phase } = state;
      if (id === undefined || phase.name !== 'updating') return end(failed);
      const { names, isPausing } = phase;
      const comparing: Phase = { name: 'comparing', names, isPausing };
      return step({ ...state, phase: comparing }, CHANGED, { kind: 'reread', id });
    }
    case 'internal':
      return end({ ...failed, texts: doubted(state) });
    case 'refused': {
      const answered = { ...failed, creation: undefined };
      const texts = refuse(state.texts, failure.mistakes, state.phase.names);
      return texts
        ? saveMore({ ...answered, texts, problem: undefined })
        : end({ ...answered, isWanted: false });
    }
    default:
      return kind satisfies never;
  }
}

/** Tries again later. An update may have arrived all the same. */
export function failForNow(state: StateIn<'creating' | 'updating' | 'comparing'>, problem: unknown): Step {
  const ms = RETRY_MS[Math.min(state.failures, RETRY_MS.length - 1)] ?? 0;
  return pause({ ...state, texts: doubted(state), problem, failures: state.failures + 1 }, ms);
}

/** A first save needs no doubt: it is repeated under its key. */
const doubted = ({ texts, phase }: DraftState) =>
  phase.name === 'updating' ? lose(texts, phase.sent) : texts;

export const endSession = (state: DraftState, { problem }: { problem: unknown }): Step =>
  step(
    { ...state, problem, failures: 0, phase: { name: 'ended' } },
    ...(isPausing(state) ? [{ kind: 'stop_timer' } as const] : []),
    CHANGED,
  );

/** The text stays in its field and in this browser, and the screen goes on saying why it is not saved. */
export const typedInVain = (state: StateIn<'ended'>, event: EventOf<'typed'>): Step =>
  step({ ...typed(state, event), problem: state.problem }, CHANGED);
