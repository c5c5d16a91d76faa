import { Popover, Text } from '@mantine/core';
import { cloneElement, type ReactElement, useEffect, useState } from 'react';
import { LabelChecks } from './LabelChecks.js';
import { MAX_LABELS } from './label.js';
import '../ui/overlays.css';

interface Props {
  value: string[];
  onChange: (ids: string[]) => void;
  /** With `autoFocus`: it replaces the button that was pressed. */
  button: ReactElement<{ onClick?: () => void }>;
}

/** The list of labels beside the button of the picker. It opens immediately. */
export function LabelPanel({ value, onChange, button }: Props) {
  const [isOpen, setOpen] = useState(false);
  // Mounted before it opens: only then does it return the focus to its button.
  useEffect(() => setOpen(true), []);
  const isFull = value.length >= MAX_LABELS;
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus position="bottom-start" width={280}>
      <Popover.Target>{cloneElement(button, { onClick: () => setOpen((now) => !now) })}</Popover.Target>
      <Popover.Dropdown>
        <LabelChecks
          checkOf={(id) => (value.includes(id) ? 'on' : 'off')}
          onCheck={(id, isOn) => {
            if (!isOn) onChange(value.filter((one) => one !== id));
            else if (!isFull) onChange([...value, id]);
          }}
        />
        {isFull && (
          <Text size="xs" c="dimmed" mt="xs" role="status">
            A post has up to {MAX_LABELS} labels.
          </Text>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
