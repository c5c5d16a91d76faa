// Removes a slide immediately. It was read back before, so Undo can upload it again. A request that waits for the end of the notice
// was rejected: the post may be published or come due meanwhile, here or elsewhere, and the slide would go out.
import type { Asset } from '@airdate/sdk/core';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { assetsQuery, refreshPosts } from '../api/queries.js';
import { showActionNotice, showFailure } from '../ui/action-notice.js';
import { type AssetList, removeAsset } from '../uploads/arrange.js';
import { readBack } from '../uploads/send.js';
import { addUploads } from '../uploads/uploads.js';
import { focusMediaHeading } from './FilePicker.js';

interface Removal {
  asset: Asset;
  /** From 1. */
  place: number;
  onRemoved: () => void;
  /** The slide is back at its place. */
  onRestored: () => void;
  /** It could not be read back, so it cannot be restored. */
  onUnreadable: () => void;
}

export type RemoveSlide = (removal: Removal) => Promise<void>;

export interface SlideRemoval {
  /** The keys of slides that are not gone yet. */
  leaving: readonly string[];
  remove: RemoveSlide;
}

export function useRemoveSlide(postId = ''): SlideRemoval {
  const client = useQueryClient();
  const [leaving, setLeaving] = useState<readonly string[]>([]);
  const remove = useCallback<RemoveSlide>(
    async (removal) => {
      const { object_key } = removal.asset;
      setLeaving((keys) => [...keys, object_key]);
      const isGone = await removeWithNotice(client, postId, removal);
      setLeaving((keys) => keys.filter((key) => key !== object_key));
      if (!isGone) return;
      await refreshPosts(client);
      focusMediaHeading();
    },
    [client, postId],
  );
  return { leaving, remove };
}

async function removeWithNotice(client: QueryClient, postId: string, removal: Removal): Promise<boolean> {
  const { asset, place, onRemoved, onRestored, onUnreadable } = removal;
  const { object_key: key, content_type: contentType } = asset;
  const file = await readBack(asset);
  if (!file) {
    onUnreadable();
    return false;
  }
  try {
    await removeAsset(postId, key);
  } catch (error) {
    showFailure(`Couldn’t remove slide ${place}`, error);
    return false;
  }
  const { queryKey } = assetsQuery(postId);
  await client.cancelQueries({ queryKey });
  client.setQueryData<AssetList>(
    queryKey,
    (list) => list && { ...list, data: list.data.filter(({ object_key }) => object_key !== key) },
  );
  onRemoved();
  showActionNotice({
    id: `removed-${key}`,
    text: `Slide ${place} removed.`,
    button: {
      label: 'Undo',
      onClick: () =>
        addUploads(client, [{ postId, file, contentType, position: place, onArrived: onRestored }]),
    },
  });
  return true;
}
