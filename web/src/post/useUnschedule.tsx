import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { messageOf, type PostWithEtag } from '../api/client.js';
import { refreshPosts } from '../api/queries.js';
import { updateIfUnchanged } from '../api/update-if-unchanged.js';
import { showActionNotice } from '../ui/action-notice.js';

/** Clears the slot; undo restores it, if it is still far enough ahead. */
export function useUnschedule(post: PostWithEtag) {
  const client = useQueryClient();
  const undo = (draft: PostWithEtag, scheduled_at: string) => {
    updateIfUnchanged(client, draft, { status: 'scheduled', scheduled_at }, 'scheduled again')
      .then(() => refreshPosts(client))
      .catch((error: unknown) =>
        notifications.show({
          color: 'red',
          autoClose: false,
          title: 'Couldn’t schedule it again',
          message: messageOf(error),
        }),
      );
  };
  return useMutation({
    mutationFn: () => updateIfUnchanged(client, post, { status: 'draft' }, 'unscheduled'),
    onSuccess: (draft) => {
      void refreshPosts(client);
      const slot = post.scheduled_at;
      showActionNotice({
        id: post.id,
        text: 'Unscheduled. It’s a draft again.',
        button: slot === null ? undefined : { label: 'Undo', onClick: () => undo(draft, slot) },
      });
    },
  });
}
