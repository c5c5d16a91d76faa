import type { ReactNode } from 'react';
import classes from './PublishDialog.module.css';

/** Something a person should read before going on, in the colours of its weight. */
export function Notice({
  title,
  tone,
  role,
  children,
}: {
  title: string;
  tone: 'attention' | 'publishing';
  role: 'status' | 'alert';
  children: ReactNode;
}) {
  return (
    <div className={classes.notice} data-tone={tone} role={role}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}
