import type { Asset } from '@airdate/sdk/core';
import { useQueryClient } from '@tanstack/react-query';
import { refreshPosts } from '../api/queries.js';
import { ConfirmDialog } from '../ui/lazy.js';
import { removeAsset } from '../uploads/arrange.js';

interface Props {
  postId: string;
  asset: Asset | undefined;
  what: string;
  onClose: () => void;
  onRemoved?: (objectKey: string) => void;
}

export function RemoveDialog({ postId, asset, what, onClose, onRemoved }: Props) {
  const client = useQueryClient();
  const remove = async () => {
    if (asset) {
      await removeAsset(postId, asset.object_key);
      onRemoved?.(asset.object_key);
    }
    await refreshPosts(client);
  };
  return (
    <ConfirmDialog
      opened={asset !== undefined}
      onClose={onClose}
      title={`Remove ${what}?`}
      act={`Remove ${what}`}
      onConfirm={remove}
    >
      <bdi>{asset?.filename}</bdi> will be deleted from this post. You can’t undo this, but you can upload it
      again.
    </ConfirmDialog>
  );
}
