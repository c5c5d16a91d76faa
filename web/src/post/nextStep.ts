// The next step for a post by its status and files. Cards and the page also look at its problems (blockers.ts).
import type { Post } from '@airdate/sdk/core';
import { isUploading } from '../text/readiness.js';

export type Step =
  | 'add-media'
  | 'reconnect'
  | 'publish'
  | 'reschedule'
  | 'resolve'
  | 'fix'
  | 'open'
  | 'unarchive'
  | 'wait';

export const isEditable = ({ status }: Post): boolean => status === 'draft' || status === 'scheduled';

/** Sent, and whether it was published is not known. */
export const isUnknown = ({ status, last_publish_error }: Post): boolean =>
  status === 'publishing' && last_publish_error !== null;

export function nextStep(post: Post, hasMedia: boolean): Step {
  switch (post.status) {
    case 'draft':
      if (!hasMedia) return isUploading(post) ? 'wait' : 'add-media';
      return post.last_publish_error === null ? 'publish' : 'fix';
    case 'scheduled':
      return hasMedia ? 'reschedule' : isUploading(post) ? 'wait' : 'add-media';
    case 'publishing':
      return isUnknown(post) ? 'resolve' : 'wait';
    case 'posted':
      return 'open';
    case 'archived':
      return 'unarchive';
  }
}

export const addMediaLabel = (post: Post): string =>
  post.post_type === 'video' ? 'Add video' : 'Add slides';

/** A failed post is tried again; one that would fail is only fixed. */
export const fixLabel = (post: Post): string =>
  post.last_publish_error === null ? 'Fix this post' : 'Fix and retry';
