import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { SecretDialog } from '../../ui/SecretDialog.js';
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
    mutationFn: (body: WebhookFields) => api.data('POST', '/api/v1/webhooks', { body }),
    onSuccess: () => refreshWebhooks(client),
  });
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      title="New webhook"
      size="lg"
      noun="secret"
      secret={create.data ? <NewSecret secret={create.data.secret} onDone={onClose} /> : null}
      form={
        <WebhookForm
          begin={EMPTY}
          act="Create webhook"
          error={create.error}
          isPending={create.isPending}
          onCancel={onClose}
          onSubmit={create.mutate}
        />
      }
      onForget={create.reset}
    />
  );
}
