import { Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { ApiError, isUnreachable, messageOf } from '../api/client.js';
import { useOutage } from '../api/outage.js';
import { NoConnection, Note } from '../ui/Note.js';
import classes from './Auth.module.css';
import { authStateQuery, useRedirectAfterSignIn } from './queries.js';

interface EntryFrameProps {
  title: string;
  about?: ReactNode;
  children?: ReactNode;
  /** Below the card: the other way in. */
  aside?: ReactNode;
}

/** The card of every sign-in and sign-up page. */
export function AuthFrame({ title, about, children, aside }: EntryFrameProps) {
  useEffect(() => {
    document.title = `${title} · Airdate`;
  }, [title]);
  return (
    <main className={classes.page}>
      <div className={classes.brand}>
        <img src="/favicon.svg" alt="" width={22} height={22} />
        Airdate
      </div>
      <div className={classes.card}>
        <h1 className={classes.title} dir="auto">
          {title}
        </h1>
        {about && <p className={classes.about}>{about}</p>}
        {children}
      </div>
      {aside && <p className={classes.aside}>{aside}</p>}
    </main>
  );
}

/** Why signing in or up failed. Empty when one of the fields shows it already. */
export function AuthProblem({ error, fields }: { error: unknown; fields: string[] }) {
  const isOut = useOutage();
  if (error === null) return null;
  if (error instanceof ApiError && fields.some((field) => error.of(field))) return null;
  if (isOut && isUnreachable(error)) return <NoConnection />;
  return (
    <Note tone="attention" role="alert">
      {messageOf(error)}
    </Note>
  );
}

/** For a visitor of the sign-in page who is already signed in. */
export function AlreadySignedIn({ next }: { next: string | undefined }) {
  const comeIn = useRedirectAfterSignIn(next);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once is enough
  useEffect(comeIn, []);
  return null;
}

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
