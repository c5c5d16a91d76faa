import type { paths } from '@airdate/sdk/core';
import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { useMe } from '../api/permissions.js';
import { meQuery } from '../api/queries.js';
import { NameForm } from '../ui/NameForm.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { Segments } from '../ui/Segments.js';
import { PasswordForm } from './PasswordForm.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';

/** What a person decides about themselves. */
export const Profile = () => (
  <>
    <Section title="Profile" about="Your team sees your name beside what you do.">
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
          description="You sign in with it. It can’t be changed here."
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
