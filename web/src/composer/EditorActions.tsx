import { Button, Tooltip } from '@mantine/core';
import { useId } from 'react';
import { usePhone } from '../ui/usePhone.js';
import classes from './Editor.module.css';

interface Props {
  /** Why it cannot be published yet, if so. */
  obstacle: string | undefined;
  /** A free time was chosen in the calendar, so scheduling is the primary action. */
  isForSlot: boolean;
  onOpen: (when: 'now' | 'schedule') => void;
}

/** The next step. One of the two is the primary one. On a phone, which has no tooltips, the reason is above them. */
export function EditorActions({ obstacle, isForSlot, onOpen }: Props) {
  const reasonId = useId();
  const isPhone = usePhone();
  const button = (when: 'now' | 'schedule', label: string, isPrimary: boolean) => (
    <Tooltip label={obstacle} disabled={obstacle === undefined || isPhone}>
      <Button
        variant={isPrimary ? 'filled' : 'default'}
        {...(obstacle === undefined ? {} : { 'data-disabled': true })}
        aria-disabled={obstacle !== undefined}
        aria-describedby={obstacle === undefined ? undefined : reasonId}
        onClick={() => obstacle === undefined && onOpen(when)}
      >
        {label}
      </Button>
    </Tooltip>
  );
  return (
    <div className={classes.actions}>
      {obstacle !== undefined && (
        <span id={reasonId} className={isPhone ? classes.obstacle : 'unseen'}>
          {obstacle}
        </span>
      )}
      {button('schedule', 'Schedule…', isForSlot)}
      {button('now', 'Publish…', !isForSlot)}
    </div>
  );
}
