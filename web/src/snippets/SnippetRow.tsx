import { ActionIcon, UnstyledButton } from '@mantine/core';
import { Pencil, Trash2 } from 'lucide-react';
import { NameRow } from '../ui/NameForm.js';
import { MAX_NAME, type Snippet } from './kinds.js';
import classes from './Snippets.module.css';

interface Props {
  snippet: Snippet;
  isNaming: boolean;
  onNaming: () => void;
  onNamed: () => void;
  onRename: (name: string) => Promise<void>;
  onInsert: () => void;
  onDelete: () => void;
}

export function SnippetRow({ snippet: { name, text }, isNaming, ...on }: Props) {
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
        <span className={classes.name}>{name}</span>
        <span className={classes.text}>{text}</span>
      </UnstyledButton>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.tool ?? ''}
        aria-label={`Rename ${name}`}
        onClick={on.onNaming}
      >
        <Pencil size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.tool ?? ''}
        aria-label={`Delete ${name}`}
        onClick={on.onDelete}
      >
        <Trash2 size={14} aria-hidden />
      </ActionIcon>
    </li>
  );
}
