import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { api } from '../../api/client.js';
import { ConfirmDialog } from '../../ui/lazy.js';
import { Note, ProblemNote } from '../../ui/Note.js';
import { StatusBadge } from '../../ui/StatusBadge.js';
import { Time } from '../../ui/Time.js';
import { Section } from '../Section.js';
import settings from '../Settings.module.css';
import { Log } from './Log.js';
import { attemptResultText, eventsText, statusOfWebhook, whyDisabled } from './labels.js';
import { type Attempt, refreshWebhooks, type Webhook, type WebhookFields } from './queries.js';
import { WebhookForm } from './WebhookForm.js';
import classes from './Webhooks.module.css';
import '../../ui/overlays.css';
import { SecretDialog } from '../../ui/SecretDialog.js';
import { NewSecret } from './NewSecret.js';

const route = getRouteApi('/inside/settings/$section');

/** One webhook: its state, what can be done with it, and its log. */
export function OneWebhook({ webhook }: { webhook: Webhook }) {
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const [isEditing, editing] = useDisclosure(false);
  const [isRotating, rotating] = useDisclosure(false);
  const [isDeleting, deleting] = useDisclosure(false);
  const remove = async () => {
    await api.request('DELETE', '/api/v1/webhooks/{id}', { path: { id: webhook.id } });
    await navigate({ search: {}, replace: true });
    await refreshWebhooks(client);
  };
  return (
    <>
      <div>
        <Link to="/settings/$section" params={{ section: 'webhooks' }} className={classes.back}>
          <ArrowLeft size={16} /> All webhooks
        </Link>
        <Section
          title={webhook.description ?? new URL(webhook.url).host}
          action={<StatusBadge {...statusOfWebhook(webhook)} />}
        >
          <div className={classes.stack}>
            <WebhookHealthNote webhook={webhook} />
            <div className={settings.panel}>
              <dl className={settings.terms}>
                <Term name="URL">
                  <span className={settings.mono}>{webhook.url}</span>
                </Term>
                <Term name="Events">{eventsText(webhook.types)}</Term>
                <Term name="Created">
                  <Time at={webhook.created_at} />
                </Term>
                {webhook.previous_secret_until && (
                  <Term name="Secret">
                    Replaced. Requests are signed with the old one as well until{' '}
                    <Time at={webhook.previous_secret_until} isAbsolute />.
                  </Term>
                )}
              </dl>
            </div>
            <Actions
              webhook={webhook}
              onEdit={editing.open}
              onRotate={rotating.open}
              onDelete={deleting.open}
            />
          </div>
        </Section>
      </div>
      <Log webhook={webhook} />
      <EditDialog webhook={webhook} isOpen={isEditing} onClose={editing.close} />
      <RotateDialog webhook={webhook} isOpen={isRotating} onClose={rotating.close} />
      <ConfirmDialog
        opened={isDeleting}
        onClose={deleting.close}
        title="Delete this webhook?"
        act="Delete webhook"
        onConfirm={remove}
      >
        Airdate sends nothing more to {webhook.url}, and its log is gone. You can’t undo this. To pause it,
        disable it instead.
      </ConfirmDialog>
    </>
  );
}

const Term = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd className={classes.value}>{children}</dd>
  </div>
);

/** Why it is disabled or failing, and what to do. Absent while all is well. */
function WebhookHealthNote({ webhook }: { webhook: Webhook }) {
  const why = whyDisabled(webhook);
  if (why)
    return (
      <Note tone={webhook.disabled_reason ? 'attention' : 'draft'} title="Nothing is sent to this webhook">
        {why}
        {webhook.disabled_at && (
          <>
            {' '}
            That was on <Time at={webhook.disabled_at} isAbsolute />.
          </>
        )}{' '}
        Once you enable it, it starts with the next event; “Send missed events” sends those that happened
        meanwhile.
      </Note>
    );
  if (!webhook.failing_since) return null;
  return (
    <Note tone="attention" title="The endpoint isn’t accepting events">
      It has been failing since <Time at={webhook.failing_since} isAbsolute />. Airdate retries each event for
      three days, and disables the webhook if everything fails for five days. The log below shows what the
      endpoint answered.
    </Note>
  );
}

interface ActionsProps {
  webhook: Webhook;
  onEdit: () => void;
  onRotate: () => void;
  onDelete: () => void;
}

function Actions({ webhook, onEdit, onRotate, onDelete }: ActionsProps) {
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

/** What the endpoint answered to a test. */
const TestResult = ({ result }: { result: Attempt & { delivered: boolean } }) => (
  <Note
    tone={result.delivered ? 'posted' : 'attention'}
    title={result.delivered ? 'The endpoint accepted the test' : 'The endpoint did not accept the test'}
  >
    {attemptResultText(result)}, <Time at={result.at} />. A test is not repeated, and not in the log.
    {result.response && <pre className={classes.excerpt}>{result.response}</pre>}
  </Note>
);

interface EditDialogProps {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}

function EditDialog({ webhook, isOpen, onClose }: EditDialogProps) {
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

const BOTH = 'For 24 hours, each request is also signed with the old secret.';

interface RotateDialogProps {
  webhook: Webhook;
  isOpen: boolean;
  onClose: () => void;
}

/** First what will happen, then the new secret, once. */
function RotateDialog({ webhook, isOpen, onClose }: RotateDialogProps) {
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
      making={rotate}
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
    >
      {({ secret }) => <NewSecret secret={secret}>{BOTH}</NewSecret>}
    </SecretDialog>
  );
}
