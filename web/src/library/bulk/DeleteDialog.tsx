import { usePlatform } from '../../api/platform.js';
import { describePosts } from '../../post/archiving.js';
import { count as counted } from '../../text/numbers.js';
import { ConfirmModal } from '../../ui/ConfirmModal.js';

import classes from './Dialogs.module.css';
import { deletable } from './eligibility.js';
import type { BulkDialogProps } from './useBulkActions.js';

/** Deleting is the one action of the bar that cannot be undone. */
export function DeleteDialog({ opened, onClose, posts: selected, bulk }: BulkDialogProps) {
  const { on } = usePlatform();
  const { posts, excluded } = deletable(selected);
  const count = counted(posts.length, 'post');
  const isLive = posts.some((post) => post.posted_at !== null && !post.in_inbox);
  return (
    <ConfirmModal
      opened={opened}
      onClose={onClose}
      title={`Delete ${count}?`}
      act={`Delete ${count}`}
      onConfirm={() => bulk.remove(posts, excluded.posts)}
    >
      <strong>{describePosts(posts)}</strong> will be permanently deleted, with{' '}
      {posts.length === 1 ? 'its' : 'their'} files and publishing history. You can’t undo this.
      {isLive && ` What was published stays ${on}.`}
      {excluded.posts.length > 0 && (
        <div className={classes.excluded}>
          {excluded.posts.length} of the {selected.length} selected posts can’t be deleted and{' '}
          {excluded.posts.length === 1 ? 'stays' : 'stay'}:
          <ul>
            {excluded.lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </ConfirmModal>
  );
}
