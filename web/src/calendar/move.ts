// Moving a post to another slot: shown immediately, reverted with the reason when the API refuses.
import type { Post } from '@airdate/sdk/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, messageOf } from '../api/client.js';
import { postQuery, refreshPosts, useLeadMs } from '../api/queries.js';
import { queryKeys } from '../api/query-keys.js';
import { updateIfUnchanged } from '../api/update-if-unchanged.js';
import { dateAndTime, duration, inUtc } from '../text/time.js';
import { showActionNotice } from '../ui/action-notice.js';
import type { Item, Items } from './items.js';
import { movedElsewhereReason } from './seen-slot.js';

/** Why nothing can be scheduled at this time; null when it can. */
export function refusalOf(at: Date, now: number, leadMs: number): string | null {
  if (at.getTime() < now) return 'This time has passed. Choose a later one.';
  if (at.getTime() < now + leadMs) return `Choose a time at least ${duration(leadMs)} from now.`;
  return null;
}

export function refuse(reason: string, title = 'Not moved'): void {
  notifications.show({ color: 'red', title, message: reason });
}

interface Move {
  item: Item;
  at: Date;
  isUndo?: boolean;
}

export function useMove(): (item: Item, at: Date) => void {
  const client = useQueryClient();
  const leadMs = useLeadMs();
  const mutation = useMutation({
    // One after the other: the next drop expects the post where the last one has put it.
    scope: { id: 'calendar-move' },
    mutationFn: async ({ item, at }: Move): Promise<Post> => {
      const now = await client.fetchQuery({ ...postQuery(item.post.id), staleTime: 0 });
      mustBeAt(now, item.at);
      const scheduled_at = at.toISOString().replace(/\.\d+Z$/, 'Z');
      const moved = await updateIfUnchanged(client, now, { scheduled_at }, 'moved');
      // The API stores the time of a draft too, but a draft does not go out.
      mustBeAt(moved, scheduled_at);
      return moved;
    },
    onMutate: async ({ item, at }) => {
      await client.cancelQueries({ queryKey: queryKeys.calendar });
      const before = client.getQueriesData<Items>({ queryKey: queryKeys.calendar });
      client.setQueriesData<Items>(
        { queryKey: queryKeys.calendar },
        (shown) => shown && moved(shown, item, at),
      );
      return { before };
    },
    onError: (error, { item, isUndo }, context) => {
      for (const [key, shown] of context?.before ?? []) client.setQueryData(key, shown);
      refuse(reasonOf(error, item.post), isUndo ? 'Not moved back' : 'Not moved');
    },
    onSuccess: (_, { item, at, isUndo }) => {
      const mayGoBack = !isUndo && refusalOf(new Date(item.at), Date.now(), leadMs) === null;
      const goBack = () =>
        mutation.mutate({
          item: { post: item.post, at: at.toISOString() },
          at: new Date(item.at),
          isUndo: true,
        });
      showActionNotice({
        id: `moved-${item.post.id}-${at.getTime()}`,
        color: 'green',
        title: isUndo ? 'Moved back' : 'Moved',
        text: `${item.post.title} goes out ${dateAndTime(at)} (${inUtc(at)}).`,
        button: mayGoBack ? { label: 'Undo', onClick: goBack } : undefined,
      });
    },
    onSettled: () => void refreshPosts(client),
  });
  return (item, at) => mutation.mutate({ item, at });
}

function mustBeAt(post: Post, at: string): void {
  const reason = movedElsewhereReason(post, at);
  if (reason) throw new Error(reason);
}

function reasonOf(error: unknown, { title }: Post): string {
  if (!(error instanceof ApiError)) return messageOf(error);
  const said = error.of('scheduled_at');
  return `${title} keeps its time. ${said ? `The time ${said}.` : messageOf(error)}`;
}

const moved = (shown: Items, { post }: Item, at: Date): Items => ({
  ...shown,
  items: shown.items.map((item) => (item.post.id === post.id ? { ...item, at: at.toISOString() } : item)),
});
