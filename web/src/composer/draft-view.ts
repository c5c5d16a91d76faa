// What a screen sees of a post that is being written.
import { conflictsOf, type TextConflict } from './draft-conflict.js';
import { type DraftState, hasUnsaved, type PostType } from './draft-state.js';
import type { Fields } from './fields.js';
import type { RemoteChanges } from './remote-changes.js';
import { type Mistakes, mistakes } from './texts.js';

export type Saving =
  | 'untouched'
  | 'saved'
  | 'saving'
  | 'unreachable'
  | 'held'
  | 'refused'
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
  if (state.problem !== undefined) return state.failures > 0 ? 'unreachable' : 'refused';
  const isUnderWay = state.request !== undefined || state.timer !== undefined;
  if (hasUnsaved(state))
    return !isUnderWay && Object.keys(mistakes(state.texts)).length > 0 ? 'held' : 'saving';
  return state.id === undefined ? 'untouched' : 'saved';
}
