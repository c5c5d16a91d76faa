import type { Post } from '@airdate/sdk/core';
import { isUploading, warningOf } from '../ui/readiness.js';
import classes from './PostNote.module.css';

/** Why the post failed or will fail, or that a file is still on its way. */
export function PostNote({ post, isOneLine = false }: { post: Post; isOneLine?: boolean }) {
  const warning = warningOf(post);
  if (warning === null && !isUploading(post)) return null;
  return (
    <span
      className={classes.note}
      data-warning={warning !== null || undefined}
      data-line={isOneLine || undefined}
      title={warning ?? undefined}
    >
      {warning ?? 'Uploading…'}
    </span>
  );
}
