import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isClash } from '../api/change-seen.js';
import { api, ask, ifUnchanged, type SeenPost } from '../api/client.js';
import { postQuery, refreshPosts } from '../api/queries.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { titleOf } from './nextStep.js';

interface Props {
  post: SeenPost;
  opened: boolean;
  onClose: () => void;
}

export function DeleteDialog({ post, opened, onClose }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () =>
      ask(api.DELETE('/api/v1/posts/{id}', { params: { path: { id: post.id }, ...ifUnchanged(post.etag) } })),
    onError: (error) => {
      // The dialog then names the post as it is now, and can be confirmed again.
      if (isClash(error)) void client.invalidateQueries({ queryKey: postQuery(post.id).queryKey });
    },
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
        {remove.error && <ProblemNote error={inWords(remove.error)} />}
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

const inWords = (error: Error): Error =>
  isClash(error)
    ? new Error('The post was changed elsewhere just now, so it was not deleted. Look at it again first.')
    : error;
