// What each event changes in a draft. Pure: draft.ts performs the request and runs the timer that the state asks for.
//
// A draft rests, or has a request, a timer, or both: what is typed while a save is under way starts the timer, and when the
// answer is there, the next save begins, or waits for that timer. Three states stop it, with the text in its fields and in this
// browser: a restored text and a conflict, until the member chooses, and the end of the session, for good.
import type { PostWithEtag } from '../api/client.js';
import { UNTITLED } from '../text/post-title.js';
import {
  type DraftEvent,
  type DraftState,
  type EventKind,
  type EventOf,
  type Failure,
  hasUnsaved,
  isAsking,
  mergeRemotePost,
  type PostType,
  type Request,
  resolveConflict,
} from './draft-state.js';
import { creationOf, type Field, type Fields, fieldsOf } from './fields.js';
import {
  accept,
  editField,
  forgetRefusals,
  isQuiet,
  markSaveLost,
  mergeRemote,
  NO_CHANGES,
  noticed,
  pick,
  refuse,
  replace,
  saveable,
  textsOf,
  touched,
} from './texts.js';
import type { Creation, Unsaved } from './unsaved-storage.js';

const PAUSE_MS = 600;
const RETRY_MS: readonly number[] = [2_000, 4_000, 8_000, 15_000, 30_000];

/** What happens although nothing can be saved. Anything else waits for the member's choice, or for the next visit. */
const WITHOUT_SAVING: readonly EventKind[] = [
  ...(['typed', 'focused', 'remote_seen', 'restore_answered'] as const),
  ...(['post_received', 'conflict_answered', 'session_lost'] as const),
];

export function reduce(state: DraftState, event: DraftEvent): DraftState {
  const { request, theirs } = state;
  if (!canSave(state) && !WITHOUT_SAVING.includes(event.kind)) return state;
  switch (event.kind) {
    case 'typed':
      return typed(state, event);
    case 'type_chosen':
      // Only before the first save is sent: the API cannot change the type of a post.
      if (state.id !== undefined || state.creation || event.postType === state.postType) return state;
      return { ...state, postType: event.postType };
    case 'focused':
      return { ...state, texts: { ...state.texts, focused: event.field } };
    case 'post_requested':
      if (state.id !== undefined) return state;
      return saveNow({ ...state, fallbackTitle: event.fallbackTitle, isWanted: true, problem: undefined });
    case 'save_requested':
      return saveNow(state);
    case 'retry_requested':
      if (!hasUnsaved(state)) return state;
      return saveNow({ ...state, texts: forgetRefusals(state.texts), problem: undefined });
    case 'restore_answered':
      return saveIn(0, answerRestore(state, event.isKept));
    case 'conflict_answered':
      return theirs ? save(resolveConflict(state, theirs, event.isMine)) : state;
    case 'remote_seen':
      return isQuiet(state.remote) ? state : { ...state, remote: NO_CHANGES };
    case 'timer_fired':
      return state.timer ? saveNow(state) : state;
    case 'abandoned_text_found':
      return takeUp(state, event.left);
    case 'post_received':
      // While a save is under way it may be older than what that save sends. Its answer is newer.
      return request || state.isEnded ? state : receive(state, event.post);
    case 'account_found':
      return request?.kind === 'find_account' ? create(state, event) : state;
    case 'saved':
      return request?.kind === 'create' || request?.kind === 'update'
        ? saved(state, request, event.post)
        : state;
    case 'reread':
      return request?.kind === 'reread' ? compare(state, event.post) : state;
    case 'failed':
      return request && request.kind !== 'find_account' ? fail(state, request, event) : state;
    case 'session_lost':
      // A request that has left has its own answer.
      if (state.isEnded || (request && request.kind !== 'find_account')) return state;
      return endSession(state, event.problem);
    default:
      return event satisfies never;
  }
}

