// A post while a member writes it: what is known of it, and what can happen to it.
import type { Post } from '@airdate/sdk/core';
import type { PostWithEtag } from '../api/client.js';
import { type Field, type Fields, fieldsOf } from './fields.js';
import type { RemoteChanges } from './texts.js';
import {
  type Mistakes,
  mergeRemote,
  mistakes,
  pick,
  settle,
  type Texts,
  unsaved,
  unsavedNames,
} from './texts.js';
import type { Creation, Unsaved } from './unsaved-storage.js';

export type PostType = Post['post_type'];

/** What is asked of the API. The draft has one of these or none, so two saves cannot be under way. */
export type Request = Readonly<
  /** Which account the first save names: if there is only one, the post gets it. */
  | { kind: 'find_account' }
  | { kind: 'create'; creation: Creation }
  | {
      kind: 'update';
      id: string;
      etag: string | undefined;
      sent: Partial<Fields>;
    }
  /** The post has changed since it was read (412). */
  | { kind: 'reread'; id: string }
>;

export type DraftState = Readonly<{
  /** Undefined until the post exists. */
  id: string | undefined;
  postType: PostType;
  texts: Texts;
  /** Of the post whose texts are in `texts.saved`. A save says that it changes this one and no other. */
  etag: string | undefined;

  request: Request | undefined;
  /** A moment after the last letter, or longer after a failure, the next save begins. It also waits for the request. */
  timer: { readonly ms: number } | undefined;
  /** The API has another text in a field that the member has changed. Nothing is saved until the member chooses. */
  theirs: PostWithEtag | undefined;
  /** The session has ended. The next one may be another member's, so this draft never saves again. */
  isEnded: boolean;

  /** The first save, until it is answered: a lost answer must not lead to two posts. */
  creation: Creation | undefined;
  /** A file waits for the post to exist, so the post is created even without text. */
  isWanted: boolean;
  /** The title the API gets if the member has typed none, because it needs one. No field shows it. */
  fallbackTitle: string;
  /** Temporary failures in a row; the waits between them grow. */
  failures: number;
  /** Why the last save failed. */
  problem: unknown;
  /** Text found in this browser stands in the fields, in the place of `before`. */
  restored: { readonly before: Fields; readonly isNew: boolean } | undefined;
  /** Changed elsewhere, where the member has typed nothing. */
  remote: RemoteChanges;
  /** The member has changed the hashtags, so those of the account are not filled in. */
  hasOwnHashtags: boolean;
}>;

export type DraftEvent = Readonly<
  /* The member, and the screen */
  | { kind: 'typed'; field: Field; text: string }
  | { kind: 'type_chosen'; postType: PostType }
  | { kind: 'focused'; field: Field | undefined }
  /** A file needs the post. */
  | { kind: 'post_requested'; fallbackTitle: string }
  /** The text must be saved before the member goes on. */
  | { kind: 'save_requested' }
  | { kind: 'retry_requested' }
  /** The member keeps the restored text, or takes back the saved one. */
  | { kind: 'restore_answered'; isKept: boolean }
  /** The member saves the own text in place of the other one, or takes the other one. */
  | { kind: 'conflict_answered'; isMine: boolean }
  /** The member has read what was changed elsewhere. */
  | { kind: 'remote_seen' }
  /* The browser */
  | { kind: 'timer_fired' }
  /** Text of a new post whose tab is gone. */
  | { kind: 'abandoned_text_found'; left: Unsaved }
  /* The API */
  | { kind: 'post_received'; post: PostWithEtag }
  /** The answers to the requests; `key` is new, for a first save that has none yet. */
  | { kind: 'account_found'; account: Partial<Fields>; key: string }
  | { kind: 'saved'; post: PostWithEtag }
  | { kind: 'reread'; post: PostWithEtag }
  | ({ kind: 'failed' } & Failure)
  /** Another request of this page was refused: the session has ended, or is another member's now. */
  | { kind: 'session_lost'; problem: unknown }
>;

export type EventKind = DraftEvent['kind'];
export type EventOf<K extends EventKind> = Extract<DraftEvent, { kind: K }>;

export type Failure = Readonly<{
  /** Of the API's answer; 0 without an answer, undefined if the failure is the dashboard's own. */
  status: number | undefined;
  problem: unknown;
  /** What the API said about single fields. */
  mistakes: Mistakes;
}>;

