import { Anchor, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { EmptyState } from '../../ui/EmptyState.js';
import { StatusBadge } from '../../ui/StatusBadge.js';
import { Time } from '../../ui/Time.js';
import { Section } from '../Section.js';
import settings from '../Settings.module.css';
import { eventsInWords, statusOfWebhook, whyDisabled } from './labels.js';
import { NewWebhookDialog } from './NewWebhookDialog.js';
import type { Webhook } from './queries.js';
import classes from './Webhooks.module.css';

export function WebhookList({ webhooks }: { webhooks: Webhook[] }) {
  const [isOpen, dialog] = useDisclosure(false);
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={dialog.open}>
      New webhook
    </Button>
  );
  const isEmpty = webhooks.length === 0;
  return (
    <Section
      title="Webhooks"
      about={
        <>
          Airdate tells your apps what happens here: it sends each event to your URL, signed, and retries for
          three days until your app accepts it. See the{' '}
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
            With a webhook, your app knows at once when a post is published or fails, without asking. Enter
            the URL of an endpoint that accepts POST requests, then send a test.
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
          {eventsInWords(webhook.types)}
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
