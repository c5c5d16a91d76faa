import { Skeleton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../api/client.js';
import { queryKeys } from '../api/query-keys.js';
import { asRole } from '../text/roles.js';
import { TextLink } from '../ui/links.js';
import { Note, ProblemNote } from '../ui/Note.js';
import classes from './Auth.module.css';
import { AuthFrame, isRefusal, UsedLink } from './AuthFrame.js';
import { NewPersonForm } from './NewPersonForm.js';
import { signedInQuery, takeToken, useRedirectAfterSignIn } from './queries.js';

/** Kept outside of React: strict mode creates every state twice, and the URL gives the token only once. */
let lastToken = '';

export function Invitation() {
  const [token] = useState(() => {
    lastToken = takeToken() || lastToken;
    return lastToken;
  });
  const comeIn = useRedirectAfterSignIn();
  const invitation = useQuery({
    queryKey: queryKeys.invitation(token),
    queryFn: () => api.data('POST', '/api/v1/auth/invitation', { body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const accept = useMutation({
    mutationFn: (person: { name: string; email: string; password: string }) =>
      api.data('POST', '/api/v1/auth/accept', { body: { token, ...person } }),
    onSuccess: comeIn,
  });
  const signIn = <TextLink to="/sign-in">Sign in</TextLink>;
  if (invitation.error instanceof ApiError && isRefusal(invitation.error))
    return (
      <UsedLink what="invitation">
        <AuthFrame
          title="This invitation doesn’t work"
          about="It was used or revoked, or it’s more than 7 days old. Ask the sender for a new link."
          aside={<>Already joined? {signIn}</>}
        />
      </UsedLink>
    );
  if (invitation.error)
    return (
      <AuthFrame title="Invitation">
        <div className={classes.below}>
          <ProblemNote query={invitation} />
        </div>
      </AuthFrame>
    );
  if (!invitation.data)
    return (
      <AuthFrame title="Invitation">
        <Skeleton height={300} className={classes.below ?? ''} />
      </AuthFrame>
    );
  const { organization_name, role, email } = invitation.data;
  return (
    <AuthFrame
      title={`Join ${organization_name}`}
      about={`You’re invited as ${asRole(role)}. Choose how you’ll sign in.`}
      aside={<>Already joined? {signIn}</>}
    >
      <div className={classes.below}>
        <SignedInNote />
      </div>
      <NewPersonForm
        act="Join"
        error={accept.error}
        isPending={accept.isPending}
        onSubmit={accept.mutate}
        {...(email ? { email } : {})}
      />
    </AuthFrame>
  );
}

/** For a person who opens an invitation while signed in, maybe as someone else: joining is another account. */
function SignedInNote() {
  const person = useQuery(signedInQuery).data;
  if (!person) return null;
  return (
    <Note tone="publishing" role="status">
      <strong>
        You’re signed in as <bdi>{person.name ?? person.email}</bdi>
      </strong>
      {person.organization && (
        <>
          {' '}
          in <bdi>{person.organization}</bdi>
        </>
      )}
      . Joining creates another account and signs you out of this one. Not for you?{' '}
      <TextLink to="/library">Go to your library</TextLink>
    </Note>
  );
}
