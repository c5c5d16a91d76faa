import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { api } from '../../api/client.js';
import { ConfirmDialog } from '../../ui/ConfirmDialog.js';
import { StatusBadge } from '../../ui/StatusBadge.js';
import { Time } from '../../ui/Time.js';
import { Section } from '../Section.js';
import settings from '../Settings.module.css';
import { Actions } from './Actions.js';
import { EditDialog } from './EditDialog.js';
import { Log } from './Log.js';
import { eventsInWords, statusOfWebhook } from './labels.js';
import { refreshWebhooks, type Webhook } from './queries.js';
import { RotateDialog } from './RotateDialog.js';
import { WebhookHealthNote } from './WebhookHealthNote.js';
import classes from './Webhooks.module.css';

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
          <ArrowLeft size={16} aria-hidden /> All webhooks
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
                <Term name="Events">{eventsInWords(webhook.types)}</Term>
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
        isOpen={isDeleting}
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
