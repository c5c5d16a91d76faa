// Two texts for one field: what the member has typed, and what the API has by now. Neither replaces the other until the member
// has seen both and chooses.
import type { PostWithEtag } from '../api/client.js';
import type { DraftState } from './draft-state.js';
import { type Field, fieldsOf } from './fields.js';
import { mergeRemote, settle } from './texts.js';

export interface TextConflict {
  readonly field: Field;
  readonly mine: string;
  readonly theirs: string;
}

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
