// Create, rename, recolour and delete labels.

import { Button, Group, Modal, Stack } from '@mantine/core';
import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../ui/IconButton.js';
import { ProblemNote } from '../ui/Note.js';
import { LabelChip } from './LabelChip.js';
import { LabelForm, NewLabel } from './LabelForm.js';
import classes from './Labels.module.css';
import type { Label } from './label.js';
import { useChangeLabel, useDeleteLabel, useLabels } from './useLabels.js';
import '../ui/overlays.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  onDeleted?: (id: string) => void;
}

export function ManageLabels({ opened, onClose, onDeleted }: Props) {
  const labels = useLabels();
  return (
    <Modal opened={opened} onClose={onClose} title="Manage labels">
      <Stack gap="sm">
        {labels?.length === 0 && (
          <p className={classes.none}>No labels yet. Group posts by campaign, series or client.</p>
        )}
        <ul className={classes.rows} aria-label="Labels">
          {labels?.map((label) => (
            <Row key={label.id} label={label} onDeleted={onDeleted} />
          ))}
        </ul>
        <NewLabel />
      </Stack>
    </Modal>
  );
}

type Part = 'edit' | 'delete';

interface RowProps {
  label: Label;
  onDeleted: ((id: string) => void) | undefined;
}

function Row({ label, onDeleted }: RowProps) {
  const [open, setOpen] = useState<Part | null>(null);
  // The focus goes back to the button that was pressed.
  const [last, setLast] = useState<Part | null>(null);
  const close = () => {
    setLast(open);
    setOpen(null);
  };
  if (open === 'edit') return <Edit label={label} onClose={close} />;
  if (open === 'delete') return <Delete label={label} onDeleted={onDeleted} onClose={close} />;
  return (
    <li className={classes.row}>
      <LabelChip label={label} />
      <IconButton
        label={`Edit ${label.name}`}
        icon={Pencil}
        iconSize={15}
        size={44}
        autoFocus={last === 'edit'}
        onClick={() => setOpen('edit')}
      />
      <IconButton
        label={`Delete ${label.name}`}
        icon={Trash2}
        iconSize={15}
        size={44}
        autoFocus={last === 'delete'}
        onClick={() => setOpen('delete')}
      />
    </li>
  );
}

function Edit({ label, onClose }: { label: Label; onClose: () => void }) {
  const change = useChangeLabel(label.id);
  return (
    <li className={classes.row} data-open>
      <LabelForm
        first={label}
        act="Save"
        isPending={change.isPending}
        error={change.error}
        onCancel={onClose}
        onSave={(body) => change.mutate(body, { onSuccess: onClose })}
      />
    </li>
  );
}

/** Asked here, because the posts lose it for good. */
function Delete({ label, onDeleted, onClose }: RowProps & { onClose: () => void }) {
  const remove = useDeleteLabel(label.id, onDeleted);
  return (
    <li className={classes.row} data-open>
      <p className={classes.ask}>
        Delete{' '}
        <strong>
          “<bdi>{label.name}</bdi>”
        </strong>
        ? It comes off all posts. The posts stay.
      </p>
      {remove.error && <ProblemNote error={remove.error} />}
      <Group gap="xs" justify="flex-end">
        <Button variant="default" autoFocus onClick={onClose}>
          Cancel
        </Button>
        <Button color="red.9" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete label
        </Button>
      </Group>
    </li>
  );
}
