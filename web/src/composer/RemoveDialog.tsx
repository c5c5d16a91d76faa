import type { Asset } from '@airdate/sdk';
import { Button, Group, Modal, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refreshPosts } from '../api/queries.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { removeAsset } from '../uploads/arrange.js';

interface Props {
  postId: string;
  asset: Asset | undefined;
  what: string;
  onClose: () => void;
}

export function RemoveDialog({ postId, asset, what, onClose }: Props) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (objectKey: string) => removeAsset(postId, objectKey),
    onSuccess: async () => {
      await refreshPosts(client);
      onClose();
    },
  });
  return (
    <Modal
      opened={asset !== undefined}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      title={`Remove ${what}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Text size="sm" mb="md">
        {asset?.filename} is deleted from this post. This cannot be undone; to use it again, upload it again.
      </Text>
      {remove.isError && <ProblemNote error={remove.error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button
          loading={remove.isPending}
          onClick={() => asset && remove.mutate(asset.object_key)}
        >{`Remove ${what}`}</Button>
      </Group>
    </Modal>
  );
}
