import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError, api } from '../api/client.js';
import { fieldError } from '../ui/field-error.js';
import { Note } from '../ui/Note.js';
import classes from './Auth.module.css';
import { AuthProblem } from './AuthProblem.js';
import { PasswordField } from './PasswordField.js';
import { useRedirectAfterSignIn } from './useRedirectAfterSignIn.js';

export function SignInForm({ next }: { next: string | undefined }) {
  const comeIn = useRedirectAfterSignIn(next);
  const field = useRef<HTMLInputElement>(null);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => api.data('POST', '/api/v1/auth/sign-in', { body: { email: email.trim(), password } }),
    onSuccess: comeIn,
    // What is wrong is most often the password: it is typed again, over the old one.
    onError: () => field.current?.select(),
  });
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
        autoFocus
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
