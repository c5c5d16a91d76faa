import type { Post } from '@airdate/sdk/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, messageOf } from '../api/client.js';
import { withIdempotencyKey } from '../api/idempotency-keys.js';
import { refreshPosts } from '../api/queries.js';
import { showActionNotice } from '../ui/action-notice.js';
import { quote } from './archiving.js';

/** Copies a post with its files to a new draft. The notice leads to the copy. */
export function useDuplicate(): (post: Post) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (post) => {
    const id = `duplicate-${post.id}`;
    const name = quote(post);
    // Copying a video takes a moment.
    notifications.show({ id, loading: true, autoClose: false, message: `Duplicating ${name}…` });
    try {
      const copy = await withIdempotencyKey(id, {}, (key) =>
        api.data('POST', '/api/v1/posts/{id}/duplicate', {
          path: { id: post.id },
          idempotencyKey: key,
          body: {},
        }),
      );
      void refreshPosts(client);
      notifications.hide(id);
      showActionNotice({
        id: `copy-${copy.id}`,
        text: `${name} duplicated.`,
        button: {
          label: 'Open copy',
          onClick: () => void navigate({ to: '/posts/$postId/edit', params: { postId: copy.id } }),
        },
      });
    } catch (error) {
      notifications.hide(id);
      notifications.show({
        color: 'red',
        autoClose: false,
        title: `Couldn’t duplicate ${name}`,
        message: messageOf(error),
      });
    }
  };
}
