import type { Post } from '@airdate/sdk/core';
import { useSyncExternalStore } from 'react';
import { usePlatform } from '../api/platform.js';
import { named } from '../text/api-text.js';
import { isUploading, warningOf } from '../text/readiness.js';
import { getUploads, isUnderWay, subscribe } from '../uploads/store.js';
import classes from './PostNote.module.css';

/** Why the post failed or will fail, or that a file is not there yet. */
export function PostNote({ post, isOneLine = false }: { post: Post; isOneLine?: boolean }) {
  const platform = usePlatform();
  const warning = warningOf(post);
  if (warning === null && !isUploading(post)) return null;
  return (
    <span
      className={classes.note}
      data-warning={warning !== null || undefined}
      data-line={isOneLine || undefined}
      title={warning === null ? undefined : named(warning, platform)}
    >
      {warning === null ? <UploadWords postId={post.id} /> : named(firstStep(warning), platform)}
    </span>
  );
}

/** "Connect city.notes again, or choose another account.": cards and rows have room for the first of the two. */
const firstStep = (warning: string) => warning.replace(/, or [^.]+\.$/, '.');

/** Only this tab is known to be sending. */
function UploadWords({ postId }: { postId: string }) {
  const isHere = useSyncExternalStore(subscribe, () =>
    getUploads().some((upload) => upload.postId === postId && isUnderWay(upload)),
  );
  return isHere ? 'Uploading…' : 'Upload not finished';
}
