// What may happen to a post, as data. Every change of status is one statement guarded by `from` in its `where`,
// so that a lost race is no row rather than a wrong row.
import type { PostRow } from '../db/tables.js';

export type PostStatus = PostRow['status'];

export const POST_STATUSES = [
  'draft',
  'scheduled',
  'publishing',
  'posted',
  'archived',
] as const satisfies PostStatus[];

interface Transition {
  from: readonly PostStatus[];
  /** Null: the status stays as it is, or the post is gone. A list: which one depends on the post. */
  to: PostStatus | readonly PostStatus[] | null;
}

export const TRANSITIONS = {
  /** A person changes text, account or options. */
  edit: { from: ['draft', 'scheduled'], to: null },
  /** A slot is booked, or moved. */
  schedule: { from: ['draft', 'scheduled'], to: 'scheduled' },
  /** The slot is given back. */
  unschedule: { from: ['draft', 'scheduled'], to: 'draft' },
  /** A person publishes now. */
  publish: { from: ['draft', 'scheduled'], to: 'publishing' },
  /** The worker finds that the slot has come, or that it is too long ago. */
  due: { from: ['scheduled'], to: 'publishing' },
  miss: { from: ['scheduled'], to: 'draft' },
  /** A person says what became of a post whose outcome is unknown. The engine's own moves are fenced by the turn. */
  resolve: { from: ['publishing', 'archived'], to: ['posted', 'draft', 'archived'] },
  archive: { from: ['draft', 'scheduled', 'publishing', 'posted', 'archived'], to: 'archived' },
  unarchive: { from: ['archived'], to: ['draft', 'publishing', 'posted'] },
  delete: { from: ['draft', 'archived'], to: null },
} as const satisfies Record<string, Transition>;

export type PostEvent = keyof typeof TRANSITIONS;

export function allows(event: PostEvent, status: PostStatus): boolean {
  return (TRANSITIONS[event].from as readonly PostStatus[]).includes(status);
}

/** Where an archived post returns to: what was published stays published, what is undecided stays so. */
export function statusAfterUnarchive(
  post: Pick<PostRow, 'posted_at'>,
  isUndecided: boolean,
): 'draft' | 'publishing' | 'posted' {
  if (post.posted_at !== null) return 'posted';
  return isUndecided ? 'publishing' : 'draft';
}
