import { Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { ApiError } from '../api/client.js';
import classes from './Auth.module.css';
import { AuthFrame } from './AuthFrame.js';
import { authStateQuery } from './queries.js';

/** A link that no longer works. It leads a person who is signed in on to the library; others see why. */
export function UsedLink({ what, children }: { what: 'link' | 'invitation'; children: ReactNode }) {
  const { data, isPending } = useQuery(authStateQuery());
  if (isPending)
    return (
      <AuthFrame title="One moment…">
        <Skeleton height={8} className={classes.below ?? ''} />
      </AuthFrame>
    );
  return data?.session === 'own' ? <OnToTheLibrary what={what} /> : children;
}

function OnToTheLibrary({ what }: { what: string }) {
  useEffect(() => {
    notifications.show({
      // The same message once, even if it is shown twice.
      id: 'used-link',
      color: 'gray',
      message: `That ${what} was already used or has expired. You’re signed in, so here’s your library.`,
      autoClose: 10_000,
    });
  }, [what]);
  return <Navigate to="/library" replace />;
}

/** The link itself is refused; too many tries say nothing about it. */
export const isRefusal = ({ status }: ApiError): boolean => status >= 400 && status < 500 && status !== 429;
