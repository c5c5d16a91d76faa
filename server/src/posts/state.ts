// The transitions of a post, as data. Every change of status is one statement guarded by `from` in its `where`, so that
// losing a race changes no row, never the wrong row.
import type { PostRow } from '../db/tables.js';

export type PostStatus = PostRow['status'];

export const POST_STATUSES = [
  'draft',
  'scheduled',
  'publishing',
  'posted',
  'archived',
] as const satisfies PostStatus[];

interface StatusChange {
  from: readonly PostStatus[];
  /** Null: the status stays as it is, or the post is gone. A list: which one depends on the post. */
  to: PostStatus | readonly PostStatus[] | null;
}

export const TRANSITIONS = {
  /** A person changes text, account or options. */
  edit: { from: ['draft', 'scheduled'], to: null },
  /** A person books or moves a slot. */
  schedule: { from: ['draft', 'scheduled'], to: 'scheduled' },
  /** A person gives up the slot. */
  unschedule: { from: ['draft', 'scheduled'], to: 'draft' },
  /** A person publishes now. */
  publish: { from: ['draft', 'scheduled'], to: 'publishing' },
  /** The worker finds that the slot has come. */
  due: { from: ['scheduled'], to: 'publishing' },
  /** It finds the post too late after its slot. */
  miss: { from: ['scheduled'], to: 'draft' },
  /** A person reports the outcome of a post whose outcome is unknown. The engine's own changes are guarded by the fence. */
  resolve: { from: ['publishing', 'archived'], to: ['posted', 'draft', 'archived'] },
  archive: { from: ['draft', 'scheduled', 'publishing', 'posted', 'archived'], to: 'archived' },
  unarchive: { from: ['archived'], to: ['draft', 'publishing', 'posted'] },
  delete: { from: ['draft', 'archived'], to: null },
} as const satisfies Record<string, StatusChange>;

export type PostEvent = keyof typeof TRANSITIONS;

export function allows(event: PostEvent, status: PostStatus): boolean {
  return (TRANSITIONS[event].from as readonly PostStatus[]).includes(status);
}

/** The status of a post that leaves the archive: what was published stays published, what is undecided stays undecided. */
export function statusAfterUnarchive(
  post: Pick<PostRow, 'posted_at'>,
  isUndecided: boolean,
): 'draft' | 'publishing' | 'posted' {
  if (post.posted_at !== null) return 'posted';
  return isUndecided ? 'publishing' : 'draft';
}
