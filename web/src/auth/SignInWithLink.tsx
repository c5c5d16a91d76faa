import { Skeleton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, api } from '../api/client.js';
import { TextLink } from '../ui/links.js';
import { ProblemNote } from '../ui/Note.js';
import classes from './Auth.module.css';
import { AuthFrame, isRefusal, UsedLink } from './AuthFrame.js';
import { CodeStep } from './CodeStep.js';
import { takeToken, useRedirectAfterSignIn } from './queries.js';

/** The one-time link that the server prints: signs in by itself. */
export function SignInWithLink() {
  const comeIn = useRedirectAfterSignIn();
  const token = useRef<string | null>(null);
  const [ticket, setTicket] = useState<string | null>(null);
  const enter = useMutation({
    mutationFn: (token: string) => api.data('POST', '/api/v1/auth/enter', { body: { token } }),
    onSuccess: (data) => ('ticket' in data ? setTicket(data.ticket) : comeIn()),
  });
  const { mutate } = enter;
  useEffect(() => {
    // Strict mode runs effects twice, and the link works once.
    if (token.current !== null) return;
    token.current = takeToken();
    mutate(token.current);
  }, [mutate]);
  if (ticket !== null)
    return (
      <CodeStep ticket={ticket} onSignedIn={comeIn} onRestart={() => window.location.assign('/sign-in')} />
    );
  const other = (
    <>
      Have a password? <TextLink to="/sign-in">Sign in</TextLink>
    </>
  );
  const isOver = enter.error instanceof ApiError && isRefusal(enter.error);
  if (isOver)
    return (
      <UsedLink what="link">
        <AuthFrame
          title="This link doesn’t work"
          about="It was already used, or it’s too old: each link works once. Restart Airdate in a terminal to get a new link."
          aside={other}
        />
      </UsedLink>
    );
  if (enter.isError)
    return (
      <AuthFrame title="You’re not signed in yet" aside={other}>
        <div className={classes.below}>
          <ProblemNote error={enter.error} onRetry={() => enter.mutate(token.current ?? '')} />
        </div>
      </AuthFrame>
    );
  return (
    <AuthFrame title="Signing you in…" about={<span role="status">One moment.</span>}>
      <Skeleton height={8} className={classes.below ?? ''} />
    </AuthFrame>
  );
}
