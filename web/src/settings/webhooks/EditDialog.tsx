import { Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { refreshWebhooks, type Webhook, type WebhookFields } from './queries.js';
import { WebhookForm } from './WebhookForm.js';
import '../../ui/overlays.css';

interface EditDialogProps {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}

export function EditDialog({ webhook, isOpen, onClose }: EditDialogProps) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (body: WebhookFields) =>
      api.data('PATCH', '/api/v1/webhooks/{id}', { path: { id: webhook.id }, body }),
    onSuccess: async () => {
      await refreshWebhooks(client);
      onClose();
    },
  });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Edit webhook"
      size="lg"
      onExitTransitionEnd={() => save.reset()}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <WebhookForm
        begin={webhook}
        act="Save changes"
        error={save.error}
        isPending={save.isPending}
        onCancel={onClose}
        onSubmit={save.mutate}
      />
    </Modal>
  );
}
