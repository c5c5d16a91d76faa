import type { Post } from '@airdate/sdk/core';
import { useFailure } from '../publish/useFailure.js';
import { dateAndTime } from '../text/time.js';
import classes from './Editor.module.css';

/** What the writer should know before editing: the last error, or the slot. */
export function EditorNotes({ post, slot }: { post: Post | undefined; slot: string | undefined }) {
  const failure = useFailure(post);
  return (
    <>
      {failure && (
        <p className={classes.note} data-tone={failure.isOpen ? 'attention' : undefined}>
          Last attempt failed. {failure.message}
          {!failure.isOpen && ' Something has changed since, so you can try again.'}
        </p>
      )}
      {post?.status === 'scheduled' && post.scheduled_at && (
        <p className={classes.note}>
          Goes out {dateAndTime(post.scheduled_at)}. Changes you make before then are included.
        </p>
      )}
      {slot !== undefined && (
        <p className={classes.note}>You picked {dateAndTime(slot)}. “Schedule…” starts with this time.</p>
      )}
    </>
  );
}
