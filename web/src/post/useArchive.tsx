// Archiving and its opposite, for one post or hundreds: shown at once, taken back if refused, undone if wanted.
import type { Pagination, Post } from '@airdate/sdk';
import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { api, ask, messageOf } from '../api/client.js';
import { type PostsQuery, refreshPosts } from '../api/queries.js';
import { titleOf } from './nextStep.js';

type Action = 'archive' | 'unarchive';
type List = { data: Post[]; pagination: Pagination };

/** As many as the API takes in one request. */
const AT_ONCE = 50;
const UNDO_MS = 10_000;

export function useArchive() {
  const client = useQueryClient();
  return {
    archive: (posts: Post[]) => change(client, posts, 'archive'),
    unarchive: (posts: Post[]) => change(client, posts, 'unarchive'),
  };
}

async function change(client: QueryClient, posts: Post[], action: Action): Promise<void> {
  if (!(await send(client, posts, action))) return;
  const id = `${action}-${posts[0]?.id}`;
  notifications.show({
    id,
    color: 'gray',
    autoClose: UNDO_MS,
    withCloseButton: true,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm">{outcomeOf(posts, action)}</Text>
        <Button
          variant="default"
          size="xs"
          flex="none"
          onClick={() => {
            notifications.hide(id);
            void undo(client, posts, action);
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
}

function outcomeOf(posts: Post[], action: Action): string {
  const only = posts.length === 1 ? posts[0] : undefined;
  const what = only ? `“${shorten(titleOf(only))}”` : `${posts.length} posts`;
  if (action === 'unarchive') return `${what} left the archive.`;
  const slots = posts.filter(({ status }) => status === 'scheduled').length;
  if (slots === 0) return `${what} archived.`;
  return only
    ? `${what} archived. It lost its slot; Undo books it again.`
    : `${what} archived. ${slots} of them lost their slot; Undo books ${slots === 1 ? 'it' : 'them'} again.`;
}

const shorten = (title: string) => (title.length > 60 ? `${title.slice(0, 57)}…` : title);

async function undo(client: QueryClient, posts: Post[], action: Action): Promise<void> {
  const isBack = await send(client, posts, action === 'archive' ? 'unarchive' : 'archive');
  if (!isBack || action === 'unarchive') return;
  const slots = posts.filter(({ status, scheduled_at }) => status === 'scheduled' && scheduled_at !== null);
  const answers = await Promise.allSettled(slots.map(bookAgain));
  const refused = answers.flatMap((answer, i) => {
    const post = slots[i];
    return answer.status === 'rejected' && post ? [{ post, reason: messageOf(answer.reason) }] : [];
  });
  if (refused.length > 0)
    notifications.show({
      color: 'red',
      autoClose: false,
      title:
        refused.length === 1 ? 'Its slot could not be booked again' : 'Some slots could not be booked again',
      message: refused
        .map(({ post, reason }) => `“${shorten(titleOf(post))}” is a draft now: ${reason}`)
        .join(' '),
    });
  await refreshPosts(client);
}

const bookAgain = ({ id, scheduled_at }: Post) =>
  ask(
    api.PATCH('/api/v1/posts/{id}', {
      params: { path: { id } },
      body: { status: 'scheduled', scheduled_at },
    }),
  );

/** False if it was refused; then everything looks as it did, or as it truly is. */
async function send(client: QueryClient, posts: Post[], action: Action): Promise<boolean> {
  await client.cancelQueries({ queryKey: ['posts', 'list'] });
  const before = client.getQueriesData({ queryKey: ['posts'] });
  show(client, posts, action);
  let done = 0;
  try {
    while (done < posts.length) {
      const ids = posts.slice(done, done + AT_ONCE).map(({ id }) => id);
      await ask(api.PATCH('/api/v1/posts/batch', { body: { ids, action } }));
      done += ids.length;
    }
    return true;
  } catch (error) {
    for (const [key, data] of before) client.setQueryData(key, data);
    const verb = action === 'archive' ? 'archived' : 'unarchived';
    notifications.show({
      color: 'red',
      title: done === 0 ? `Not ${verb}` : `${done} of ${posts.length} posts were ${verb}`,
      message: messageOf(error),
    });
    return false;
  } finally {
    void refreshPosts(client);
  }
}

function show(client: QueryClient, posts: Post[], action: Action): void {
  const ids = new Set(posts.map(({ id }) => id));
  for (const [key, list] of client.getQueriesData<List>({ queryKey: ['posts', 'list'] })) {
    if (!list) continue;
    const data = list.data
      .map((post) => (ids.has(post.id) ? after(post, action) : post))
      .filter((post) => !ids.has(post.id) || belongs(post, key[2] as PostsQuery));
    const total = Math.max(0, list.pagination.total - (list.data.length - data.length));
    client.setQueryData<List>(key, { data, pagination: { ...list.pagination, total } });
  }
  for (const id of ids)
    client.setQueryData<Post>(['posts', 'one', id], (post) => post && after(post, action));
}

function after(post: Post, action: Action): Post {
  if (action === 'archive') return { ...post, status: 'archived', scheduled_at: null };
  return { ...post, status: post.posted_at === null ? 'draft' : 'posted' };
}

const belongs = ({ status }: Post, { status: wanted, needs_attention }: PostsQuery) =>
  (wanted === undefined || wanted.split(',').includes(status)) && !(needs_attention && status === 'archived');