/** A text of this browser stands in the place of a saved one, and the member has not said yet which of them stays. */
export const isAsking = ({ restored }: DraftState): boolean => restored !== undefined && !restored.isNew;

export const hasUnsaved = (state: DraftState): boolean => state.isWanted || unsavedOf(state) !== undefined;

/** What this browser keeps until it is saved. */
export function unsavedOf({ id, texts, postType, creation }: DraftState): Unsaved | undefined {
  const fields = unsaved(texts);
  if (Object.keys(fields).length === 0 && !creation) return undefined;
  return {
    fields,
    postType,
    ...(id === undefined ? {} : { saved: pick(texts.saved, unsavedNames(texts)), lost: texts.lost }),
    ...(creation ? { creation } : {}),
  };
}

// Two texts for one field: what the member has typed, and what the API has by now. Neither replaces the other until the member
// has seen both and chooses.
export type TextConflict = Readonly<{
  field: Field;
  mine: string;
  theirs: string;
}>;

/** The fields that the member has to choose about. */
export function conflictsOf({ texts, theirs: post, fallbackTitle }: DraftState): TextConflict[] {
  if (!post) return [];
  const theirs = fieldsOf(post, fallbackTitle);
  return mergeRemote(texts, theirs, true).unseen.map((field) => ({
    field,
    mine: texts.now[field],
    theirs: theirs[field],
  }));
}

/** Takes over what the member has not changed. What is left is a conflict, with the post as `theirs`. */
export function mergeRemotePost(state: DraftState, post: PostWithEtag): DraftState {
  const { texts, unseen } = mergeRemote(state.texts, fieldsOf(post, state.fallbackTitle), true);
  const merged = { ...state, texts, problem: undefined };
  return unseen.length === 0
    ? { ...merged, theirs: undefined, etag: post.etag ?? state.etag }
    : { ...merged, theirs: post, restored: undefined, timer: undefined };
}

/** With the member's own text, or theirs, in the fields of the conflict. The next save may replace their version. */
export function resolveConflict(state: DraftState, theirs: PostWithEtag, isMine: boolean): DraftState {
  const names = conflictsOf(state).map(({ field }) => field);
  const texts = settle(state.texts, fieldsOf(theirs, state.fallbackTitle), names, isMine);
  return { ...state, texts, theirs: undefined, etag: theirs.etag ?? state.etag };
}

// What a screen sees of a post that is being written.
export type Saving =
  | 'untouched'
  | 'saved'
  | 'saving'
  | 'unreachable'
  | 'held'
  | 'refused'
  /** The member has not said yet whether the restored text stays. */
  | 'unanswered'
  | 'conflict'
  | 'ended';

export interface DraftView {
  id: string | undefined;
  postType: PostType;
  fields: Fields;
  saving: Saving;
  /** What the API said, when it refused. */
  problem: unknown;
  /** By field, in the API's words or ours. */
  mistakes: Mistakes;
  /** Text was found in this browser that had not been saved: of a new post, or in the place of a saved text. */
  restored: 'new' | 'changed' | undefined;
  /** Fields with two texts, about which the member has to choose. */
  conflicts: readonly TextConflict[];
  /** Changed elsewhere just now, where the member has typed nothing. */
  remote: RemoteChanges;
  hasOwnHashtags: boolean;
}

export function viewOf(state: DraftState): DraftView {
  const conflicts = conflictsOf(state);
  const marks = conflicts.map(({ field }) => [
    field,
    'Also changed elsewhere. Choose which version to keep.',
  ]);
  return {
    id: state.id,
    postType: state.postType,
    fields: state.texts.now,
    saving: savingOf(state),
    problem: state.problem,
    mistakes: { ...mistakes(state.texts), ...Object.fromEntries(marks) },
    restored: state.restored && (state.restored.isNew ? 'new' : 'changed'),
    conflicts,
    remote: state.remote,
    hasOwnHashtags: state.hasOwnHashtags,
  };
}

function savingOf(state: DraftState): Saving {
  if (state.isEnded) return 'ended';
  if (state.theirs) return 'conflict';
  if (isAsking(state)) return 'unanswered';
  if (state.problem !== undefined) return state.failures > 0 ? 'unreachable' : 'refused';
  const isUnderWay = state.request !== undefined || state.timer !== undefined;
  if (hasUnsaved(state))
    return !isUnderWay && Object.keys(mistakes(state.texts)).length > 0 ? 'held' : 'saving';
  return state.id === undefined ? 'untouched' : 'saved';
}
