import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, type PostWithEtag } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import { postQuery, refreshPosts, refreshQueries } from '../api/queries.js';
import { queryKeys } from '../api/query-keys.js';
import { isConflict } from '../api/update-if-unchanged.js';
import { titleOf } from '../text/post-title.js';
import { ProblemNote } from '../ui/Note.js';
import '../ui/overlays.css';

interface Props {
  post: PostWithEtag;
  opened: boolean;
  onClose: () => void;
}

export function DeleteDialog({ post, opened, onClose }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { on } = usePlatform();
  const remove = useMutation({
    mutationFn: () =>
      api.request('DELETE', '/api/v1/posts/{id}', { path: { id: post.id }, ifMatch: post.etag }),
    onError: (error) => {
      // The dialog then names the post as it is now, and can be confirmed again.
      if (isConflict(error)) void refreshQueries(client, postQuery(post.id));
    },
    onSuccess: async () => {
      notifications.show({ color: 'gray', message: `“${titleOf(post)}” deleted.` });
      await navigate({ to: '/library' });
      client.removeQueries({ queryKey: queryKeys.post(post.id) });
      await refreshPosts(client);
    },
  });
  return (
    <Modal opened={opened} onClose={onClose} title="Delete this post?">
      <Stack gap="md">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <strong>
            “<bdi>{titleOf(post)}</bdi>”
          </strong>{' '}
          will be permanently deleted, with its files and its publishing history.
          {post.posted_at && (post.in_inbox ? ' The draft stays in the inbox.' : ` It stays ${on}.`)}
        </Text>
        {remove.error && <ProblemNote error={withConflictText(remove.error)} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete post
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const withConflictText = (error: Error): Error =>
  isConflict(error)
    ? new Error('This post was just changed elsewhere, so it wasn’t deleted. Check it, then try again.')
    : error;
