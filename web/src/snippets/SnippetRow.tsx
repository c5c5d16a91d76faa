import { ActionIcon, UnstyledButton } from '@mantine/core';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Snippet } from './kinds.js';
import { NameForm } from './NameForm.js';
import classes from './Snippets.module.css';
import { useSnippets } from './useSnippets.js';

export function SnippetRow({ snippet, onInsert }: { snippet: Snippet; onInsert: () => void }) {
  const { id, name, text } = snippet;
  const [isNaming, setNaming] = useState(false);
  const { rename, remove } = useSnippets();
  if (isNaming)
    return (
      <li>
        <NameForm
          label={`New name for ${name}`}
          name={name}
          onSave={(next) => rename(id, next)}
          onEnd={() => setNaming(false)}
        />
      </li>
    );
  return (
    <li className={classes.row}>
      <UnstyledButton className={classes.insert ?? ''} aria-label={`Insert ${name}`} onClick={onInsert}>
        <span className={classes.name}>{name}</span>
        <span className={classes.text}>{text}</span>
      </UnstyledButton>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.tool ?? ''}
        aria-label={`Rename ${name}`}
        onClick={() => setNaming(true)}
      >
        <Pencil size={14} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.tool ?? ''}
        aria-label={`Delete ${name}`}
        onClick={() => void remove(snippet)}
      >
        <Trash2 size={14} aria-hidden />
      </ActionIcon>
    </li>
  );
}
