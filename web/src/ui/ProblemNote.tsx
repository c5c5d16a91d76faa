import { Button, Group } from '@mantine/core';
import { ApiError, isUnreachable, messageOf } from '../api/client.js';
import { useOutage } from '../api/outage.js';
import { Note } from './Note.js';
import classes from './Note.module.css';
import { TechnicalDetails } from './TechnicalDetails.js';

/** What went wrong, in the API's words, where it happened. */
export function ProblemNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const isOut = useOutage();
  if (isOut && isUnreachable(error)) return <NoConnection />;
  const id = error instanceof ApiError ? error.requestId : undefined;
  return (
    <Note tone="attention" role="alert">
      <Group justify="space-between" gap="sm">
        <div>
          <div>{messageOf(error)}</div>
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
