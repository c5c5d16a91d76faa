import type { Post } from '@airdate/sdk';
import { dateAndTime } from '../ui/time.js';
import classes from './Editor.module.css';

/** What the writer should know before editing: the last error, or the slot. */
export function EditorNotes({ post, slot }: { post: Post | undefined; slot: string | undefined }) {
  return (
    <>
      {post?.last_publish_error && (
        <p className={classes.note} data-tone="attention">
          Last attempt failed: {post.last_publish_error}
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
