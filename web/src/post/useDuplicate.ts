import type { Post } from '@airdate/sdk';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { createElement, Fragment, useRef } from 'react';
import { api, askFor, messageOf } from '../api/client.js';
import { refreshPosts } from '../api/queries.js';
import { NoticeLink } from '../ui/NoticeLink.js';
import { quote } from './archiving.js';

/** Copies a post with its files to a new draft, and says where that is. */
export function useDuplicate(): (post: Post) => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  // A second press while the files are copied is not a second copy.
  const busy = useRef(new Set<string>());
  return async (post) => {
    if (busy.current.has(post.id)) return;
    busy.current.add(post.id);
    try {
      const params = { path: { id: post.id } };
      const copy = await askFor(api.POST('/api/v1/posts/{id}/duplicate', { params, body: {} }));
      void refreshPosts(client);
      const id = notifications.show({
        color: 'gray',
        autoClose: 10_000,
        message: createElement(
          Fragment,
          null,
          `${quote(post)} copied to a new draft. `,
          createElement(NoticeLink, {
            router,
            postId: copy.id,
            onFollow: () => notifications.hide(id),
            text: 'Open the copy',
          }),
        ),
      });
    } catch (error) {
      notifications.show({ color: 'red', title: 'Couldn’t duplicate it', message: messageOf(error) });
    } finally {
      busy.current.delete(post.id);
    }
  };
}
