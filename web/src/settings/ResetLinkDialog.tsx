import { Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api } from '../api/client.js';
import { CopyField } from '../ui/CopyField.js';
import { FormActions } from '../ui/FormActions.js';
import { SecretDialog } from '../ui/SecretDialog.js';
import { Time } from '../ui/Time.js';
import type { Member } from './queries.js';

interface Props {
  member: Member;
  isOpen: boolean;
  onClose: () => void;
  /** It has closed, and the link is forgotten. */
  onGone: () => void;
}

/** For a member who forgot the password. */
export function ResetLinkDialog({ member, isOpen, onClose, onGone }: Props) {
  const create = useMutation({
    mutationFn: () => api.data('POST', '/api/v1/members/{id}/reset-link', { path: { id: member.id } }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      onGone={onGone}
      title={`A new password for ${member.name}?`}
      noun="link"
      making={create}
      form={
        <form onSubmit={submit}>
          <Stack gap="md">
            <Text size="sm">
              The link lets {member.name} choose a new password, once, within 24 hours. Nothing changes until
              they use it; then they are signed out everywhere. Their second factor stays.
            </Text>
            <FormActions
              act="Create link"
              error={create.error}
              isPending={create.isPending}
              onCancel={onClose}
            />
          </Stack>
        </form>
      }
    >
      {({ url, expires_at }) => (
        <>
          <Text size="sm">
            Send it to {member.name} over a channel that only they read. It works until{' '}
            <Time at={expires_at} isAbsolute />.
          </Text>
          <CopyField label="Link" value={url} act="Copy link" isFirst />
        </>
      )}
    </SecretDialog>
  );
}
