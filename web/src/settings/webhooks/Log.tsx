import { Button, Pagination, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { ProblemNote } from '../../ui/ProblemNote.js';
import { Segments } from '../../ui/Segments.js';
import { Section } from '../Section.js';
import settings from '../Settings.module.css';
import { DeliveryRow } from './DeliveryRow.js';
import { STATES } from './labels.js';
import { type Delivery, logQuery, refreshWebhooks, type Webhook } from './queries.js';
import { RecoverDialog } from './RecoverDialog.js';
import classes from './Webhooks.module.css';

const PER_PAGE = 20;

type State = Delivery['state'];

const FILTERS = [
  { value: 'all', label: 'All' },
  ...(Object.keys(STATES) as State[]).map((state) => ({ value: state, label: STATES[state].label })),
] as const;

const route = getRouteApi('/inside/settings/$section');

/** What was sent, newest first. */
export function Log({ webhook }: { webhook: Webhook }) {
  const client = useQueryClient();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [isRecovering, recovering] = useDisclosure(false);
  const { state } = search;
  const page = search.page ?? 1;
  const query = { per_page: PER_PAGE, page, ...(state ? { state } : {}) };
  const { data, error, refetch, isPlaceholderData } = useQuery(logQuery(webhook.id, query));
  const go = (changes: { state?: State; page?: number }) =>
    void navigate({ search: { webhook: webhook.id, ...changes }, replace: true, resetScroll: false });
  const pages = data?.pagination.total_pages ?? 1;
  return (
    <Section
      title="Log"
      about="What Airdate has sent to this webhook, newest first, with each attempt."
      action={
        <Button variant="default" onClick={recovering.open} disabled={!webhook.enabled}>
          Send missed events…
        </Button>
      }
    >
      <div className={classes.bar}>
        <Segments
          aria-label="State"
          value={state ?? 'all'}
          data={FILTERS}
          onChange={(chosen) => go(chosen === 'all' ? {} : { state: chosen })}
        />
        <Button
          variant="default"
          leftSection={<RotateCw size={14} aria-hidden />}
          onClick={() => void refreshWebhooks(client)}
        >
          Refresh
        </Button>
      </div>
      {error && !data ? (
        <ProblemNote error={error} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <p className={`${settings.empty} ${settings.dashed}`}>
          {state ? 'No deliveries match.' : 'Nothing sent yet. Events appear here as they happen.'}
        </p>
      ) : (
        <ul className={settings.rows} aria-label="Deliveries" aria-busy={!data || isPlaceholderData}>
          {data ? (
            data.data.map((delivery) => (
              <DeliveryRow key={delivery.id} webhook={webhook} delivery={delivery} />
            ))
          ) : (
            <li className={settings.row}>
              <Skeleton height={36} />
            </li>
          )}
        </ul>
      )}
      {pages > 1 && (
        <nav className={settings.paging} aria-label="Pages of the log">
          <Pagination
            size="md"
            total={pages}
            value={Math.min(page, pages)}
            getItemProps={(n) => ({ 'aria-label': `Page ${n}` })}
            getControlProps={(control) => ({
              'aria-label': control === 'next' ? 'Next page' : 'Previous page',
            })}
            onChange={(next) => go({ page: next, ...(state ? { state } : {}) })}
          />
        </nav>
      )}
      <RecoverDialog webhook={webhook} isOpen={isRecovering} onClose={recovering.close} />
    </Section>
  );
}
