import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { messageOf } from '../api/client.js';
import classes from './Snippets.module.css';

const MOST = 50;

interface Props {
  label: string;
  name: string;
  /** Throws what the API answers. */
  onSave: (name: string) => Promise<unknown>;
  onEnd: () => void;
}

export function NameForm({ label, name: before, onSave, onEnd }: Props) {
  const [name, setName] = useState(before);
  const [error, setError] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    if (name.trim() === '') return setError('Give it a name.');
    setSaving(true);
    try {
      await onSave(name.trim());
      onEnd();
    } catch (problem) {
      setError(messageOf(problem));
      setSaving(false);
    }
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextInput
        aria-label={label}
        placeholder="Name"
        size="xs"
        flex={1}
        maxLength={MOST}
        value={name}
        error={error ?? null}
        ref={focusOnce}
        onChange={({ currentTarget }) => {
          setName(currentTarget.value);
          setError(undefined);
        }}
      />
      <Button type="submit" size="xs" variant="default" loading={isSaving}>
        Save
      </Button>
    </form>
  );
}

const focusOnce = (input: HTMLInputElement | null) => input?.focus();
