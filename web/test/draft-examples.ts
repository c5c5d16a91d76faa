// Drafts for tests: one in each state, reached the way a member reaches it.
import type { PostWithEtag } from '../src/api/client.js';
import { begin, reduce } from '../src/composer/draft-reduce.js';
import type { DraftEvent, DraftState, Failure } from '../src/composer/draft-state.js';
import { changeOf, type Field, type TextField } from '../src/composer/fields.js';
import { examplePost } from './example-post.js';

export const post = (changes: Partial<PostWithEtag> = {}): PostWithEtag => ({
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
export const accountFound = (key = 'key-1', id?: string): DraftEvent => ({
  kind: 'account_found',
  account: id === undefined ? {} : { social_account_id: id },
  key,
});
export const saved = (changes: Partial<PostWithEtag> = {}): DraftEvent => ({
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

export interface Played extends Pick<DraftState, 'request' | 'timer'> {
  state: DraftState;
}

/** The state after these events, and what the last of them asked for. */
export function play(start: DraftState, ...events: DraftEvent[]): Played {
  let before = start;
  let state = start;
  for (const event of events) {
    before = state;
    state = reduce(before, event);
  }
  return {
    state,
    request: state.request === before.request ? undefined : state.request,
    timer: state.timer === before.timer ? undefined : state.timer,
  };
}

/** The rough state, in one word. */
export function phaseOf({ request, timer, theirs, isEnded }: DraftState): string {
  if (isEnded) return 'ended';
  if (theirs) return 'conflict';
  return request?.kind ?? (timer ? 'pausing' : 'resting');
}

/** The text that a request sends; undefined if it sends none. */
export const sentIn = (request: DraftState['request']): object | undefined =>
  request?.kind === 'create'
    ? request.creation.body
    : request?.kind === 'update'
      ? changeOf(request.sent, Object.keys(request.sent) as Field[])
      : undefined;

export const newDraft = (): DraftState => begin('slides', undefined);
/** The post, read again after a conflict. */
export const reread = (changes: Partial<PostWithEtag> = {}): DraftEvent => ({
  kind: 'reread',
  post: post({ etag: '"2"', ...changes }),
});
export const MINE: DraftEvent = { kind: 'conflict_answered', isMine: true };
export const THEIRS: DraftEvent = { kind: 'conflict_answered', isMine: false };
export const SESSION_LOST: DraftEvent = { kind: 'session_lost', problem: 'signed out' };

export const savedDraft = (changes: Partial<PostWithEtag> = {}): DraftState =>
  begin(post(changes), undefined);

const typedNew = () => play(newDraft(), typed('title', 'New title')).state;
const typedSaved = () => play(savedDraft(), typed('title', 'Other title')).state;

/** By the name of its state. */
export const EXAMPLES = {
  'resting, new': newDraft(),
  'resting, saved': savedDraft(),
  'pausing, new': typedNew(),
  'pausing, saved': typedSaved(),
  find_account: play(typedNew(), TIMER).state,
  create: play(typedNew(), TIMER, accountFound()).state,
  update: play(typedSaved(), TIMER).state,
  'update, timer': play(typedSaved(), TIMER, typed('caption', 'Other caption')).state,
  reread: play(typedSaved(), TIMER, failed(412)).state,
  conflict: play(typedSaved(), TIMER, failed(412), reread({ title: 'Their title' })).state,
  ended: play(typedSaved(), TIMER, failed(401)).state,
} as const satisfies Record<string, DraftState>;
