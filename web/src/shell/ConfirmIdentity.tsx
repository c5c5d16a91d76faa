import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.js';
import { answerProof } from '../api/proof.js';
import { meQuery, refreshQueries, useMe } from '../api/queries.js';
import { PasswordField } from '../auth/PasswordField.js';
import { FormActions } from '../ui/FormActions.js';
import { TextLink } from '../ui/links.js';
import { fieldError } from '../ui/Note.js';
import '../ui/overlays.css';

/** Asks a person to confirm that it is them. What they were about to do continues when they have. */
export function ConfirmIdentity({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const { user } = useMe();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const asksCode = user?.has_second_factor === true;
  const confirm = useMutation({
    mutationFn: () =>
      api.request('POST', '/api/v1/auth/confirm', {
        body: asksCode ? { code: code.trim() } : { password },
      }),
    onSuccess: () => answerProof(true),
    onError: () => {
      // A factor may have been added, or removed, elsewhere.
      void refreshQueries(client, meQuery);
      setPassword('');
      setCode('');
    },
  });
  const forget = () => {
    setPassword('');
    setCode('');
    confirm.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog is inside the form that opened it, as React sees it.
    event.stopPropagation();
    confirm.mutate();
  };
  const wrong =
    fieldError(confirm.error, 'password', 'The password') ?? fieldError(confirm.error, 'code', 'The code');
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Confirm it’s you"
      onExitTransitionEnd={forget}
      // It may be asked for from within another dialog.
      zIndex={300}
    >
      {user?.has_password || asksCode ? (
        <form onSubmit={submit}>
          <Stack gap="md">
            <Text size="sm">
              This would stay in force after you sign out, so enter{' '}
              {asksCode ? 'a code of your authenticator app' : 'your password once more'}. You won’t be asked
              again for 15 minutes.
            </Text>
            <input hidden type="text" autoComplete="username" value={user.email ?? ''} readOnly />
            {asksCode ? (
              <TextInput
                label="Code"
                description="Or one of your recovery codes"
                autoComplete="one-time-code"
                data-autofocus
                required
                withAsterisk={false}
                maxLength={40}
                value={code}
                onChange={(event) => setCode(event.currentTarget.value)}
                error={wrong}
              />
            ) : (
              <PasswordField
                label="Password"
                autoComplete="current-password"
                value={password}
                onChange={setPassword}
                error={wrong}
              />
            )}
            <FormActions
              act="Confirm"
              error={wrong ? null : confirm.error}
              isPending={confirm.isPending}
              disabled={asksCode ? code.trim() === '' : password === ''}
              onCancel={onClose}
            />
          </Stack>
        </form>
      ) : (
        <Text size="sm">
          You signed in with a link and have no password to confirm this with.{' '}
          <TextLink to="/settings/$section" params={{ section: 'profile' }} onClick={onClose}>
            Set a password
          </TextLink>{' '}
          first.
        </Text>
      )}
    </Modal>
  );
}
