// What was imported, and the ways from there: back, or to the posts.
import type { Post } from '@airdate/sdk/core';
import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refreshPosts } from '../../api/queries.js';
import { describePosts } from '../../post/archiving.js';
import { count } from '../../text/numbers.js';
import { Note, ProblemNote } from '../../ui/Note.js';
import { notifyRefused } from '../bulk/useBulkActions.js';
import { Footer } from './Footer.js';
import classes from './Import.module.css';
import { fetchingInfo } from './import-text.js';
import { undoImport } from './imported.js';
import type { Import } from './useImport.js';

interface Props {
  done: NonNullable<Import['run']['data']>;
  onShow: (posts: Post[]) => void;
  onClose: () => void;
}

export function Done({ done: { created, fetch, posts }, onShow, onClose }: Props) {
  const client = useQueryClient();
  const undo = useMutation({
    mutationFn: (before: Post[]) => undoImport(before, fetch !== undefined),
    onSuccess: ({ done, refused }) => {
      if (done.length > 0) notifications.show({ color: 'gray', message: `${describePosts(done)} deleted.` });
      notifyRefused(refused, 'deleted');
      onClose();
    },
    onSettled: () => refreshPosts(client),
  });
  return (
    <>
      <div className={classes.scroll}>
        <Note tone="posted" role="status" title={`${count(created, 'post')} imported`}>
          {fetch ? fetchingInfo(fetch, Date.now()) : 'You’ll find them in the library.'}
          {posts &&
            ` Undo deletes ${created === 1 ? 'it again, unless it' : 'them again, except those that'} changed meanwhile.`}
        </Note>
        {undo.error && <ProblemNote error={undo.error} />}
      </div>
      <Footer>
        {posts && (
          <>
            <Button variant="default" loading={undo.isPending} onClick={() => undo.mutate(posts)}>
              Undo
            </Button>
            <Button
              variant="default"
              disabled={undo.isPending}
              onClick={() => {
                onClose();
                onShow(posts);
              }}
            >
              Show {created === 1 ? 'it' : 'them'}
            </Button>
          </>
        )}
        <Button onClick={onClose}>Done</Button>
      </Footer>
    </>
  );
}
