import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { ProblemNote } from '../../ui/ProblemNote.js';
import { SecretDialog } from '../../ui/SecretDialog.js';
import { NewSecret } from './NewSecret.js';
import { refreshWebhooks, type Webhook } from './queries.js';

const BOTH = 'For 24 hours, each request is also signed with the old secret.';

interface RotateDialogProps {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}

/** First what will happen, then the new secret, once. */
export function RotateDialog({ webhook, isOpen, onClose }: RotateDialogProps) {
  const client = useQueryClient();
  const rotate = useMutation({
    mutationFn: () => api.data('POST', '/api/v1/webhooks/{id}/rotate', { path: { id: webhook.id } }),
    onSuccess: () => refreshWebhooks(client),
  });
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Replace the secret?"
      noun="secret"
      secret={
        rotate.data ? (
          <NewSecret secret={rotate.data.secret} onDone={onClose}>
            {BOTH}
          </NewSecret>
        ) : null
      }
      form={
        <Stack gap="md">
          <Text size="sm">
            You get a new secret for your app. {BOTH} So no event is lost while you change it. After that, the
            old secret is useless.
          </Text>
          {rotate.isError && <ProblemNote error={rotate.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} data-autofocus>
              Cancel
            </Button>
            <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
              Replace secret
            </Button>
          </Group>
        </Stack>
      }
      onForget={rotate.reset}
    />
  );
}
