// What a screen sees of a post that is being written.
import { type Clash, clashesOf } from './draft-clash.js';
import type { Elsewhere } from './draft-elsewhere.js';
import { type DraftState, hasUnsaved, isBusy, isPausing, type PostType } from './draft-state.js';
import type { Fields } from './fields.js';
import { type Mistakes, mistakes } from './texts.js';

export type Saving =
  | 'untouched'
  | 'saved'
  | 'saving'
  | 'unreachable'
  | 'held'
  | 'refused'
  | 'clashing'
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
  clashes: readonly Clash[];
  /** Changed elsewhere just now, where the member has typed nothing. */
  elsewhere: Elsewhere;
  hasOwnHashtags: boolean;
}

export function viewOf(state: DraftState): DraftView {
  const clashes = clashesOf(state);
  const marks = clashes.map(({ field }) => [field, 'Also changed elsewhere. Choose which version to keep.']);
  return {
    id: state.id,
    postType: state.postType,
    fields: state.texts.now,
    saving: savingOf(state),
    problem: state.problem,
    mistakes: { ...mistakes(state.texts), ...Object.fromEntries(marks) },
    restored: state.restored && (state.restored.isNew ? 'new' : 'changed'),
    clashes,
    elsewhere: state.elsewhere,
    hasOwnHashtags: state.hasOwnHashtags,
  };
}

function savingOf(state: DraftState): Saving {
  const { name } = state.phase;
  if (name === 'clashing' || name === 'ended') return name;
  if (state.problem !== undefined) return state.failures > 0 ? 'unreachable' : 'refused';
  const isUnderWay = isBusy(state) || isPausing(state);
  if (hasUnsaved(state))
    return !isUnderWay && Object.keys(mistakes(state.texts)).length > 0 ? 'held' : 'saving';
  return state.id === undefined ? 'untouched' : 'saved';
}
