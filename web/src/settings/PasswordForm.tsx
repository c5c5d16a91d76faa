import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.js';
import { useMe } from '../api/permissions.js';
import { meQuery } from '../api/queries.js';
import { PasswordField } from '../auth/PasswordField.js';
import { isLongEnough } from '../auth/password-rule.js';
import { fieldError } from '../ui/field-error.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { sessionsQuery } from './queries.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

/** A person who signed in by a link has no password yet, and sets one here. */
export function PasswordForm() {
  const client = useQueryClient();
  const { user } = useMe();
  const hasPassword = user?.has_password ?? false;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () =>
      api.request('POST', '/api/v1/auth/password', {
        body: { ...(hasPassword ? { current_password: current } : {}), new_password: next },
      }),
    onSuccess: () => {
      setCurrent('');
      setNext('');
      void client.invalidateQueries({ queryKey: meQuery.queryKey });
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
  const ofCurrent = fieldError(change.error, 'current_password', 'The current password');
  const ofNext = fieldError(change.error, 'new_password', 'The new password');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Section
      title={hasPassword ? 'Change password' : 'Set a password'}
      about={
        hasPassword
          ? 'Changing it ends your other sessions.'
          : user?.email
            ? `You signed in with a link. Set a password to sign in as ${user.email} any time.`
            : 'You signed in with a link. A password needs an email address, and this account has none: keep signing in with links.'
      }
    >
      <form className={classes.form} onSubmit={submit}>
        {/* Password managers need the email. */}
        <input hidden type="text" autoComplete="username" value={user?.email ?? ''} readOnly />
        {hasPassword && (
          <PasswordField
            label="Current password"
            autoComplete="current-password"
            value={current}
            onChange={setCurrent}
            error={ofCurrent}
          />
        )}
        <PasswordField
          label="New password"
          isNew
          autoComplete="new-password"
          value={next}
          onChange={setNext}
          error={ofNext}
        />
        {change.isError && !ofCurrent && !ofNext && <ProblemNote error={change.error} />}
        <Group gap="sm">
          <Button
            type="submit"
            loading={change.isPending}
            disabled={!isLongEnough(next) || (hasPassword && current === '')}
          >
            {hasPassword ? 'Change password' : 'Set password'}
          </Button>
          <span role="status" className={classes.soft}>
            {change.isSuccess && next === '' && 'Saved. Your other sessions have ended.'}
          </span>
        </Group>
      </form>
    </Section>
  );
}
