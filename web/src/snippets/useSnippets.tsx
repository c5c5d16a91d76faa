import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { api, messageOf } from '../api/client.js';
import { withIdempotencyKey } from '../api/idempotency-keys.js';
import { snippetsQuery } from '../api/queries.js';
import { showActionNotice } from '../ui/action-notice.js';
import type { Snippet } from './kinds.js';

type New = Pick<Snippet, 'kind' | 'name' | 'text'>;

/** Changes of saved texts. Each ends when the list has it. */
export function useSnippets() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: snippetsQuery.queryKey });
  const create = async ({ kind, name, text }: New) => {
    const body = { kind, name, text };
    await withIdempotencyKey('snippet', body, (key) =>
      api.request('POST', '/api/v1/snippets', { body, idempotencyKey: key }),
    );
    await refresh();
  };
  const rename = async (id: string, name: string) => {
    await api.request('PATCH', '/api/v1/snippets/{id}', { path: { id }, body: { name } });
    await refresh();
  };
  const remove = async (snippet: Snippet) => {
    try {
      await api.request('DELETE', '/api/v1/snippets/{id}', { path: { id: snippet.id } });
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
  showActionNotice({
    id: `snippet-${name}`,
    text: `“${name}” was deleted.`,
    button: { label: 'Undo', onClick: () => void restore().catch(say) },
  });
}
