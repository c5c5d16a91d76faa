import { Button } from '@mantine/core';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { LabelForm } from './LabelForm.js';
import { type Label, leastUsed } from './label.js';
import { useCreateLabel, useLabels } from './useLabels.js';

/** A button that becomes the form of a new label. */
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
        leftSection={<Plus size={15} aria-hidden />}
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
      onCancel={close}
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
