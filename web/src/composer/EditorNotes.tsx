import type { Post } from '@airdate/sdk';
import { dateAndTime } from '../ui/time.js';
import classes from './Editor.module.css';

/** What the writer should know before editing: the last error, or the slot. */
export function EditorNotes({ post, slot }: { post: Post | undefined; slot: string | undefined }) {
  return (
    <>
      {post?.last_publish_error && (
        <p className={classes.note} data-tone="attention">
          The last try failed: {post.last_publish_error}
        </p>
      )}
      {post?.status === 'scheduled' && post.scheduled_at && (
        <p className={classes.note}>
          Goes out {dateAndTime(post.scheduled_at)}, with everything you change until then.
        </p>
      )}
      {slot !== undefined && (
        <p className={classes.note}>For {dateAndTime(slot)}: “Schedule…” begins with this time.</p>
      )}
    </>
  );
}
