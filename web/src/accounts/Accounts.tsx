import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMay } from '../api/permissions.js';
import { usePlatform } from '../api/platform.js';
import { accountsQuery } from '../api/queries.js';
import { EmptyState } from '../ui/EmptyState.js';
import { Page } from '../ui/Page.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { AccountCard } from './AccountCard.js';
import classes from './Accounts.module.css';
import { DisconnectedCard } from './DisconnectedCard.js';
import { ReturnNote } from './ReturnNote.js';
import { useConnect } from './useConnect.js';
import { useDisconnected } from './useDisconnected.js';

const route = getRouteApi('/inside/accounts');

export function Accounts() {
  const { connected, error: refusal, account: meant } = route.useSearch();
  const navigate = route.useNavigate();
  const mayManage = useMay('accounts:manage');
  const { data, error, refetch } = useQuery(accountsQuery);
  const connect = useConnect();
  const { name } = usePlatform();
  const disconnected = useDisconnected();
  const isEmpty = data?.length === 0 && disconnected?.length === 0;
  // The one thing to do first has its own button, on its card.
  const isUrgentElsewhere =
    (disconnected?.length ?? 0) > 0 || data?.some(({ status }) => status === 'reconnect_required');
  const button = mayManage && (
    <Button
      variant={isUrgentElsewhere ? 'default' : 'filled'}
      leftSection={<Plus size={16} aria-hidden />}
      loading={connect.isPending || connect.isSuccess}
      onClick={() => connect.mutate(undefined)}
    >
      Connect account
    </Button>
  );
  return (
    <Page title="Accounts" actions={!isEmpty && button}>
      <div className={classes.notes}>
        <ReturnNote
          connected={connected}
          error={refusal}
          meant={meant}
          accounts={data}
          onClose={() => void navigate({ search: {}, replace: true })}
        />
        {connect.isError && <ProblemNote error={connect.error} onRetry={() => connect.mutate(undefined)} />}
        <QuotaBar name="accounts" />
        {error && !data && <ProblemNote error={error} onRetry={() => void refetch()} />}
      </div>
      {isEmpty && (
        <EmptyState title="No accounts connected yet" action={button}>
          {mayManage
            ? `Connect the account you want to post to. You approve it on ${name}’s own page: Airdate never sees your password, and you can revoke access any time.`
            : 'You can write posts, but you can’t publish them yet. Ask an owner or admin to connect an account.'}
        </EmptyState>
      )}
      <div className={classes.grid} aria-busy={!data && !error}>
        {data &&
          disconnected
            // The two lists are fetched one after the other.
            ?.filter(({ account }) => !data.some(({ id }) => id === account.id))
            .map((row) => <DisconnectedCard key={row.account.id} waiting={row} />)}
        {data?.map((account) => (
          <AccountCard key={account.id} account={account} />
        ))}
        {!data && !error && [1, 2, 3].map((n) => <Skeleton key={n} height={186} />)}
      </div>
    </Page>
  );
}
