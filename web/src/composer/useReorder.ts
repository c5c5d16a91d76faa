import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { messageOf } from '../api/client.js';
import { assetsQuery, refreshPosts } from '../api/queries.js';
import { type AssetList, arrange, inOrder } from '../uploads/arrange.js';

/** Shows the new order at once and sends it; several are sent one after the other, so the last one counts. */
export function useReorder(postId: string): (order: string[]) => void {
  const client = useQueryClient();
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const wanted = useRef<string[]>([]);
  const { queryKey } = assetsQuery(postId);
  return (order) => {
    wanted.current = order;
    void client.cancelQueries({ queryKey });
    client.setQueryData<AssetList>(queryKey, (list) => list && { ...list, data: sorted(list.data, order) });
    queue.current = queue.current.then(async () => {
      if (wanted.current !== order) return;
      try {
        const list = await arrange(postId, inOrder(order));
        if (wanted.current === order) client.setQueryData(queryKey, list);
      } catch (error) {
        notifications.show({
          color: 'red',
          title: 'Couldn’t reorder the slides',
          message: messageOf(error),
        });
      }
      void refreshPosts(client);
    });
  };
}

const sorted = (assets: AssetList['data'], order: string[]) =>
  assets.toSorted((a, b) => order.indexOf(a.object_key) - order.indexOf(b.object_key));
