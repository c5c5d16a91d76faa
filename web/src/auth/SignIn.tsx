import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { TextLink } from '../ui/links.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { AlreadySignedIn } from './AlreadySignedIn.js';
import classes from './Auth.module.css';
import { AuthFrame } from './AuthFrame.js';
import { FirstAccount } from './FirstAccount.js';
import { authStateQuery } from './queries.js';
import { SignInForm } from './SignInForm.js';

const route = getRouteApi('/sign-in');

export function SignIn() {
  const { next, as } = route.useSearch();
  const { data, error, refetch } = useQuery(authStateQuery(as));
  if (data?.session === 'own') return <AlreadySignedIn next={next} />;
  if (data?.sign_up === 'first') return <FirstAccount next={next} />;
  return (
    <AuthFrame
      title="Sign in"
      about={
        data?.session === 'other' &&
        'Someone else has signed in on this browser. Sign in to continue as yourself.'
      }
      aside={
        data?.session === 'other' ? (
          <>
            Or{' '}
            <TextLink to="/library" reloadDocument>
              continue as them
            </TextLink>
          </>
        ) : data?.sign_up === 'open' ? (
          <>
            New here?{' '}
            <TextLink to="/sign-up" search={next ? { next } : {}}>
              Create an account
            </TextLink>
          </>
        ) : (
          data && 'No account? Ask an owner or admin of your organization for an invitation.'
        )
      }
    >
      {error && !data && (
        <div className={classes.below}>
          <ProblemNote error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {data && <SignInForm next={next} />}
      {!data && !error && <Skeleton height={216} className={classes.below ?? ''} />}
    </AuthFrame>
  );
}
