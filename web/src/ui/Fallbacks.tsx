// What is shown instead of a screen: while it loads, when it fails, when there is none.
import { Button, Center, Loader } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isUnreachable } from '../api/client.js';
import { onReturn, useOutage } from '../api/outage.js';
import { ProblemNote } from './Note.js';
import { EmptyState } from './Page.js';

export function Waiting() {
  if (useOutage()) return <NoConnection />;
  return (
    <Center mih={240}>
      <Loader size="sm" role="status" aria-label="Loading" />
    </Center>
  );
}

const NoConnection = () => (
  <EmptyState title="No connection right now" isScreen>
    This page opens as soon as Airdate is back.
  </EmptyState>
);

export function Trouble({ error }: ErrorComponentProps) {
  const router = useRouter();
  const isOut = useOutage();
  const retry = () => void router.invalidate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the router stays the same
  useEffect(() => onReturn(retry), []);
  if (isOut && isUnreachable(error)) return <NoConnection />;
  return (
    <div style={{ maxWidth: 640, margin: '64px auto', padding: '0 16px' }}>
      <ProblemNote error={error} onRetry={retry} />
    </div>
  );
}

export function NotFound() {
  useEffect(() => {
    document.title = 'Page not found · Airdate';
  }, []);
  return (
    <EmptyState
      title="Page not found"
      isScreen
      action={
        <Button component={Link} to="/library">
          Go to library
        </Button>
      }
    >
      The link is wrong, or the page is gone.
    </EmptyState>
  );
}
