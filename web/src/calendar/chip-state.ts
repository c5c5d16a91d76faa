import type { Post } from '@airdate/sdk/core';
import { inBrief } from '../text/api-text.js';
import { fateOf, problemsOf } from '../text/readiness.js';
import { type Status, statusOf } from '../text/status.js';

/** Where the usual words would be cut off. The soft hyphens let a narrow chip of the week break them. */
const SHORT: Record<string, string> = {
  'Outcome unknown': 'Un\u00adknown',
  'Waiting to retry': 'Re\u00adtrying',
};

export const shortLabel = (label: string): string => SHORT[label] ?? label;

/** How a post looks in the calendar: red if it failed, missed its slot, will fail or waits for its account, with the reason. */
export function chipStateOf(post: Post): Status & { reason: string | null } {
  const fate = fateOf(post);
  if (fate) {
    const problem = problemsOf(post).find(({ code }) => code !== 'uploads_pending');
    return { tone: 'attention', label: fate, reason: problem?.detail ?? null };
  }
  const status = statusOf(post);
  // Drafts are here only because they lost their slot.
  if (status.tone === 'draft') return { tone: 'attention', label: 'Missed', reason: null };
  const error = status.tone === 'attention' ? post.last_publish_error : null;
  return { ...status, reason: error === null ? null : inBrief(error) };
}
