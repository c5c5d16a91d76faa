import type { Dispatch } from '@airdate/sdk/core';
import { NativeSelect, Pagination, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { usePlatform } from '../api/platform.js';
import { accountsQuery, postQuery } from '../api/queries.js';
import { inBrief, named } from '../text/api-text.js';
import { formatReason } from '../text/reason-names.js';
import { ANALYTICS, searchBy } from '../text/search-params.js';
import { OUTCOMES } from '../text/status.js';
import { Cell, DataTable } from '../ui/DataTable.js';
import { TextLink } from '../ui/links.js';
import { ProblemNote } from '../ui/Note.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { Time } from '../ui/Time.js';
import { useSlices } from '../ui/useSlices.js';
import classes from './Analytics.module.css';
import { dispatchesQuery } from './queries.js';

const COLUMNS = ['Post', 'Outcome', 'Started', 'Account', 'Started by'];

const SLICE = 3;

/** The last page of the API. */
const MAX_PAGES = 1_000;

const TRIGGERS: Record<Dispatch['trigger'], string> = {
  api: 'API',
  dashboard: 'Dashboard',
  schedule: 'Schedule',
  retry: 'Retry',
};

const route = getRouteApi('/inside/analytics');

/** Every publish attempt, newest first. */
export function Attempts() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const page = search.page ?? 1;
  const { outcome, reason } = search;
  const { data: found, error, refetch } = useQuery(dispatchesQuery(page, outcome, reason));
  const data = useDeferredValue(found);
  // Each row asks for its post.
  const [drawn] = useSlices(data?.data.length ?? 0, SLICE);
  const pages = Math.min(data?.pagination.total_pages ?? 1, MAX_PAGES);
  return (
    <section className={classes.attempts} aria-labelledby="attempts">
      <header className={classes.panelHead}>
        <h2 className={classes.panelTitle} id="attempts">
          Recent attempts
        </h2>
        <NativeSelect
          aria-label="Outcome"
          value={outcome ?? ''}
          data={[
            { value: '', label: 'All outcomes' },
            ...Object.entries(OUTCOMES).map(([value, { label }]) => ({ value, label })),
          ]}
          onChange={({ currentTarget: { value } }) =>
            void navigate({
              search: ({ days }) => searchBy(ANALYTICS)({ days, outcome: value }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </header>
      {reason && (
        <p className={classes.summary}>
          Only “<span title={reason}>{formatReason(reason)}</span>”, from any date.{' '}
          <TextLink to="/analytics" search={search.days ? { days: search.days } : {}} hash="attempts">
            Show all
          </TextLink>
        </p>
      )}
      {error && !data ? (
        <ProblemNote error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Publish attempts"
          columns={COLUMNS}
          rows={data?.data.slice(0, drawn)}
          none={outcome || reason ? 'No attempts match.' : 'No attempts yet.'}
          rowsToCome={5}
        >
          {(dispatch) => <AttemptRow key={dispatch.id} dispatch={dispatch} />}
        </DataTable>
      )}
      {pages > 1 && (
        <Pagination
          mt="md"
          size="sm"
          total={pages}
          value={page}
          aria-label="Pages of attempts"
          getItemProps={(n) => ({ 'aria-label': `Page ${n}` })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          onChange={(chosen) =>
            void navigate({
              search: (before) => ({ ...before, page: chosen }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      )}
    </section>
  );
}

function AttemptRow({ dispatch }: { dispatch: Dispatch }) {
  const post = useQuery({ ...postQuery(dispatch.post_id), staleTime: 60_000 });
  const accounts = useQuery(accountsQuery);
  const platform = usePlatform();
  const account = accounts.data?.find(({ id }) => id === dispatch.social_account_id);
  const again = dispatch.attempt > 1 ? `, attempt ${dispatch.attempt}` : '';
  return (
    <tr>
      <td>
        <div>
          <TextLink
            to="/posts/$postId"
            params={{ postId: dispatch.post_id }}
            c="inherit"
            fw={560}
            underline="hover"
          >
            <Skeleton component="span" visible={post.isPending}>
              <bdi>{post.data?.title ?? 'Open post'}</bdi>
            </Skeleton>
          </TextLink>
          {dispatch.error_message && (
            <div className={classes.why} title={dispatch.error_code ?? undefined}>
              {named(inBrief(dispatch.error_message), platform)}
            </div>
          )}
        </div>
      </td>
      <Cell of="Outcome">
        <StatusBadge {...OUTCOMES[dispatch.outcome]} />
      </Cell>
      <Cell of="Started">
        <Time at={dispatch.started_at} />
      </Cell>
      <Cell of="Account">{account ? `@${account.username}` : 'Disconnected'}</Cell>
      <Cell of="Started by">
        {TRIGGERS[dispatch.trigger]}
        {again}
      </Cell>
    </tr>
  );
}
