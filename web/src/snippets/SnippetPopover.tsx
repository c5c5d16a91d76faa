import { Popover, Skeleton, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { cloneElement, type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { snippetsQuery } from '../api/queries.js';
import { NameRow } from '../ui/NameForm.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { type Kind, MAX_NAME, WORDS } from './kinds.js';
import { SnippetRow } from './SnippetRow.js';
import classes from './Snippets.module.css';
import { useSnippets } from './useSnippets.js';
import '../ui/overlays.css';

interface Props {
  kind: Kind;
  text: string;
  onInsert: (text: string) => void;
  /** It replaces the button that was pressed. */
  button: ReactElement<{ onClick?: () => void }>;
}

/** Opens at once. */
export function SnippetPopover({ kind, text, onInsert, button }: Props) {
  const [isOpen, setOpen] = useState(false);
  /** The one that gets a name: an id, or `new`. */
  const [naming, setNaming] = useState<string>();
  const place = useRef<HTMLSpanElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  useEffect(() => setOpen(true), []);
  const list = useQuery({ ...snippetsQuery, enabled: isOpen });
  const { create, rename, remove } = useSnippets();
  const { one, none } = WORDS[kind];
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
            {list.isError && <ProblemNote error={list.error} onRetry={() => void list.refetch()} />}
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
                  <Plus size={14} aria-hidden /> Save current {one} as…
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
