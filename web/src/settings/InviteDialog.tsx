import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.js';
import { quotasQuery, refreshQueries, useMe } from '../api/queries.js';
import { asRole, type Role, rolesGivenBy } from '../text/roles.js';
import { CopyField } from '../ui/CopyField.js';
import { FormActions } from '../ui/FormActions.js';
import { fieldError } from '../ui/Note.js';
import { SecretDialog } from '../ui/SecretDialog.js';
import { invitationsQuery } from './queries.js';
import '@mantine/core/styles/Radio.layer.css';

/** First the email and role, then the link, once. */
export function InviteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const invite = useMutation({
    mutationFn: (body: { role: Role; email?: string }) => api.data('POST', '/api/v1/invitations', { body }),
    onSuccess: () => refreshQueries(client, invitationsQuery, quotasQuery),
  });
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Invite someone"
      noun="link"
      making={invite}
      form={
        <InviteForm
          error={invite.error}
          isPending={invite.isPending}
          onCancel={onClose}
          onInvite={invite.mutate}
        />
      }
    >
      {(made) => <NewInvitationLink {...made} />}
    </SecretDialog>
  );
}

export const NewInvitationLink = ({
  email,
  role,
  url,
}: {
  email: string | null;
  role: Role;
  url: string;
}) => (
  <>
    <Text size="sm">
      Send this link to {email ?? 'the person who should join'} yourself: Airdate doesn’t email it. You see it
      only once, and it works once, within 7 days. They’ll join as {asRole(role)}.
    </Text>
    <CopyField label="Invitation link" value={url} act="Copy link" isFirst />
  </>
);

interface InviteFormProps {
  error: unknown;
  isPending: boolean;
  onCancel: () => void;
  onInvite: (body: { role: Role; email?: string }) => void;
}

function InviteForm({ error, isPending, onCancel, onInvite }: InviteFormProps) {
  const { role: own } = useMe();
  const [role, setRole] = useState<string>('editor');
  const [email, setEmail] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onInvite({ role: role as Role, ...(email.trim() === '' ? {} : { email: email.trim() }) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Radio.Group
          label="Role"
          value={role}
          onChange={setRole}
          error={fieldError(error, 'role', 'The role')}
        >
          <Stack gap={10} mt="xs">
            {rolesGivenBy(own).map((one) => (
              <Radio key={one.role} value={one.role} label={one.label} description={one.may} />
            ))}
          </Stack>
        </Radio.Group>
        <TextInput
          label="Email (optional)"
          description="If set, the link works for this address only"
          type="email"
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={fieldError(error, 'email', 'The email')}
        />
        <FormActions act="Create link" error={error} isPending={isPending} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
