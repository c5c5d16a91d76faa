import { Button, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ChevronRight, RotateCw } from 'lucide-react';
import { api } from '../../api/client.js';
import { dateAndSeconds } from '../../text/time.js';
import { CopyText } from '../../ui/CopyText.js';
import { ProblemNote, TechnicalDetails } from '../../ui/Note.js';
import { Pages } from '../../ui/Pages.js';
import { Segments } from '../../ui/Segments.js';
import { StatusBadge } from '../../ui/StatusBadge.js';
import { Moment, Time } from '../../ui/Time.js';
import { Section } from '../Section.js';
import settings from '../Settings.module.css';
import { attemptResultText, eventName, formatted, STATES } from './labels.js';
import { type Attempt, type Delivery, logQuery, refreshWebhooks, type Webhook } from './queries.js';
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
          leftSection={<RotateCw size={14} />}
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
          <Pages
            total={pages}
            value={Math.min(page, pages)}
            onChange={(next) => go({ page: next, ...(state ? { state } : {}) })}
          />
        </nav>
      )}
      <RecoverDialog webhook={webhook} isOpen={isRecovering} onClose={recovering.close} />
    </Section>
  );
}

interface DeliveryRowProps {
  webhook: Webhook;
  delivery: Delivery;
}

/** A line of the log; opened, it shows each attempt and the message. */
function DeliveryRow({ webhook, delivery }: DeliveryRowProps) {
  const [latest] = delivery.attempts;
  return (
    <li className={classes.delivery}>
      <details>
        <summary className={classes.summary}>
          <ChevronRight size={16} className={classes.arrow} />
          <StatusBadge {...STATES[delivery.state]} />
          <span className={settings.grow}>
            {eventName(delivery.type)}
            {latest && <span className={settings.aside}> · {resultOf(latest)}</span>}
          </span>
          <span className={settings.when}>
            <Time at={delivery.created_at} />
          </span>
        </summary>
        <div className={classes.opened}>
          <Attempts webhook={webhook} delivery={delivery} />
          <div>
            <h3 className={classes.name}>
              Message <CopyText value={delivery.body} what="message" />
            </h3>
            <pre className={classes.excerpt}>{formatted(delivery.body)}</pre>
          </div>
          <SendAgain webhook={webhook} delivery={delivery} />
          <TechnicalDetails>
            Type {delivery.type} · event {delivery.event_id} · message {delivery.message_id}
          </TechnicalDetails>
        </div>
      </details>
    </li>
  );
}

const resultOf = ({ status }: Attempt): string => (status === null ? 'No response' : `HTTP ${status}`);

function Attempts({ webhook, delivery }: DeliveryRowProps) {
  const { attempts, attempt_count: count } = delivery;
  return (
    <div>
      <h3 className={classes.name}>{count === 1 ? '1 attempt' : `${count} attempts`}</h3>
      {count > attempts.length && (
        <p className={settings.soft}>
          {attempts.length === 1 ? 'The latest:' : `The latest ${attempts.length}:`}
        </p>
      )}
      <ol className={classes.attempts} aria-label="Attempts">
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <p className={settings.sentence}>
              <Moment at={attempt.at}>{dateAndSeconds(attempt.at)}</Moment>: {attemptResultText(attempt)}
            </p>
            {attempt.response && <pre className={classes.excerpt}>{attempt.response}</pre>}
          </li>
        ))}
      </ol>
      {delivery.state === 'pending' && (
        <p className={settings.soft}>
          {!webhook.enabled ? (
            'Not sent while the webhook is disabled.'
          ) : delivery.next_attempt_at ? (
            <>
              Next attempt: <Next at={delivery.next_attempt_at} />
            </>
          ) : (
            'Waits for an earlier event about the same post.'
          )}
        </p>
      )}
      {delivery.state === 'failed' && (
        <p className={settings.soft}>Airdate has given up. Send it again once the endpoint works.</p>
      )}
    </div>
  );
}

const Next = ({ at }: { at: string }) => (Date.parse(at) <= Date.now() ? 'now' : <Time at={at} />);

function SendAgain({ webhook, delivery }: DeliveryRowProps) {
  const client = useQueryClient();
  const replay = useMutation({
    mutationFn: () => {
      const path = { id: webhook.id, delivery_id: delivery.id };
      return api.data('POST', '/api/v1/webhooks/{id}/deliveries/{delivery_id}/replay', { path });
    },
    onSuccess: () => refreshWebhooks(client),
  });
  return (
    <>
      {replay.error && <ProblemNote error={replay.error} />}
      <div>
        <Button
          variant="default"
          size="xs"
          h={32}
          loading={replay.isPending}
          disabled={!webhook.enabled}
          onClick={() => replay.mutate()}
        >
          {delivery.state === 'pending' ? 'Send now' : 'Send again'}
        </Button>
      </div>
    </>
  );
}
