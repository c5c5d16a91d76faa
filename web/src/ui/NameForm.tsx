import { Button, Group, TextInput, type TextInputProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { messageOf } from '../api/client.js';
import classes from './NameForm.module.css';
import { fieldError, ProblemNote } from './Note.js';

type Field = Pick<TextInputProps, 'label' | 'aria-label' | 'description' | 'autoComplete' | 'maxLength'>;

interface Props extends Field {
  /** The saved name. */
  known: string;
  /** Throws what the API answers. */
  onSave: (name: string) => Promise<unknown>;
  readOnly?: boolean;
  /** Further fields. */
  children?: ReactNode;
}

/** A name that can be changed: a person's own, or the organization's. */
export function NameForm({ known, onSave, readOnly = false, children, ...field }: Props) {
  const { name, rename, input, submit } = useNaming(known, onSave);
  const problem = fieldError(rename.error, 'name', 'The name');
  const isSame = name === known;
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput {...field} {...input} readOnly={readOnly} error={problem} />
      {children}
      {rename.isError && !problem && <ProblemNote error={rename.error} />}
      {!readOnly && (
        <Group gap="sm">
          <Button type="submit" loading={rename.isPending} disabled={isSame || name === ''}>
            Save name
          </Button>
          <span role="status" className={classes.saved}>
            {rename.isSuccess && isSame && 'Saved'}
          </span>
        </Group>
      )}
    </form>
  );
}

/** The same in one row of a list, which it leaves when the name is saved. */
export function NameRow({ known, onSave, onEnd, ...field }: Props & { onEnd: () => void }) {
  const { name, rename, input, submit } = useNaming(known, onSave, onEnd);
  const problem = rename.isError && (fieldError(rename.error, 'name', 'The name') ?? messageOf(rename.error));
  return (
    <form className={classes.inline} onSubmit={submit}>
      <TextInput
        {...field}
        {...input}
        placeholder="Name"
        size="xs"
        flex={1}
        error={problem || null}
        ref={focusOnce}
      />
      <Button type="submit" size="xs" variant="default" loading={rename.isPending} disabled={name === ''}>
        Save
      </Button>
    </form>
  );
}

function useNaming(known: string, onSave: Props['onSave'], onEnd?: () => void) {
  const [typed, setTyped] = useState(known);
  const name = typed.trim();
  const rename = useMutation({
    mutationFn: () => onSave(name),
    onSuccess: () => {
      setTyped(name);
      onEnd?.();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name !== '') rename.mutate();
  };
  const input = {
    value: typed,
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      setTyped(event.currentTarget.value);
      if (rename.isError) rename.reset();
    },
  };
  return { name, rename, input, submit };
}

const focusOnce = (input: HTMLInputElement | null) => input?.focus();