/** A post or a new one, with the text that this browser has kept of it. */
export function begin(start: PostWithEtag | PostType, kept: Unsaved | undefined): DraftState {
  const isNew = typeof start === 'string';
  const state: DraftState = {
    id: isNew ? undefined : start.id,
    postType: isNew ? start : start.post_type,
    texts: textsOf(isNew ? undefined : fieldsOf(start, UNTITLED)),
    etag: isNew ? undefined : start.etag,
    request: undefined,
    timer: undefined,
    theirs: undefined,
    isEnded: false,
    creation: undefined,
    isWanted: false,
    fallbackTitle: UNTITLED,
    failures: 0,
    problem: undefined,
    restored: undefined,
    remote: NO_CHANGES,
    hasOwnHashtags: false,
  };
  if (!kept || isNew) return kept ? takeUp(state, kept) : state;
  // The post may have changed since the text was typed.
  const { texts, ...restored } = restore(state, kept);
  const known = { ...texts, saved: { ...texts.saved, ...kept.saved }, lost: kept.lost ?? {} };
  const merged = mergeRemotePost({ ...restored, texts: known }, start);
  return hasUnsaved(merged) ? saveIn(0, merged) : { ...merged, restored: undefined };
}

// When to save: later or now, with a request under way or without.

const canSave = (state: DraftState): boolean =>
  state.theirs === undefined && !state.isEnded && !isAsking(state);

const saveIn = (ms: number, state: DraftState): DraftState =>
  canSave(state) ? { ...state, timer: { ms } } : state;

/** With a request under way, the next save follows its answer. */
const saveNow = (state: DraftState): DraftState =>
  state.request ? { ...state, timer: undefined } : save(state);

/** Every text without a mistake. */
function save(state: DraftState): DraftState {
  const { id, texts, etag, isWanted, creation } = state;
  const names = saveable(texts);
  const isNeeded = names.length > 0 || (id === undefined && (isWanted || creation !== undefined));
  const request: Request =
    id === undefined ? { kind: 'find_account' } : { kind: 'update', id, etag, sent: pick(texts.now, names) };
  return { ...state, timer: undefined, request: isNeeded ? request : undefined };
}

/** The request is answered: saves what was typed meanwhile. While the member still types, the timer comes first. */
const proceed = (state: DraftState): DraftState =>
  state.timer ? { ...state, request: undefined } : save({ ...state, request: undefined });

// What the member does.

/** With one press: no more is to come. */
const CHOSEN: readonly Field[] = ['social_account_id', 'cover_index', 'labels'];

function typed(before: DraftState, { field, text }: EventOf<'typed'>): DraftState {
  const state: DraftState = {
    ...before,
    texts: editField(before.texts, field, text),
    remote: touched(before.remote, field),
    hasOwnHashtags: before.hasOwnHashtags || field === 'hashtags',
    // After the end of the session the screen goes on saying why nothing is saved.
    problem: before.isEnded ? before.problem : undefined,
    failures: 0,
  };
  // In a conflict the member goes on writing, and may arrive at the other text.
  const merged = state.theirs ? mergeRemotePost(state, state.theirs) : state;
  return saveIn(CHOSEN.includes(field) && !state.theirs ? 0 : PAUSE_MS, merged);
}

function answerRestore(state: DraftState, isKept: boolean): DraftState {
  const { restored, texts } = state;
  const isTakenBack = !isKept && restored !== undefined;
  return { ...state, restored: undefined, texts: isTakenBack ? replace(texts, restored.before) : texts };
}

/** Text from a closed tab goes only into a new post that is still empty. */
function takeUp(state: DraftState, left: Unsaved): DraftState {
  if (state.id !== undefined || hasUnsaved(state)) return state;
  const restored = restore(state, left);
  return hasUnsaved(restored) ? saveIn(0, restored) : restored;
}

