import { Button, Skeleton, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError, api } from '../api/client.js';
import { meQuery } from '../api/queries.js';
import { hasUnsaved } from '../api/session.js';
import { TextLink } from '../ui/links.js';
import { fieldError, Note, ProblemNote } from '../ui/Note.js';
import classes from './Auth.module.css';
import { AlreadySignedIn, AuthFrame, AuthProblem } from './AuthFrame.js';
import { CodeStep } from './CodeStep.js';
import { FirstAccount } from './NewPersonForm.js';
import { PasswordField } from './PasswordField.js';
import { authStateQuery, useRedirectAfterSignIn } from './queries.js';

const route = getRouteApi('/sign-in');

export function SignIn() {
  const { next, as } = route.useSearch();
  const { data, error, refetch } = useQuery(authStateQuery(as));
  const comeIn = useRedirectAfterSignIn(next);
  const [ticket, setTicket] = useState<string | null>(null);
  if (ticket !== null)
    return <CodeStep ticket={ticket} onSignedIn={comeIn} onRestart={() => setTicket(null)} />;
  if (data?.session === 'own') return <AlreadySignedIn next={next} />;
  if (data?.sign_up === 'first') return <FirstAccount next={next} />;
  return (
    <AuthFrame
      title="Sign in"
      about={[
        data?.session === 'other' &&
          'Someone else has signed in on this browser. Sign in to continue as yourself.',
        as !== undefined && hasUnsaved(as) && 'Your unsaved text is kept in this browser.',
      ]
        .filter(Boolean)
        .join(' ')}
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
          data &&
          'No account, or forgot your password? Ask an owner or admin of your organization for a link.'
        )
      }
    >
      {error && !data && (
        <div className={classes.below}>
          <ProblemNote error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {data && <SignInForm next={next} onTicket={setTicket} />}
      {!data && !error && <Skeleton height={216} className={classes.below ?? ''} />}
    </AuthFrame>
  );
}

interface SignInFormProps {
  next: string | undefined;
  /** The password was right, and a code is asked for. */
  onTicket: (ticket: string) => void;
}

function SignInForm({ next, onTicket }: SignInFormProps) {
  const comeIn = useRedirectAfterSignIn(next);
  const field = useRef<HTMLInputElement>(null);
  const known = useEmailOfPage();
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => api.data('POST', '/api/v1/auth/sign-in', { body: { email: email.trim(), password } }),
    onSuccess: (data) => ('ticket' in data ? onTicket(data.ticket) : comeIn()),
    // What is wrong is most often the password: it is typed again, over the old one.
    onError: () => field.current?.select(),
  });
  useEffect(() => {
    if (known !== '') field.current?.focus();
  }, [known]);
  const isWrong = signIn.error instanceof ApiError && signIn.error.status === 401;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        label="Email"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        autoFocus={known === ''}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={fieldError(signIn.error, 'email', 'The email')}
      />
      <PasswordField
        ref={field}
        label="Password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={fieldError(signIn.error, 'password', 'The password')}
      />
      {isWrong ? (
        <Note tone="attention" role="alert">
          <strong>That email and password don’t match.</strong> Check both and try again.
        </Note>
      ) : (
        <AuthProblem error={signIn.error} fields={['email', 'password']} />
      )}
      <Button type="submit" h={44} loading={signIn.isPending}>
        Sign in
      </Button>
    </form>
  );
}

/** Of the person whose session has ended on this page. Only the page remembers it: another tab, or a reload, knows nothing. */
function useEmailOfPage(): string {
  const client = useQueryClient();
  const [email] = useState(() => client.getQueryData(meQuery.queryKey)?.user?.email ?? '');
  return email;
}
