import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMay } from '../api/permissions.js';
import { accountsQuery } from '../api/queries.js';
import { EmptyState } from '../ui/EmptyState.js';
import { Page } from '../ui/Page.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { AccountCard } from './AccountCard.js';
import classes from './Accounts.module.css';
import { ReturnNote } from './ReturnNote.js';
import { useConnect } from './useConnect.js';

const route = getRouteApi('/inside/accounts');

export function Accounts() {
  const { connected, error: refusal, account: meant } = route.useSearch();
  const navigate = route.useNavigate();
  const mayManage = useMay('accounts:manage');
  const { data, error, refetch } = useQuery(accountsQuery);
  const connect = useConnect();
  const isEmpty = data?.length === 0;
  const button = mayManage && (
    <Button
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
        <EmptyState title="No account is connected yet" action={button}>
          {mayManage
            ? 'Connect the account that posts should appear on. You allow it on the platform’s own page; Airdate never sees the password, and you can take the access back at any time.'
            : 'Posts can be written, but not published. Ask an owner or an admin to connect an account.'}
        </EmptyState>
      )}
      <div className={classes.grid} aria-busy={!data && !error}>
        {data?.map((account) => (
          <AccountCard key={account.id} account={account} />
        ))}
        {!data && !error && [1, 2, 3].map((n) => <Skeleton key={n} height={186} />)}
      </div>
    </Page>
  );
}
