import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { ProblemNote } from '../../ui/ProblemNote.js';
import { refreshWebhooks, type Webhook } from './queries.js';
import { TestResult } from './TestResult.js';
import classes from './Webhooks.module.css';

interface ActionsProps {
  webhook: Webhook;
  onEdit: () => void;
  onRotate: () => void;
  onDelete: () => void;
}

export function Actions({ webhook, onEdit, onRotate, onDelete }: ActionsProps) {
  const client = useQueryClient();
  const path = { id: webhook.id };
  const test = useMutation({
    mutationFn: () => api.data('POST', '/api/v1/webhooks/{id}/test', { path }),
  });
  const toggle = useMutation({
    mutationFn: () =>
      api.data('PATCH', '/api/v1/webhooks/{id}', { path, body: { enabled: !webhook.enabled } }),
    onSuccess: () => refreshWebhooks(client),
  });
  const error = test.error ?? toggle.error;
  return (
    <>
      <div className={classes.actions}>
        <Button
          variant={webhook.enabled ? 'filled' : 'default'}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Send a test
        </Button>
        <Button
          variant={webhook.enabled ? 'default' : 'filled'}
          loading={toggle.isPending}
          onClick={() => toggle.mutate()}
        >
          {webhook.enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button variant="default" onClick={onEdit}>
          Edit…
        </Button>
        <Button variant="default" onClick={onRotate}>
          Replace secret…
        </Button>
        <Button variant="default" onClick={onDelete}>
          Delete…
        </Button>
      </div>
      <div role="status">{test.data && <TestResult result={test.data} />}</div>
      {error && <ProblemNote error={error} />}
    </>
  );
}
