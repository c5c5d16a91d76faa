import { Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { api } from '../api/client.js';
import { quotasQuery, refreshQueries } from '../api/queries.js';
import { asRole } from '../text/roles.js';
import { FormActions } from '../ui/FormActions.js';
import { SecretDialog } from '../ui/SecretDialog.js';
import { NewInvitationLink } from './InviteDialog.js';
import { type Invitation, invitationsQuery } from './queries.js';

interface Props {
  invitation: Invitation;
  isOpen: boolean;
  onClose: () => void;
  /** It has closed, and its link is forgotten. */
  onGone: () => void;
}

/** For an invitation whose link was lost: a link is shown only once, so there is no way to show it again. */
export function NewLinkDialog({ invitation, isOpen, onClose, onGone }: Props) {
  const client = useQueryClient();
  const { id, email, role } = invitation;
  const isRevoked = useRef(false);
  const renew = useMutation({
    mutationFn: async () => {
      // First: two links would both let someone in. It is gone when the second request is tried again.
      if (!isRevoked.current) await api.request('DELETE', '/api/v1/invitations/{id}', { path: { id } });
      isRevoked.current = true;
      return api.data('POST', '/api/v1/invitations', { body: { role, ...(email ? { email } : {}) } });
    },
    onSettled: () => refreshQueries(client, invitationsQuery, quotasQuery),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    renew.mutate();
  };
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      onGone={onGone}
      title="Create a new link?"
      noun="link"
      making={renew}
      form={
        <form onSubmit={submit}>
          <Stack gap="md">
            <Text size="sm">
              The old link{email && ' for '}
              {email} stops working immediately. The new one is for{' '}
              {email ? 'the same address' : 'anyone who has it'}, who joins as {asRole(role)}.
            </Text>
            <FormActions
              act="Create new link"
              error={renew.error}
              isPending={renew.isPending}
              onCancel={onClose}
            />
          </Stack>
        </form>
      }
    >
      {(made) => <NewInvitationLink {...made} />}
    </SecretDialog>
  );
}

export const nameOf = ({ email }: Invitation) => email ?? 'Anyone with the link';
