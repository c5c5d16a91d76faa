import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.js';
import { dayText } from '../../text/month.js';
import { FormActions } from '../../ui/FormActions.js';
import { fieldError } from '../../ui/Note.js';
import { refreshWebhooks, type Webhook } from './queries.js';
import { daysAgo, MAX_DAYS, sinceOf } from './since.js';
import '../../ui/overlays.css';

interface RecoverDialogProps {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}

export function RecoverDialog({ webhook, isOpen, onClose }: RecoverDialogProps) {
  const client = useQueryClient();
  const recover = useMutation({
    mutationFn: async (since: string) =>
      (
        await api.request('POST', '/api/v1/webhooks/{id}/recover', {
          path: { id: webhook.id },
          body: { since },
        })
      ).data,
    onSuccess: ({ events }) => {
      notifications.show({ color: 'green', message: sentence(events) });
      void refreshWebhooks(client);
      onClose();
    },
  });
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Send missed events again"
      onExitTransitionEnd={() => recover.reset()}
    >
      <RecoverForm
        error={recover.error}
        isPending={recover.isPending}
        onCancel={onClose}
        onRecover={recover.mutate}
      />
    </Modal>
  );
}

interface RecoverFormProps {
  error: unknown;
  isPending: boolean;
  onCancel: () => void;
  onRecover: (since: string) => void;
}

function RecoverForm({ error, isPending, onCancel, onRecover }: RecoverFormProps) {
  const [day, setDay] = useState(() => dayText(daysAgo(1)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRecover(sinceOf(day));
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">
          Airdate sends the events that this webhook has missed: those that failed, and those that happened
          while it was disabled or did not exist yet. What was delivered is not sent again.
        </Text>
        <TextInput
          label="Since the start of"
          description={`At most ${MAX_DAYS} days ago`}
          type="date"
          required
          data-autofocus
          min={dayText(daysAgo(MAX_DAYS))}
          max={dayText(new Date())}
          value={day}
          onChange={({ currentTarget: { value } }) => setDay(value)}
          error={fieldError(error, 'since', 'The date')}
        />
        <FormActions
          act="Send missed events"
          error={error}
          isPending={isPending}
          disabled={day === ''}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}

function sentence(events: number): string {
  if (events === 0) return 'No events have happened since then.';
  const happened = events === 1 ? '1 event has' : `${events} events have`;
  return `${happened} happened since then. Those that this webhook has missed are being sent.`;
}
