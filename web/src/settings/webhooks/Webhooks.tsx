import { Anchor, Button, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { api } from '../../api/client.js';
import { ProblemNote } from '../../ui/Note.js';
import { EmptyState } from '../../ui/Page.js';
import { SecretDialog } from '../../ui/SecretDialog.js';
import { StatusBadge } from '../../ui/StatusBadge.js';
import { Time } from '../../ui/Time.js';
import { Section } from '../Section.js';
import settings from '../Settings.module.css';
import { eventsText, statusOfWebhook, whyDisabled } from './labels.js';
import { NewSecret } from './NewSecret.js';
import { OneWebhook } from './OneWebhook.js';
import { refreshWebhooks, type Webhook, type WebhookFields, webhooksQuery } from './queries.js';
import { WebhookForm } from './WebhookForm.js';
import classes from './Webhooks.module.css';

const route = getRouteApi('/inside/settings/$section');

/** The list, or one webhook with its log: the URL says which. */
export function Webhooks() {
  const { webhook: id } = route.useSearch();
  const { data, error, refetch } = useQuery(webhooksQuery);
  if (error && !data) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} aria-busy />;
  const chosen = data.find((webhook) => webhook.id === id);
  return chosen ? <OneWebhook key={chosen.id} webhook={chosen} /> : <WebhookList webhooks={data} />;
}

function WebhookList({ webhooks }: { webhooks: Webhook[] }) {
  const [isOpen, dialog] = useDisclosure(false);
  const add = (
    <Button leftSection={<Plus size={16} />} onClick={dialog.open}>
      New webhook
    </Button>
  );
  const isEmpty = webhooks.length === 0;
  return (
    <Section
      title="Webhooks"
      about={
        <>
          Sends signed events to your URL and retries for three days. See the{' '}
          <Anchor inherit href="/docs" underline="always">
            API documentation
          </Anchor>
          .
        </>
      }
      action={isEmpty ? undefined : add}
    >
      {isEmpty ? (
        <div className={settings.dashed}>
          <EmptyState title="No webhooks yet" action={add}>
            With a webhook, your app knows immediately when a post is published or fails, without asking.
            Enter the URL of an endpoint that accepts POST requests, then send a test.
          </EmptyState>
        </div>
      ) : (
        <ul className={settings.rows} aria-label="Webhooks">
          {webhooks.map((webhook) => (
            <Row key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      <NewWebhookDialog isOpen={isOpen} onClose={dialog.close} />
    </Section>
  );
}

function Row({ webhook }: { webhook: Webhook }) {
  const why = whyDisabled(webhook);
  return (
    <li className={settings.row}>
      <div className={settings.grow}>
        <p className={settings.strong}>
          <Link
            to="/settings/$section"
            params={{ section: 'webhooks' }}
            search={{ webhook: webhook.id }}
            className={classes.link}
          >
            {webhook.url}
          </Link>
        </p>
        {webhook.description && <p className={settings.soft}>{webhook.description}</p>}
        <p className={settings.soft}>
          {webhook.types !== null && 'Events: '}
          {eventsText(webhook.types)}
        </p>
        {why && <p className={settings.soft}>{why}</p>}
        {!why && webhook.failing_since && (
          <p className={settings.soft}>
            Failing since <Time at={webhook.failing_since} isAbsolute />
          </p>
        )}
      </div>
      <StatusBadge {...statusOfWebhook(webhook)} />
    </li>
  );
}

const EMPTY: WebhookFields = { url: '', description: null, types: null };

/** First the fields, then the secret, once. */
function NewWebhookDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
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
      making={create}
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
    >
      {({ secret }) => <NewSecret secret={secret} />}
    </SecretDialog>
  );
}
