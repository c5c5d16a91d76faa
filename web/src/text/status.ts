// The status of a post, in one vocabulary for grid, calendar, timeline and charts.
import type { Dispatch, Post } from '@airdate/sdk/core';

/** Its slot has come, and a file is still being fetched. */
const WAITS_FOR_FILE = / \(uploads_pending\)$/;

export type Tone = 'draft' | 'scheduled' | 'publishing' | 'inbox' | 'posted' | 'archived' | 'attention';

export interface Status {
  tone: Tone;
  label: string;
}

const PLAIN: Record<Post['status'], Status> = {
  draft: { tone: 'draft', label: 'Draft' },
  scheduled: { tone: 'scheduled', label: 'Scheduled' },
  publishing: { tone: 'publishing', label: 'Publishing' },
  posted: { tone: 'posted', label: 'Posted' },
  archived: { tone: 'archived', label: 'Archived' },
};

const IN_INBOX: Status = { tone: 'inbox', label: 'In the inbox' };

export function statusOf(post: Pick<Post, 'status' | 'last_publish_error' | 'in_inbox'>): Status {
  if (post.status === 'posted' && post.in_inbox) return IN_INBOX;
  if (post.last_publish_error !== null) {
    if (post.status === 'draft') return { tone: 'attention', label: 'Failed' };
    if (post.status === 'publishing') return { tone: 'attention', label: 'Outcome unknown' };
    if (post.status === 'scheduled' && WAITS_FOR_FILE.test(post.last_publish_error))
      return { tone: 'attention', label: 'Waiting for a file' };
    if (post.status === 'scheduled') return { tone: 'attention', label: 'Waiting to retry' };
  }
  return PLAIN[post.status];
}

export const OUTCOMES: Record<Dispatch['outcome'], Status> = {
  started: { tone: 'publishing', label: 'Sending' },
  accepted: { tone: 'publishing', label: 'Processing' },
  published: { tone: 'posted', label: 'Posted' },
  in_inbox: IN_INBOX,
  failed: { tone: 'attention', label: 'Failed' },
  unknown: { tone: 'attention', label: 'Outcome unknown' },
};
