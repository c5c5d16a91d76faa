import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { api, ask, messageOf } from '../api/client.js';
import { snippetsQuery } from '../api/queries.js';
import type { Snippet } from './kinds.js';

type New = Pick<Snippet, 'kind' | 'name' | 'text'>;

/** Changes of saved texts. Each ends when the list has it. */
export function useSnippets() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: snippetsQuery.queryKey });
  const create = async ({ kind, name, text }: New) => {
    await ask(api.POST('/api/v1/snippets', { body: { kind, name, text } }));
    await refresh();
  };
  const rename = async (id: string, name: string) => {
    await ask(api.PATCH('/api/v1/snippets/{id}', { params: { path: { id } }, body: { name } }));
    await refresh();
  };
  const remove = async (snippet: Snippet) => {
    try {
      await ask(api.DELETE('/api/v1/snippets/{id}', { params: { path: { id: snippet.id } } }));
      offerBack(snippet.name, () => create(snippet));
    } catch (error) {
      say(error);
    }
    await refresh();
  };
  return { create, rename, remove };
}

const say = (error: unknown) => notifications.show({ color: 'red', message: messageOf(error) });

/** Deleting can be undone. */
function offerBack(name: string, restore: () => Promise<void>): void {
  const id = `snippet-${name}`;
  notifications.show({
    id,
    color: 'gray',
    autoClose: 10_000,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>“{name}” was deleted.</span>
        <Button
          variant="default"
          size="xs"
          flex="none"
          onClick={() => {
            notifications.hide(id);
            restore().catch(say);
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
}
