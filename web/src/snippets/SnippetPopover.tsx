import { Popover, Skeleton, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { cloneElement, type ReactElement, useEffect, useState } from 'react';
import { snippetsQuery } from '../api/queries.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { type Kind, WORDS } from './kinds.js';
import { NameForm } from './NameForm.js';
import { SnippetRow } from './SnippetRow.js';
import classes from './Snippets.module.css';
import { useSnippets } from './useSnippets.js';

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
  const [isNaming, setNaming] = useState(false);
  useEffect(() => setOpen(true), []);
  const list = useQuery({ ...snippetsQuery, enabled: isOpen });
  const { create } = useSnippets();
  const { one, none } = WORDS[kind];
  const shown = list.data?.filter((snippet) => snippet.kind === kind) ?? [];
  const insert = (chosen: string) => {
    setOpen(false);
    onInsert(chosen);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      onClose={() => setNaming(false)}
      trapFocus
      returnFocus={false}
      withRoles
      position="bottom-end"
      shadow="md"
      width={320}
    >
      <Popover.Target>{cloneElement(button, { onClick: () => setOpen(!isOpen) })}</Popover.Target>
      <Popover.Dropdown p={8}>
        {list.isPending && <Skeleton height={44} />}
        {list.isError && <ProblemNote error={list.error} onRetry={() => void list.refetch()} />}
        {list.isSuccess && shown.length === 0 && <p className={classes.none}>{none}</p>}
        {shown.length > 0 && (
          <ul className={classes.list}>
            {shown.map((snippet) => (
              <SnippetRow key={snippet.id} snippet={snippet} onInsert={() => insert(snippet.text)} />
            ))}
          </ul>
        )}
        {isNaming ? (
          <NameForm
            label={`Name for the ${one}`}
            name=""
            onSave={(name) => create({ kind, name, text: text.trim() })}
            onEnd={() => setNaming(false)}
          />
        ) : (
          text.trim() !== '' && (
            <UnstyledButton className={classes.save ?? ''} onClick={() => setNaming(true)}>
              <Plus size={14} aria-hidden /> Save current {one} as…
            </UnstyledButton>
          )
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
