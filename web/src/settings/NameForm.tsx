import { Button, Group, TextInput, type TextInputProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { fieldError } from '../ui/field-error.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import classes from './Settings.module.css';

interface Props extends Pick<TextInputProps, 'label' | 'description' | 'autoComplete' | 'maxLength'> {
  /** The saved name. */
  known: string;
  onSave: (name: string) => Promise<unknown>;
  readOnly?: boolean;
  /** Further fields. */
  children?: ReactNode;
}

/** A name that can be changed: a person's own, or the organization's. */
export function NameForm({ known, onSave, readOnly = false, children, ...field }: Props) {
  const [name, setName] = useState(known);
  const rename = useMutation({
    mutationFn: () => onSave(name.trim()),
    onSuccess: () => setName(name.trim()),
  });
  const problem = fieldError(rename.error, 'name', 'The name');
  const isSame = name.trim() === known;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        {...field}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        readOnly={readOnly}
        error={problem}
      />
      {children}
      {rename.isError && !problem && <ProblemNote error={rename.error} />}
      {!readOnly && (
        <Group gap="sm">
          <Button type="submit" loading={rename.isPending} disabled={isSame || name.trim() === ''}>
            Save name
          </Button>
          <span role="status" className={classes.soft}>
            {rename.isSuccess && isSame && 'Saved'}
          </span>
        </Group>
      )}
    </form>
  );
}
