import type { Post } from '@airdate/sdk';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, ask } from '../api/client.js';
import { refreshPosts } from '../api/queries.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { titleOf } from './nextStep.js';

interface Props {
  post: Post;
  opened: boolean;
  onClose: () => void;
}

export function DeleteDialog({ post, opened, onClose }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => ask(api.DELETE('/api/v1/posts/{id}', { params: { path: { id: post.id } } })),
    onSuccess: async () => {
      notifications.show({ color: 'gray', message: `“${titleOf(post)}” is deleted.` });
      await navigate({ to: '/library' });
      client.removeQueries({ queryKey: ['posts', 'one', post.id] });
      await refreshPosts(client);
    },
  });
  return (
    <Modal opened={opened} onClose={onClose} title="Delete this post?">
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <strong>“{titleOf(post)}”</strong> goes for good, with its files and the record of its attempts.
          This cannot be undone.
          {post.posted_at && ' What is on the platform stays there.'}
        </Text>
        {remove.error && <ProblemNote error={remove.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep it
          </Button>
          <Button loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete the post
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
