// A post while a member writes it: the states it can be in, what can happen to it, and what is to be done then.
import type { Post } from '@airdate/sdk/core';
import type { SeenPost } from '../api/client.js';
import type { Elsewhere } from './draft-elsewhere.js';
import type { Field, Fields, PostChange } from './fields.js';
import { type Mistakes, pick, type Texts, unsaved, unsavedNames } from './texts.js';
import type { Creation, Kept } from './unsaved-storage.js';

export type PostType = Post['post_type'];

interface Busy {
  /** The fields that this save is about. */
  readonly names: readonly Field[];
  /** The timer of the next save runs already: the member typed meanwhile. */
  readonly isPausing: boolean;
}

/** Where saving stands. Each request has a state of its own, so two cannot be under way. */
export type Phase =
  /** Nothing to save, or only text with a mistake or text that the API refused. */
  | { readonly name: 'resting' }
  /** The timer of the next save runs: a moment after the last letter, or longer after a failure. */
  | { readonly name: 'pausing' }
  /** The first save waits for the list of accounts: if there is only one, the post gets it. */
  | ({ readonly name: 'choosing_account' } & Busy)
  /** The first save is under way, with the text in `sent`. */
  | ({ readonly name: 'creating'; readonly sent: Partial<Fields> } & Busy)
  /** A later save is under way, with the text in `sent`. */
  | ({ readonly name: 'updating'; readonly sent: Partial<Fields> } & Busy)
  /** The post has changed since it was read (412), and is being read again. */
  | ({ readonly name: 'comparing' } & Busy)
  /** The API has another text in a field that the member has changed. Nothing is saved until the member chooses. */
  | { readonly name: 'clashing'; readonly theirs: SeenPost }
  /** The session has ended. The next one may be another member's, so this draft never saves again. */
  | { readonly name: 'ended' };

export type PhaseName = Phase['name'];

export interface DraftState {
  readonly phase: Phase;
  /** Undefined until the post exists. */
  readonly id: string | undefined;
  readonly postType: PostType;
  readonly texts: Texts;
  /** Of the post whose texts are in `texts.saved`. A save says that it changes this one and no other. */
  readonly etag: string | undefined;
  /** The first save, until it is answered: a lost answer must not lead to two posts. */
  readonly creation: Creation | undefined;
  /** A file waits for the post to exist, so the post is created even without text. */
  readonly isWanted: boolean;
  /** The title the API gets if the member has typed none, because it needs one. No field shows it. */
  readonly fallbackTitle: string;
  /** Temporary failures in a row; the waits between them grow. */
  readonly failures: number;
  /** Why the last save failed. */
  readonly problem: unknown;
  /** Text found in this browser stands in the fields, in the place of `before`. */
  readonly restored: { readonly before: Fields; readonly isNew: boolean } | undefined;
  /** Changed elsewhere, where the member has typed nothing. */
  readonly elsewhere: Elsewhere;
  /** The member has changed the hashtags, so those of the account are not filled in. */
  readonly hasOwnHashtags: boolean;
}

export type DraftEvent =
  /* The member, and the screen */
  | { readonly kind: 'typed'; readonly field: Field; readonly text: string }
  | { readonly kind: 'type_chosen'; readonly postType: PostType }
  | { readonly kind: 'focused'; readonly field: Field | undefined }
  /** A file needs the post. */
  | { readonly kind: 'post_requested'; readonly fallbackTitle: string }
  /** The text must be saved before the member goes on. */
  | { readonly kind: 'save_requested' }
  | { readonly kind: 'retry_requested' }
  /** The member keeps the restored text, or takes back the saved one. */
  | { readonly kind: 'restore_answered'; readonly isKept: boolean }
  /** The member saves the own text in place of the other one, or takes the other one. */
  | { readonly kind: 'clash_answered'; readonly isMine: boolean }
  /** The member has read what was changed elsewhere. */
  | { readonly kind: 'elsewhere_seen' }
  /* The browser */
  | { readonly kind: 'timer_fired' }
  /** Text of a new post whose tab is gone. */
  | { readonly kind: 'left_text_found'; readonly kept: Kept }
  /* The API */
  | { readonly kind: 'post_received'; readonly post: SeenPost }
  /** The post, read again after a clash. */
  | { readonly kind: 'reread'; readonly post: SeenPost }
  /** `key` is new, for a first save that has none yet. */
  | { readonly kind: 'account_known'; readonly account: Partial<Fields>; readonly key: string }
  | { readonly kind: 'saved'; readonly post: SeenPost }
  | ({ readonly kind: 'failed' } & Failure)
  /** Another request of this page was refused: the session has ended, or is another member's now. */
  | { readonly kind: 'session_lost'; readonly problem: unknown };

export type EventKind = DraftEvent['kind'];

export interface Failure {
  /** Of the API's answer; 0 without an answer, undefined if the failure is the dashboard's own. */
  readonly status: number | undefined;
  readonly problem: unknown;
  /** What the API said about single fields. */
  readonly mistakes: Mistakes;
}

export type Effect =
  | { readonly kind: 'start_timer'; readonly ms: number }
  | { readonly kind: 'stop_timer' }
  /** Show the new state, and keep its unsaved text in this browser. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'choose_account' }
  | { readonly kind: 'create'; readonly creation: Creation }
  | {
      readonly kind: 'update';
      readonly id: string;
      readonly change: PostChange;
      readonly etag: string | undefined;
    }
  | { readonly kind: 'reread'; readonly id: string }
  /** The post exists from now on. */
  | { readonly kind: 'created'; readonly post: SeenPost }
  | { readonly kind: 'updated'; readonly post: SeenPost };

export interface Step {
  readonly state: DraftState;
  readonly effects: readonly Effect[];
}

/** A save is under way. */
export const isBusy = ({ phase: { name } }: DraftState): boolean =>
  name === 'choosing_account' || name === 'creating' || name === 'updating' || name === 'comparing';

/** The timer of the next save runs. */
export const isPausing = ({ phase }: DraftState): boolean =>
  phase.name === 'pausing' || ('isPausing' in phase && phase.isPausing);

export const hasUnsaved = (state: DraftState): boolean => state.isWanted || unsavedOf(state) !== undefined;

/** What this browser keeps until it is saved. */
export function unsavedOf({ id, texts, postType, creation }: DraftState): Kept | undefined {
  const fields = unsaved(texts);
  if (Object.keys(fields).length === 0 && !creation) return undefined;
  return {
    fields,
    postType,
    ...(id === undefined ? {} : { saved: pick(texts.saved, unsavedNames(texts)), lost: texts.lost }),
    ...(creation ? { creation } : {}),
  };
}
