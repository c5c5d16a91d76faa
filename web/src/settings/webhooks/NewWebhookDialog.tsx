import { Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, askFor } from '../../api/client.js';
import { NewSecret } from './NewSecret.js';
import { refreshWebhooks, type WebhookFields } from './queries.js';
import { WebhookForm } from './WebhookForm.js';

const EMPTY: WebhookFields = { url: '', description: null, types: null };

interface NewWebhookDialogProps {
  isOpen: boolean;
  onClose: () => void;
}

/** First the fields, then the secret, once. */
export function NewWebhookDialog({ isOpen, onClose }: NewWebhookDialogProps) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: WebhookFields) => askFor(api.POST('/api/v1/webhooks', { body })),
    onSuccess: () => refreshWebhooks(client),
  });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={create.data ? 'Copy the secret now' : 'New webhook'}
      size="lg"
      // A stray click must not lose a secret that is shown only once.
      closeOnClickOutside={!create.data}
      closeOnEscape={!create.data}
      onExitTransitionEnd={() => create.reset()}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {create.data ? (
        <NewSecret secret={create.data.secret} onDone={onClose} />
      ) : (
        <WebhookForm
          begin={EMPTY}
          act="Create webhook"
          error={create.error}
          isPending={create.isPending}
          onCancel={onClose}
          onSubmit={create.mutate}
        />
      )}
    </Modal>
  );
}
