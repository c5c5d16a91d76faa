import { Button, CloseButton, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError, isUnreachable, messageOf } from '../api/client.js';
import { useOutage } from '../api/outage.js';
import { usePlatformName } from '../api/platform.js';
import { useSessionLost } from '../api/session.js';
import { named, withoutCode } from '../text/api-text.js';
import type { Tone } from '../text/status.js';
import classes from './Note.module.css';

interface NoteProps {
  tone: Extract<Tone, 'draft' | 'scheduled' | 'publishing' | 'posted' | 'attention'>;
  title?: string | undefined;
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

/** What support asks for: codes and ids, out of the way. */
export const TechnicalDetails = ({ children }: { children: ReactNode }) => (
  <details className={classes.technical}>
    <summary>Technical details</summary>
    {children}
  </details>
);

/** What is wrong with one field, as a sentence that begins with its name. */
export function fieldError(error: unknown, field: string, label: string): string | undefined {
  const message = error instanceof ApiError ? error.of(field) : undefined;
  return message && `${label} ${message}.`;
}

/** What went wrong, where it happened. */
export function ProblemNote({
  query,
  error = query?.error,
  onRetry = query && (() => void query.refetch()),
  onDismiss,
}: {
  /** What could not be fetched; it can be fetched again. */
  query?: { error: unknown; refetch: () => unknown };
  error?: unknown;
  onRetry?: (() => void) | undefined;
  /** Where nothing that follows would take it away. */
  onDismiss?: () => void;
}) {
  const isOut = useOutage();
  const isSignedOut = useSessionLost();
  const platform = usePlatformName();
  if (isOut && isUnreachable(error)) return <NoConnection />;
  if (isSignedOut && error instanceof ApiError && error.status === 401)
    return <p className={classes.quiet}>Sign in to see this.</p>;
  const id = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Note tone="attention" role="alert" {...(onDismiss ? { onDismiss } : {})}>
      <Group justify="space-between" gap="sm">
        <div>
          <div>{named(withoutCode(messageOf(error)), platform)}</div>
          {id && <TechnicalDetails>Request {id}</TechnicalDetails>}
        </div>
        {onRetry && (
          <Button variant="default" size="xs" h={32} onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Note>
  );
}

/** The banner says why, and what is safe. */
export const NoConnection = () => <p className={classes.quiet}>No connection right now.</p>;
