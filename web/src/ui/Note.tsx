import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Tone } from '../text/status.js';
import classes from './Note.module.css';

interface NoteProps {
  tone: Extract<Tone, 'draft' | 'scheduled' | 'publishing' | 'posted' | 'attention'>;
  title?: string;
  children: ReactNode;
  /** What a live region does with it: `alert` interrupts. */
  role?: 'status' | 'alert';
  onDismiss?: () => void;
}

/** Something to know, in the colours of the statuses. */
export function Note({ tone, title, children, role, onDismiss }: NoteProps) {
  return (
    <div className={classes.note} data-tone={tone} role={role}>
      <div className={classes.words}>
        {title && <p className={classes.title}>{title}</p>}
        <div>{children}</div>
      </div>
      {onDismiss && (
        <CloseButton variant="transparent" c="inherit" aria-label="Dismiss" onClick={onDismiss} />
      )}
    </div>
  );
}
