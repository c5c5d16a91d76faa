// Archiving and restoring, for one post or hundreds: shown immediately, reverted if refused, undone on request.
import type { Pagination, Post } from '@airdate/sdk/core';
import { notifications } from '@mantine/notifications';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ApiError, api, messageOf } from '../api/client.js';
import { withIdempotencyKey } from '../api/idempotency-keys.js';
import { refreshPosts } from '../api/queries.js';
import { type PostsQuery, queryKeys, queryOfList } from '../api/query-keys.js';
import { showActionNotice, showFailure } from '../ui/action-notice.js';
import { type Action, mayHaveSlot, outcomeOf, quote, runInBatches, slotsOf, undoneOf } from './archiving.js';

type List = { data: Post[]; pagination: Pagination };

export function useArchive() {
  const client = useQueryClient();
  return {
    archive: (posts: Post[]) => change(client, posts, 'archive'),
    unarchive: (posts: Post[]) => change(client, posts, 'unarchive'),
  };
}

async function change(client: QueryClient, posts: Post[], action: Action): Promise<void> {
  const done = await send(client, posts, action);
  if (done.length === 0) return;
  showActionNotice({
    id: `${action}-${done[0]?.id}`,
    text: outcomeOf(done, action),
    button: { label: 'Undo', onClick: () => void undo(client, done, action) },
  });
}

async function undo(client: QueryClient, posts: Post[], action: Action): Promise<void> {
  const done = await send(client, posts, action === 'archive' ? 'unarchive' : 'archive');
  if (done.length === 0) return;
  const slots = action === 'archive' ? slotsOf(done) : [];
  const answers = await Promise.allSettled(
    slots.map(({ post, scheduled_at }) => schedule(post.id, scheduled_at)),
  );
  const refused = answers.flatMap((answer, i) => {
    const slot = slots[i];
    return answer.status === 'rejected' && slot
      ? [`${quote(slot.post)} is a draft now: ${messageOf(answer.reason)}`]
      : [];
  });
  if (refused.length > 0)
    showFailure(
      refused.length === 1 ? 'Couldn’t schedule it again' : 'Couldn’t schedule some posts again',
      refused.join(' '),
      true,
    );
  notifications.show({ color: 'gray', message: undoneOf(done, action, slots.length - refused.length) });
  await refreshPosts(client);
}

const schedule = (id: string, scheduled_at: string) =>
  api.request('PATCH', '/api/v1/posts/{id}', {
    path: { id },
    body: { status: 'scheduled', scheduled_at },
  });

/** Returns what was done. Posts that were refused are shown as before, or as they now are. */
async function send(client: QueryClient, posts: Post[], action: Action): Promise<Post[]> {
  await client.cancelQueries({ queryKey: queryKeys.postLists });
  const before = client.getQueriesData({ queryKey: queryKeys.posts });
  show(client, posts, action);
  const { done, problem } = await runInBatches(posts, {
    reread: action === 'archive' ? rereadUnlessArchived : async (post) => post,
    act: (ids) => api.request('PATCH', '/api/v1/posts/batch', { body: { ids, action } }),
  });
  if (problem !== undefined) {
    for (const [key, data] of before) client.setQueryData(key, data);
    show(client, done, action);
    showFailure(
      done.length === 0 ? `Couldn’t ${action}` : `${done.length} of ${posts.length} posts ${action}d`,
      problem,
    );
  }
  void refreshPosts(client);
  return done;
}

/**
 * Read just before it is archived. A selection may be minutes old, and with it the slot that Undo would restore; the API
 * knows the current one, at the price of a small read for each post that may have one.
 */
async function rereadUnlessArchived(post: Post): Promise<Post | null> {
  if (!mayHaveSlot(post)) return post;
  try {
    const now = await api.data('GET', '/api/v1/posts/{id}', { path: { id: post.id } });
    return now.status === 'archived' ? null : now;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

function show(client: QueryClient, posts: Post[], action: Action): void {
  const ids = new Set(posts.map(({ id }) => id));
  for (const [key, list] of client.getQueriesData<List>({ queryKey: queryKeys.postLists })) {
    if (!list) continue;
    const data = list.data
      .map((post) => (ids.has(post.id) ? after(post, action) : post))
      .filter((post) => !ids.has(post.id) || belongs(post, queryOfList(key)));
    const total = Math.max(0, list.pagination.total - (list.data.length - data.length));
    client.setQueryData<List>(key, { data, pagination: { ...list.pagination, total } });
  }
  for (const id of ids) client.setQueryData<Post>(queryKeys.post(id), (post) => post && after(post, action));
}

function after(post: Post, action: Action): Post {
  if (action === 'archive') return { ...post, status: 'archived', scheduled_at: null };
  return { ...post, status: post.posted_at === null ? 'draft' : 'posted' };
}

const belongs = (
  { status, in_inbox }: Post,
  { status: wanted, needs_attention, outcome, outcome_not }: PostsQuery,
) =>
  (wanted === undefined || String(wanted).split(',').includes(status)) &&
  // Of the outcomes, only this one is known of a post.
  (outcome !== 'in_inbox' || in_inbox) &&
  (outcome_not !== 'in_inbox' || !in_inbox) &&
  !(needs_attention && status === 'archived');

/** Copies a post with its files to a new draft. The notice leads to the copy. */
export function useDuplicate(): (post: Post) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (post) => {
    const id = `duplicate-${post.id}`;
    const name = quote(post);
    // Copying a video takes a moment.
    notifications.show({ id, loading: true, autoClose: false, message: `Duplicating ${name}…` });
    try {
      const copy = await withIdempotencyKey(id, {}, (key) =>
        api.data('POST', '/api/v1/posts/{id}/duplicate', {
          path: { id: post.id },
          idempotencyKey: key,
          body: {},
        }),
      );
      void refreshPosts(client);
      notifications.hide(id);
      showActionNotice({
        id: `copy-${copy.id}`,
        text: `${name} duplicated.`,
        button: {
          label: 'Open copy',
          onClick: () => void navigate({ to: '/posts/$postId/edit', params: { postId: copy.id } }),
        },
      });
    } catch (error) {
      notifications.hide(id);
      showFailure(`Couldn’t duplicate ${name}`, error, true);
    }
  };
}
