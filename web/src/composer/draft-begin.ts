// How a draft begins: with a post or without, and with the text that this browser has kept of it.
import type { SeenPost } from '../api/client.js';
import { UNTITLED } from '../text/post-title.js';
import { meet } from './draft-clash.js';
import { NOWHERE } from './draft-elsewhere.js';
import { type DraftState, hasUnsaved, type PostType, type Step } from './draft-state.js';
import { restore, step } from './draft-steps.js';
import { fieldsOf } from './fields.js';
import { textsOf } from './texts.js';
import type { Kept } from './unsaved-storage.js';

export function begin(start: SeenPost | PostType, kept: Kept | undefined): Step {
  const isNew = typeof start === 'string';
  const state: DraftState = {
    phase: { name: 'resting' },
    id: isNew ? undefined : start.id,
    postType: isNew ? start : start.post_type,
    texts: textsOf(isNew ? undefined : fieldsOf(start, UNTITLED)),
    etag: isNew ? undefined : start.etag,
    creation: undefined,
    isWanted: false,
    fallbackTitle: UNTITLED,
    failures: 0,
    problem: undefined,
    restored: undefined,
    elsewhere: NOWHERE,
    hasOwnHashtags: false,
  };
  if (!kept) return step(state);
  const restored = isNew ? restore(state, kept) : restoreOver(state, start, kept);
  if (!hasUnsaved(restored) || restored.phase.name === 'clashing') return step(restored);
  return step({ ...restored, phase: { name: 'pausing' } }, { kind: 'start_timer', ms: 0 });
}

/** The post may have changed since the text was typed. */
function restoreOver(state: DraftState, post: SeenPost, kept: Kept): DraftState {
  const restored = restore(state, kept);
  const { saved = {}, lost = {} } = kept;
  const { texts } = restored;
  const { met } = meet({ ...restored, texts: { ...texts, saved: { ...texts.saved, ...saved }, lost } }, post);
  return hasUnsaved(met) ? met : { ...met, restored: undefined };
}
