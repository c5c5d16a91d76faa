// Drafts for tests: one in each state, reached the way a member reaches it.
import type { SeenPost } from '../src/api/client.js';
import { begin } from '../src/composer/draft-begin.js';
import { reduce } from '../src/composer/draft-reduce.js';
import type { DraftEvent, DraftState, Effect, Failure } from '../src/composer/draft-state.js';
import type { Field, TextField } from '../src/composer/fields.js';
import { examplePost } from './example-post.js';

export const post = (changes: Partial<SeenPost> = {}): SeenPost => ({
  ...examplePost({
    post_type: 'slides',
    title: 'Saved title',
    caption: 'Saved caption',
    social_account_id: null,
  }),
  etag: '"1"',
  ...changes,
});

/** The fields whose text the API takes as it is. */
export const PLAIN = ['title', 'caption', 'hashtags', 'social_account_id'] as const satisfies readonly (
  | TextField
  | 'social_account_id'
)[];

export const typed = (field: Field, text: string): DraftEvent => ({ kind: 'typed', field, text });
export const accountKnown = (key = 'key-1', id?: string): DraftEvent => ({
  kind: 'account_known',
  account: id === undefined ? {} : { social_account_id: id },
  key,
});
export const saved = (changes: Partial<SeenPost> = {}): DraftEvent => ({
  kind: 'saved',
  post: post(changes),
});
export const failed = (status: number | undefined, mistakes: Failure['mistakes'] = {}): DraftEvent => ({
  kind: 'failed',
  status,
  problem: `problem ${status}`,
  mistakes,
});
export const TIMER: DraftEvent = { kind: 'timer_fired' };
export const SAVE: DraftEvent = { kind: 'save_requested' };
export const RETRY: DraftEvent = { kind: 'retry_requested' };
export const FILE: DraftEvent = { kind: 'post_requested', fallbackTitle: 'ridge' };

/** The state after these events, and what the last of them asked for. */
export function play(start: DraftState, ...events: DraftEvent[]): { state: DraftState; effects: Effect[] } {
  let state = start;
  let effects: readonly Effect[] = [];
  for (const event of events) ({ state, effects } = reduce(state, event));
  return { state, effects: [...effects] };
}

export const newDraft = (): DraftState => begin('slides', undefined).state;
/** The post, read again after a clash. */
export const reread = (changes: Partial<SeenPost> = {}): DraftEvent => ({
  kind: 'reread',
  post: post({ etag: '"2"', ...changes }),
});
export const MINE: DraftEvent = { kind: 'clash_answered', isMine: true };
export const THEIRS: DraftEvent = { kind: 'clash_answered', isMine: false };
export const SESSION_LOST: DraftEvent = { kind: 'session_lost', problem: 'signed out' };

export const savedDraft = (changes: Partial<SeenPost> = {}): DraftState =>
  begin(post(changes), undefined).state;

const typedNew = () => play(newDraft(), typed('title', 'New title')).state;
const typedSaved = () => play(savedDraft(), typed('title', 'Other title')).state;

/** By the name of its state. */
export const EXAMPLES = {
  'resting, new': newDraft(),
  'resting, saved': savedDraft(),
  'pausing, new': typedNew(),
  'pausing, saved': typedSaved(),
  choosing_account: play(typedNew(), TIMER).state,
  creating: play(typedNew(), TIMER, accountKnown()).state,
  updating: play(typedSaved(), TIMER).state,
  'updating, timer': play(typedSaved(), TIMER, typed('caption', 'Other caption')).state,
  comparing: play(typedSaved(), TIMER, failed(412)).state,
  clashing: play(typedSaved(), TIMER, failed(412), reread({ title: 'Their title' })).state,
  ended: play(typedSaved(), TIMER, failed(401)).state,
} as const satisfies Record<string, DraftState>;
