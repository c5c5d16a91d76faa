import { Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.js';
import { meQuery, refreshQueries } from '../api/queries.js';
import { CopyField } from '../ui/CopyField.js';
import { FormActions } from '../ui/FormActions.js';
import { fieldError, ProblemNote } from '../ui/Note.js';
import { QrCode } from '../ui/QrCode.js';
import { factorsQuery } from './queries.js';
import { RecoveryCodes } from './RecoveryCodes.js';
import '../ui/overlays.css';

interface Props {
  isOpen: boolean;
  onClose: () => void;
  /** It has closed, and the codes are forgotten. */
  onGone: () => void;
}

/** Shows the secret of a new app, asks for its first code, then shows the recovery codes once. */
export function AddFactorDialog({ isOpen, onClose, onGone }: Props) {
  const client = useQueryClient();
  const [code, setCode] = useState('');
  const enrol = useMutation({
    mutationFn: () => api.data('POST', '/api/v1/auth/factors', { body: { name: 'Authenticator app' } }),
  });
  const confirm = useMutation({
    mutationFn: (id: string) =>
      api.data('POST', '/api/v1/auth/factors/{id}/confirm', { path: { id }, body: { code: code.trim() } }),
    // A further app comes without codes: the earlier ones still count.
    onSuccess: ({ recovery_codes }) => {
      if (recovery_codes.length === 0) onClose();
    },
  });
  const recoveryCodes = confirm.data?.recovery_codes ?? [];
  const isShowingCodes = recoveryCodes.length > 0;
  const forget = () => {
    // Only now: what is known of the person decides which screen they see, and the codes are shown once.
    if (confirm.isSuccess) void refreshQueries(client, factorsQuery, meQuery);
    setCode('');
    enrol.reset();
    confirm.reset();
    onGone();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (enrol.data) confirm.mutate(enrol.data.id);
  };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={isShowingCodes ? 'Save your recovery codes' : 'Add an authenticator app'}
      closeOnClickOutside={!isShowingCodes}
      closeOnEscape={!isShowingCodes}
      // Asked for when the dialog is seen: the request may itself ask to confirm.
      onEnterTransitionEnd={() => enrol.mutate()}
      onExitTransitionEnd={forget}
    >
      {isShowingCodes ? (
        <RecoveryCodes codes={recoveryCodes} onDone={onClose} />
      ) : (
        <form onSubmit={submit}>
          <Stack gap="md">
            {enrol.isError && <ProblemNote error={enrol.error} onRetry={() => enrol.mutate()} />}
            {!enrol.data && !enrol.isError && <Skeleton height={184} />}
            {enrol.data && (
              <>
                <Text size="sm">
                  Scan this with an authenticator app on your phone, such as the one of your password manager.
                  Then enter the 6 digits that it shows.
                </Text>
                <div>
                  <QrCode text={enrol.data.otpauth_url} label="QR code for your authenticator app" />
                </div>
                <CopyField label="Can’t scan it? Enter this key" value={enrol.data.secret} act="Copy key" />
                <TextInput
                  label="Code"
                  inputMode="numeric"
                  autoComplete="one-time-code"
                  maxLength={10}
                  required
                  withAsterisk={false}
                  value={code}
                  onChange={(event) => setCode(event.currentTarget.value)}
                  error={fieldError(confirm.error, 'code', 'The code')}
                />
                <FormActions
                  act="Turn on"
                  error={fieldError(confirm.error, 'code', 'The code') ? null : confirm.error}
                  isPending={confirm.isPending}
                  disabled={code.trim().length < 6}
                  onCancel={onClose}
                />
              </>
            )}
          </Stack>
        </form>
      )}
    </Modal>
  );
}