function restore(state: DraftState, { fields, postType, creation }: Unsaved): DraftState {
  const isNew = state.id === undefined;
  const next: DraftState = {
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
function receive(state: DraftState, post: PostWithEtag): DraftState {
  if (state.theirs) {
    const merged = mergeRemotePost(state, post);
    return merged.theirs ? merged : save(merged);
  }
  const { texts, unseen } = mergeRemote(state.texts, fieldsOf(post, state.fallbackTitle));
  const etag = seenTag(state, post, unseen);
  const remote = noticed(state.remote, state.texts, texts, unseen);
  const isSame = texts === state.texts && remote === state.remote && etag === state.etag;
  return isSame ? state : { ...state, texts, etag, remote };
}

const seenTag = ({ etag }: DraftState, post: PostWithEtag, unseen: readonly Field[]): string | undefined =>
  unseen.length === 0 ? (post.etag ?? etag) : etag;

/** The same body under the same key until the API answers. The browser keeps both before the request leaves. */
function create(state: DraftState, { account, key }: EventOf<'account_found'>): DraftState {
  if (state.creation) return { ...state, request: { kind: 'create', creation: state.creation } };
  const { hashtags = '', ...chosen } = account;
  const isFilled = hashtags !== '' && !state.hasOwnHashtags && state.texts.now.hashtags === '';
  // From here on they are the member's own text.
  const texts = isFilled ? replace(state.texts, { hashtags }) : state.texts;
  const names = saveable(texts);
  const body = {
    ...chosen,
    ...creationOf(texts.now, names, state.fallbackTitle),
    post_type: state.postType,
  };
  const creation: Creation = { key, names, body };
  return { ...state, texts, creation, request: { kind: 'create', creation } };
}

type SaveRequest = Extract<Request, { kind: 'create' | 'update' }>;

const sentIn = (request: SaveRequest): Partial<Fields> =>
  request.kind === 'update' ? request.sent : pick(request.creation.body, request.creation.names);

function saved(state: DraftState, request: SaveRequest, post: PostWithEtag): DraftState {
  const { texts, unseen } = accept(state.texts, fieldsOf(post, state.fallbackTitle), sentIn(request));
  const answered = { ...state, texts, etag: seenTag(state, post, unseen), failures: 0, problem: undefined };
  return proceed(
    request.kind === 'create'
      ? { ...answered, id: post.id, creation: undefined, isWanted: false }
      : { ...answered, remote: noticed(state.remote, state.texts, texts, unseen) },
  );
}

/** After a 412. Often nothing of the text has changed, but a file or the slot: then the save is repeated. */
function compare(state: DraftState, post: PostWithEtag): DraftState {
  // The API refused this very ETag. It would again, so the next try comes later.
  if (post.etag === undefined || post.etag === state.etag) return tryLater(state, undefined);
  const merged = mergeRemotePost({ ...state, request: undefined }, post);
  const noted = { ...merged, remote: noticed(state.remote, state.texts, merged.texts, []) };
  return noted.theirs ? noted : proceed(noted);
}

function fail(
  state: DraftState,
  request: Exclude<Request, { kind: 'find_account' }>,
  { status, problem, mistakes }: Failure,
): DraftState {
  if (status === 401) return endSession(state, problem);
  if (status === 0 || status === 429 || (status ?? 0) >= 500) return tryLater(state, problem);
  if (status === 412 && request.kind === 'update')
    return { ...state, request: { kind: 'reread', id: request.id } };
  const failed: DraftState = { ...state, request: undefined, problem, failures: 0 };
  if (status === undefined) return { ...failed, texts: doubted(state) };
  const names = request.kind === 'reread' ? [] : (Object.keys(sentIn(request)) as Field[]);
  const texts = refuse(state.texts, mistakes, names);
  // Without the fields that the API named, the others can be saved.
  return texts
    ? proceed({ ...failed, creation: undefined, texts, problem: undefined })
    : { ...failed, creation: undefined, isWanted: false };
}

/** An update may have arrived all the same. */
function tryLater(state: DraftState, problem: unknown): DraftState {
  const ms = RETRY_MS[Math.min(state.failures, RETRY_MS.length - 1)] ?? 0;
  const failures = state.failures + 1;
  return { ...state, request: undefined, timer: { ms }, texts: doubted(state), problem, failures };
}

/** A create is never in doubt: it is repeated with its Idempotency-Key. */
const doubted = ({ texts, request }: DraftState) =>
  request?.kind === 'update' ? markSaveLost(texts, request.sent) : texts;

const endSession = (state: DraftState, problem: unknown): DraftState => ({
  ...state,
  request: undefined,
  timer: undefined,
  theirs: undefined,
  isEnded: true,
  problem,
  failures: 0,
});
