import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeSeen } from '../api/change-seen.js';
import { messageOf, type SeenPost } from '../api/client.js';
import { refreshPosts } from '../api/queries.js';

/** Clears the slot; undo restores it, if it is still far enough ahead. */
export function useUnschedule(post: SeenPost) {
  const client = useQueryClient();
  const undo = (draft: SeenPost, scheduled_at: string) => {
    notifications.hide(post.id);
    changeSeen(client, draft, { status: 'scheduled', scheduled_at }, 'scheduled again')
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
    mutationFn: () => changeSeen(client, post, { status: 'draft' }, 'unscheduled'),
    onSuccess: (draft) => {
      void refreshPosts(client);
      const slot = post.scheduled_at;
      notifications.show({
        id: post.id,
        color: 'gray',
        autoClose: 10_000,
        message: (
          <Group justify="space-between" wrap="nowrap">
            <Text size="sm">Unscheduled. It’s a draft again.</Text>
            {slot && (
              <Button variant="default" size="xs" flex="none" onClick={() => undo(draft, slot)}>
                Undo
              </Button>
            )}
          </Group>
        ),
      });
    },
  });
}
