import { Anchor, Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../api/client.js';
import { Note } from '../ui/Note.js';
import classes from './Auth.module.css';
import { AuthFrame, AuthProblem } from './AuthFrame.js';

interface CodeStepProps {
  /** What the password, or the link, was exchanged for. */
  ticket: string;
  onSignedIn: () => void;
  /** The ticket is over: signing in begins again. */
  onRestart: () => void;
}

/** The second step of signing in, for people with an authenticator app. */
export function CodeStep({ ticket, onSignedIn, onRestart }: CodeStepProps) {
  const [isRecovery, setRecovery] = useState(false);
  const [code, setCode] = useState('');
  const enter = useMutation({
    mutationFn: (code: string) => api.data('POST', '/api/v1/auth/second-factor', { body: { ticket, code } }),
    onSuccess: onSignedIn,
    onError: () => setCode(''),
  });
  const status = enter.error instanceof ApiError ? enter.error.status : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter.mutate(code.trim());
  };
  const change = () => {
    setRecovery(!isRecovery);
    setCode('');
    enter.reset();
  };
  if (status === 410)
    return (
      <AuthFrame title="Sign in again" about="That took too long, or too many codes were wrong.">
        <Button className={classes.below ?? ''} h={44} onClick={onRestart}>
          Start again
        </Button>
      </AuthFrame>
    );
  return (
    <AuthFrame
      title="Enter your code"
      about={
        isRecovery
          ? 'One of the recovery codes that you stored when you set up your app. Each works once.'
          : 'The 6 digits that your authenticator app shows for Airdate.'
      }
      aside={
        <Anchor component="button" type="button" inherit underline="always" onClick={change}>
          {isRecovery ? 'Use a code of your app instead' : 'No access to your app? Use a recovery code'}
        </Anchor>
      }
    >
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          key={isRecovery ? 'recovery' : 'app'}
          label={isRecovery ? 'Recovery code' : 'Code'}
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          autoFocus
          required
          withAsterisk={false}
          maxLength={40}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        {status === 401 ? (
          <Note tone="attention" role="alert">
            {isRecovery ? (
              <>
                <strong>That recovery code doesn’t work.</strong> It was mistyped or used before.
              </>
            ) : (
              <>
                <strong>That code doesn’t work.</strong> Enter the newest one. If it keeps failing, check that
                the clock of your phone is right.
              </>
            )}
          </Note>
        ) : (
          <AuthProblem error={enter.error} fields={[]} />
        )}
        <Button type="submit" h={44} loading={enter.isPending} disabled={code.trim() === ''}>
          Sign in
        </Button>
      </form>
    </AuthFrame>
  );
}
