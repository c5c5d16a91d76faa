import type { Post } from '@airdate/sdk';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, askForPost, messageOf } from '../api/client.js';
import { postQuery, refreshPosts } from '../api/queries.js';

/** Clears the slot; undo restores it, if it is still far enough ahead. */
export function useUnschedule(post: Post) {
  const client = useQueryClient();
  const save = async (body: { status: 'draft' } | { status: 'scheduled'; scheduled_at: string }) => {
    const answer = await askForPost(
      api.PATCH('/api/v1/posts/{id}', { params: { path: { id: post.id } }, body }),
    );
    client.setQueryData(postQuery(post.id).queryKey, answer);
    void refreshPosts(client);
  };
  const undo = (scheduled_at: string) => {
    notifications.hide(post.id);
    save({ status: 'scheduled', scheduled_at }).catch((error: unknown) =>
      notifications.show({
        color: 'red',
        autoClose: false,
        title: 'The slot could not be booked again',
        message: messageOf(error),
      }),
    );
  };
  return useMutation({
    mutationFn: () => save({ status: 'draft' }),
    onSuccess: () => {
      const slot = post.scheduled_at;
      notifications.show({
        id: post.id,
        color: 'gray',
        autoClose: 10_000,
        message: (
          <Group justify="space-between" wrap="nowrap">
            <Text size="sm">It is a draft again.</Text>
            {slot && (
              <Button variant="default" size="xs" flex="none" onClick={() => undo(slot)}>
                Undo
              </Button>
            )}
          </Group>
        ),
      });
    },
  });
}
