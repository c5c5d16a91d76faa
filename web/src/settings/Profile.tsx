import type { paths } from '@airdate/sdk';
import { Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, askFor } from '../api/client.js';
import { useMe } from '../api/permissions.js';
import { meQuery } from '../api/queries.js';
import { fieldError } from '../ui/field-error.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { Segments } from '../ui/Segments.js';
import { PasswordForm } from './PasswordForm.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

/** What a person decides about themselves. */
export const Profile = () => (
  <>
    <Section title="Profile" about="Your team sees your name beside what you do.">
      <NameForm />
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
    mutationFn: (body: Change) => askFor(api.PATCH('/api/v1/me', { body })),
    onSuccess: (me) => client.setQueryData(meQuery.queryKey, me),
  });
}

function NameForm() {
  const { user } = useMe();
  const known = user?.name ?? '';
  const [name, setName] = useState(known);
  const rename = useChangeMe();
  const problem = fieldError(rename.error, 'name', 'The name');
  const isSame = name.trim() === known;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    rename.mutate({ name: name.trim() });
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        label="Your name"
        autoComplete="name"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={problem}
      />
      {user?.email && (
        <TextInput
          label="Email"
          type="email"
          description="You sign in with it. It can’t be changed here."
          value={user.email}
          readOnly
        />
      )}
      {rename.isError && !problem && <ProblemNote error={rename.error} />}
      <Group gap="sm">
        <Button type="submit" loading={rename.isPending} disabled={isSame || name.trim() === ''}>
          Save name
        </Button>
        <span role="status" className={classes.soft}>
          {rename.isSuccess && isSame && 'Saved'}
        </span>
      </Group>
    </form>
  );
}

const BROWSER = 'browser';
const FORMATS = [
  { value: '24h', label: '24-hour' },
  { value: '12h', label: '12-hour' },
  { value: BROWSER, label: 'Browser default' },
];

/** Saved at once, and shown as chosen while it is being saved. */
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
