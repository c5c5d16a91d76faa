import { Popover, Skeleton, UnstyledButton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { cloneElement, type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { refreshQueries, snippetsQuery } from '../api/queries.js';
import { IconButton } from '../ui/IconButton.js';
import { NameRow } from '../ui/NameForm.js';
import { ProblemNote } from '../ui/Note.js';
import { type Kind, MAX_NAME, type Snippet, TEXTS } from './kinds.js';
import classes from './Snippets.module.css';
import '../ui/overlays.css';
import { api } from '../api/client.js';
import { withIdempotencyKey } from '../api/idempotency-keys.js';
import { showActionNotice, showFailure } from '../ui/action-notice.js';

interface Props {
  kind: Kind;
  text: string;
  onInsert: (text: string) => void;
  /** It replaces the button that was pressed. */
  button: ReactElement<{ onClick?: () => void }>;
}

/** Opens immediately. */
export function SnippetPopover({ kind, text, onInsert, button }: Props) {
  const [isOpen, setOpen] = useState(false);
  /** The one that gets a name: an id, or `new`. */
  const [naming, setNaming] = useState<string>();
  const place = useRef<HTMLSpanElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  useEffect(() => setOpen(true), []);
  const list = useQuery({ ...snippetsQuery, enabled: isOpen });
  const { create, rename, remove } = useSnippets();
  const { one, none } = TEXTS[kind];
  const shown = list.data?.filter((snippet) => snippet.kind === kind) ?? [];
  const change = (open: boolean) => {
    setOpen(open);
    setNaming(undefined);
  };
  const endNaming = () => {
    setNaming(undefined);
    // The field is gone, and the focus with it.
    inside.current?.focus();
  };
  const insert = (chosen: string) => {
    change(false);
    onInsert(chosen);
  };
  // Not by the popover itself: it would also take the focus back after an insertion.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    if (naming !== undefined) return endNaming();
    change(false);
    place.current?.querySelector('button')?.focus();
  };
  return (
    <span ref={place}>
      <Popover
        opened={isOpen}
        onChange={change}
        closeOnEscape={false}
        trapFocus
        withRoles
        position="bottom-end"
        shadow="md"
        width={320}
      >
        <Popover.Target>{cloneElement(button, { onClick: () => change(!isOpen) })}</Popover.Target>
        <Popover.Dropdown p={8} onKeyDown={onKeyDown}>
          <div ref={inside} tabIndex={-1} className={classes.inside}>
            {list.isPending && <Skeleton height={44} />}
            {list.isError && <ProblemNote query={list} />}
            {list.isSuccess && shown.length === 0 && <p className={classes.none}>{none}</p>}
            {shown.length > 0 && (
              <ul className={classes.list}>
                {shown.map((snippet) => (
                  <SnippetRow
                    key={snippet.id}
                    snippet={snippet}
                    isNaming={naming === snippet.id}
                    onNaming={() => setNaming(snippet.id)}
                    onNamed={endNaming}
                    onRename={(name) => rename(snippet.id, name)}
                    onInsert={() => insert(snippet.text)}
                    onDelete={() => {
                      inside.current?.focus();
                      void remove(snippet);
                    }}
                  />
                ))}
              </ul>
            )}
            {naming === NEW ? (
              <NameRow
                aria-label={`Name for the ${one}`}
                maxLength={MAX_NAME}
                known=""
                onSave={(name) => create({ kind, name, text: text.trim() })}
                onEnd={endNaming}
              />
            ) : (
              text.trim() !== '' && (
                <UnstyledButton className={classes.save ?? ''} onClick={() => setNaming(NEW)}>
                  <Plus size={14} /> Save current {one} as…
                </UnstyledButton>
              )
            )}
          </div>
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}

const NEW = 'new';

interface SnippetRowProps {
  snippet: Snippet;
  isNaming: boolean;
  onNaming: () => void;
  onNamed: () => void;
  onRename: (name: string) => Promise<void>;
  onInsert: () => void;
  onDelete: () => void;
}

function SnippetRow({ snippet: { name, text }, isNaming, ...on }: SnippetRowProps) {
  if (isNaming)
    return (
      <li>
        <NameRow
          aria-label={`New name for ${name}`}
          maxLength={MAX_NAME}
          known={name}
          onSave={on.onRename}
          onEnd={on.onNamed}
        />
      </li>
    );
  return (
    <li className={classes.row}>
      <UnstyledButton className={classes.insert ?? ''} onClick={on.onInsert}>
        <span className="unseen">Insert </span>
        <span className={classes.name} dir="auto">
          {name}
        </span>
        <span className={classes.text} dir="auto">
          {text}
        </span>
      </UnstyledButton>
      <IconButton
        label={`Rename ${name}`}
        icon={Pencil}
        iconSize={14}
        size="md"
        className={classes.tool ?? ''}
        onClick={on.onNaming}
      />
      <IconButton
        label={`Delete ${name}`}
        icon={Trash2}
        iconSize={14}
        size="md"
        className={classes.tool ?? ''}
        onClick={on.onDelete}
      />
    </li>
  );
}

type New = Pick<Snippet, 'kind' | 'name' | 'text'>;

/** Changes of saved texts. Each ends when the list has it. */
function useSnippets() {
  const client = useQueryClient();
  const refresh = () => refreshQueries(client, snippetsQuery);
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

const say = (error: unknown) => showFailure(undefined, error);

/** Deleting can be undone. */
function offerBack(name: string, restore: () => Promise<void>): void {
  showActionNotice({
    id: `snippet-${name}`,
    text: `“${name}” was deleted.`,
    button: { label: 'Undo', onClick: () => void restore().catch(say) },
  });
}
