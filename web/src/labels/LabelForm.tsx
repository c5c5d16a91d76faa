import { Button, TextInput } from '@mantine/core';
import { Plus } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { messageOf } from '../api/client.js';
import { FormActions } from '../ui/FormActions.js';
import { LabelChip } from './LabelChip.js';
import classes from './Labels.module.css';
import { COLOURS, type Label, leastUsed, MAX_NAME } from './label.js';
import { type NameAndColour, useCreateLabel, useLabels } from './useLabels.js';

interface Props {
  first: NameAndColour;
  act: string;
  isPending: boolean;
  error: unknown;
  onSave: (label: NameAndColour) => void;
  /** Absent where the button stands beside the name: the dialog around it has a footer already. */
  onCancel?: () => void;
}

/** The name and the colour of a label. */
export function LabelForm({ first, act, isPending, error, onSave, onCancel }: Props) {
  const [{ name, colour }, setLabel] = useState(first);
  const [isEmpty, setEmpty] = useState(false);
  const group = useId();
  const save = (event: FormEvent) => {
    event.preventDefault();
    // In a panel of the composer, the event would reach the form around it.
    event.stopPropagation();
    setEmpty(name.trim() === '');
    if (name.trim() !== '') onSave({ name: name.trim(), colour });
  };
  return (
    <form onSubmit={save} className={classes.form}>
      <div className={classes.name}>
        <TextInput
          aria-label="Label name"
          placeholder="Campaign or client"
          data-autofocus
          autoFocus
          maxLength={MAX_NAME}
          value={name}
          onChange={({ currentTarget }) => {
            setEmpty(false);
            setLabel({ name: currentTarget.value, colour });
          }}
          error={isEmpty ? 'Enter a name.' : error ? messageOf(error) : null}
        />
        {!onCancel && (
          <Button type="submit" variant="default" loading={isPending}>
            {act}
          </Button>
        )}
      </div>
      <fieldset className={classes.colours}>
        <legend className="unseen">Colour</legend>
        {COLOURS.map(([value, title]) => (
          <label key={value} className={classes.colour} title={title}>
            <input
              type="radio"
              name={group}
              aria-label={title}
              checked={value === colour}
              onChange={() => setLabel({ name, colour: value })}
            />
            <LabelChip label={{ name: '', colour: value }} />
          </label>
        ))}
      </fieldset>
      {onCancel && <FormActions act={act} isPending={isPending} onCancel={onCancel} />}
    </form>
  );
}

/** A button that becomes the fields of a new label. */
export function NewLabel({ onCreated }: { onCreated?: (label: Label) => void }) {
  const [isOpen, setOpen] = useState(false);
  const [wasOpen, setWasOpen] = useState(false);
  const labels = useLabels() ?? [];
  const create = useCreateLabel();
  const close = () => {
    create.reset();
    setWasOpen(true);
    setOpen(false);
  };
  if (!isOpen)
    return (
      <Button
        variant="subtle"
        color="gray"
        justify="flex-start"
        autoFocus={wasOpen}
        leftSection={<Plus size={15} />}
        onClick={() => setOpen(true)}
      >
        New label
      </Button>
    );
  return (
    <LabelForm
      first={{ name: '', colour: leastUsed(labels) }}
      act="Create"
      isPending={create.isPending}
      error={create.error}
      onSave={(body) =>
        create.mutate(body, {
          onSuccess: (label) => {
            close();
            onCreated?.(label);
          },
        })
      }
    />
  );
}
