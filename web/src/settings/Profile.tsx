import type { paths } from '@airdate/sdk/core';
import { Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.js';
import { meQuery, refreshQueries, useMe } from '../api/queries.js';
import { isLongEnough, PasswordField } from '../auth/PasswordField.js';
import { NameForm } from '../ui/NameForm.js';
import { fieldError, ProblemNote } from '../ui/Note.js';
import { Segments } from '../ui/Segments.js';
import { sessionsQuery } from './queries.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

/** What a person decides about themselves. */
export const Profile = () => (
  <>
    <Section title="Profile" about="Your name appears next to your activity.">
      <OwnName />
    </Section>
    <Section title="Time format" about="How the dashboard shows you times, on all of your devices.">
      <TimeFormat />
    </Section>
    <PasswordForm />
  </>
);

type Change = paths['/api/v1/me']['patch']['requestBody']['content']['application/json'];

function useChangeMe() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Change) => api.data('PATCH', '/api/v1/me', { body }),
    onSuccess: (me) => client.setQueryData(meQuery.queryKey, me),
  });
}

function OwnName() {
  const { user } = useMe();
  const change = useChangeMe();
  return (
    <NameForm
      label="Your name"
      autoComplete="name"
      maxLength={100}
      known={user?.name ?? ''}
      onSave={(name) => change.mutateAsync({ name })}
    >
      {user?.email && (
        <TextInput
          label="Email"
          type="email"
          description="Used to sign in. It can’t be changed here."
          value={user.email}
          readOnly
          variant="unstyled"
        />
      )}
    </NameForm>
  );
}

const BROWSER = 'browser';
const FORMATS = [
  { value: '24h', label: '24-hour' },
  { value: '12h', label: '12-hour' },
  { value: BROWSER, label: 'Browser default' },
];

/** Saved immediately, and shown as chosen while it is being saved. */
function TimeFormat() {
  const { user } = useMe();
  const change = useChangeMe();
  const format = change.isPending ? change.variables.time_format : user?.time_format;
  return (
    <>
      <Segments
        aria-label="Time format"
        value={format ?? BROWSER}
        onChange={(chosen) =>
          change.mutate({ time_format: chosen === '12h' || chosen === '24h' ? chosen : null })
        }
        data={FORMATS}
      />
      {change.isError && (
        <div className={classes.below}>
          <ProblemNote error={change.error} />
        </div>
      )}
    </>
  );
}

/** A person who signed in by a link has no password yet, and sets one here. */
function PasswordForm() {
  const client = useQueryClient();
  const { user } = useMe();
  const hasPassword = user?.has_password ?? false;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: async () => {
      // The current password confirms who it is without a dialog, unless a code is asked for.
      if (hasPassword && !user?.has_second_factor)
        await api.request('POST', '/api/v1/auth/confirm', { body: { password: current } });
      await api.request('POST', '/api/v1/auth/password', {
        body: { ...(hasPassword ? { current_password: current } : {}), new_password: next },
      });
    },
    onSuccess: () => {
      setCurrent('');
      setNext('');
      void refreshQueries(client, meQuery, sessionsQuery);
    },
  });
  const ofCurrent =
    fieldError(change.error, 'current_password', 'The current password') ??
    fieldError(change.error, 'password', 'The current password');
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
