// A drop, or its undo, may come later than a change that someone else has made to the post.
import type { Post } from '@airdate/sdk/core';
import { dateAndTime } from '../text/time.js';

/** Why the post cannot be moved from the slot where the member saw it; null when it is still there. */
export function movedElsewhereReason({ title, status, scheduled_at }: Post, seenAt: string): string | null {
  if (status !== 'scheduled' || scheduled_at === null) return `${title} is no longer scheduled.`;
  if (Date.parse(scheduled_at) === Date.parse(seenAt)) return null;
  return `${title} was just moved elsewhere: it goes out ${dateAndTime(scheduled_at)}. Move it from there.`;
}
