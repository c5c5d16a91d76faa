import { Checkbox, Popover } from '@mantine/core';
import { cloneElement, type ReactElement, useEffect, useState } from 'react';
import type { Label } from './field-words.js';
import classes from './PostLabels.module.css';

const MOST = 10;

interface Props {
  /** It replaces the button that was pressed. */
  button: ReactElement<{ onClick?: () => void }>;
  labels: readonly Label[];
  value: readonly string[];
  onChange: (ids: string[]) => void;
}

/** Opens at once. */
export function LabelChoice({ button, labels, value, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(true), []);
  const isFull = value.length >= MOST;
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus withRoles shadow="md" width={260}>
      <Popover.Target>{cloneElement(button, { onClick: () => setOpen(!isOpen) })}</Popover.Target>
      <Popover.Dropdown>
        {labels.length === 0 ? (
          <p className={classes.none}>No labels yet. Create them in the library.</p>
        ) : (
          <ul className={classes.list}>
            {labels.map(({ id, name, colour }) => (
              <li key={id} className={classes.choice} data-colour={colour}>
                <Checkbox
                  label={name}
                  checked={value.includes(id)}
                  disabled={isFull && !value.includes(id)}
                  onChange={({ currentTarget: { checked } }) =>
                    onChange(checked ? [...value, id] : value.filter((each) => each !== id))
                  }
                />
              </li>
            ))}
          </ul>
        )}
        {isFull && <p className={classes.none}>A post can have up to {MOST} labels.</p>}
      </Popover.Dropdown>
    </Popover>
  );
}
