import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../api/client.js';
import { TextLink } from '../ui/links.js';
import { fieldError } from '../ui/Note.js';
import classes from './Auth.module.css';
import { AuthFrame, AuthProblem } from './AuthFrame.js';
import { isLongEnough, PasswordField } from './PasswordField.js';
import { takeToken } from './queries.js';

/** Kept outside of React: strict mode creates every state twice, and the URL gives the token only once. */
let lastToken = '';

/** What a link from an owner, the operator or a mail opens. */
export function ResetPassword() {
  const [token] = useState(() => {
    lastToken = takeToken() || lastToken;
    return lastToken;
  });
  const [password, setPassword] = useState('');
  const reset = useMutation({
    mutationFn: () => api.request('POST', '/api/v1/auth/reset', { body: { token, new_password: password } }),
  });
  const signIn = <TextLink to="/sign-in">Sign in</TextLink>;
  if (reset.isSuccess)
    return (
      <AuthFrame
        title="Your password is changed"
        about="All of your sessions have ended. Your API keys keep working; look through them if someone else may have had your password."
      >
        <p className={classes.below}>{signIn}</p>
      </AuthFrame>
    );
  if (reset.error instanceof ApiError && reset.error.status === 410)
    return (
      <AuthFrame
        title="This link doesn’t work"
        about="It was used, or it’s too old: each link works once, for a short time. Ask for a new one."
        aside={<>Remember your password? {signIn}</>}
      />
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    reset.mutate();
  };
  return (
    <AuthFrame
      title="Choose a new password"
      about="You’ll be signed out everywhere, and sign in with it."
      aside={<>Remember your password? {signIn}</>}
    >
      <form className={classes.form} onSubmit={submit}>
        <PasswordField
          label="New password"
          isNew
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          error={fieldError(reset.error, 'new_password', 'The password')}
        />
        <AuthProblem error={reset.error} fields={['new_password']} />
        <Button type="submit" h={44} loading={reset.isPending} disabled={!isLongEnough(password)}>
          Change password
        </Button>
      </form>
    </AuthFrame>
  );
}
