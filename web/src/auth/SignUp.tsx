import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { TextLink } from '../ui/links.js';
import { ProblemNote } from '../ui/Note.js';
import classes from './Auth.module.css';
import { AlreadySignedIn, AuthFrame } from './AuthFrame.js';
import { FirstAccount, SignUpForm } from './NewPersonForm.js';
import { authStateQuery } from './queries.js';

const route = getRouteApi('/sign-up');

export function SignUp() {
  const { next } = route.useSearch();
  const { data, error, refetch } = useQuery(authStateQuery());
  if (data?.session === 'own') return <AlreadySignedIn next={next} />;
  const signIn = (
    <TextLink to="/sign-in" search={next ? { next } : {}}>
      Sign in
    </TextLink>
  );
  if (data?.sign_up === 'first') return <FirstAccount next={next} />;
  if (data?.sign_up === 'closed')
    return (
      <AuthFrame
        title="Sign-up is closed"
        about="You need an invitation to join. Ask an owner or admin of your organization for one."
        aside={<>Already have an account? {signIn}</>}
      />
    );
  return (
    <AuthFrame
      title="Create an account"
      about="With your own organization, free for 14 days."
      aside={data?.sign_up === 'open' && <>Already have an account? {signIn}</>}
    >
      {error && !data && (
        <div className={classes.below}>
          <ProblemNote error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {data && <SignUpForm next={next} />}
      {!data && !error && <Skeleton height={376} className={classes.below ?? ''} />}
    </AuthFrame>
  );
}
