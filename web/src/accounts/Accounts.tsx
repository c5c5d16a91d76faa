import type { SocialAccount } from '@airdate/sdk/core';
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useId, useState } from 'react';
import { usePlatform } from '../api/platform.js';
import { accountsQuery, postsQuery, useMay, useMe } from '../api/queries.js';
import { AccountAvatar } from '../ui/AccountAvatar.js';
import { ButtonLink, TextLink } from '../ui/links.js';
import { Note, ProblemNote } from '../ui/Note.js';
import { EmptyState, Page } from '../ui/Page.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { Time } from '../ui/Time.js';
import { AccountCard } from './AccountCard.js';
import classes from './Accounts.module.css';
import { missingScopes } from './authorization.js';
import type { AwaitedAccount } from './disconnected.js';
import { ReconnectButton, useConnect } from './ReconnectButton.js';
import { forgetReturn, postToReturnTo } from './return-post.js';
import { useAwaitedAccounts } from './useDisconnected.js';

const route = getRouteApi('/inside/accounts');

export function Accounts() {
  const { connected, error: refusal, account: meant } = route.useSearch();
  const navigate = route.useNavigate();
  const mayManage = useMay('accounts:manage');
  const { data, error, refetch } = useQuery(accountsQuery);
  const connect = useConnect();
  const { name } = usePlatform();
  const disconnected = useAwaitedAccounts();
  const isEmpty = data?.length === 0 && disconnected?.length === 0;
  const button = mayManage && (
    <Button
      // The next step only where there is no account yet.
      variant={isEmpty ? 'filled' : 'default'}
      leftSection={<Plus size={16} />}
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
            .map((row) => <DisconnectedCard key={row.account.id} awaited={row} />)}
        {data?.map((account) => (
          <AccountCard key={account.id} account={account} />
        ))}
        {!data && !error && [1, 2, 3].map((n) => <Skeleton key={n} height={186} />)}
      </div>
    </Page>
  );
}

// The result of the visit to the platform's consent page.

/** Why no account was connected. The API may add reasons: they read like a refusal. */
function reasonFor(error: string, platform: string): string {
  const refused = `${platform} refused the connection. Try again. If it keeps happening, check the app’s settings there.`;
  const reasons: Record<string, string> = {
    access_denied: 'Access was denied. The account isn’t connected, and nothing has changed.',
    stale: 'This link was already used, or it’s more than ten minutes old. Connect again from here.',
    foreign: 'The connection was started in another session or browser. Connect again from here.',
    incomplete: `${platform} sent you back without an answer. Connect again.`,
    insufficient_scopes:
      'Neither publishing (video.publish) nor inbox drafts (video.upload) were allowed, so Airdate couldn’t post anything. Connect again and allow at least one of them.',
    quota_exceeded:
      'Your organization has reached its account limit. Disconnect one, or ask your Airdate administrator for more. You can always reconnect an account that’s already here.',
    platform_refused: refused,
    platform_unavailable: `${platform} isn’t responding, so the account wasn’t connected. Try again in a few minutes.`,
  };
  return reasons[error] ?? `${refused} (${error})`;
}

interface ReturnNoteProps {
  /** The account that was to be reconnected. */
  meant: string | undefined;
  connected: string | undefined;
  error: string | undefined;
  accounts: SocialAccount[] | undefined;
  onClose: () => void;
}

function ReturnNote({ connected, error, meant, accounts, onClose }: ReturnNoteProps) {
  const organization = useMe().organization.name;
  const { atStart } = usePlatform();
  const wanted = accounts?.find(({ id }) => id === meant);
  const [postId] = useState(postToReturnTo);
  const back = postId && (
    // A new account is chosen in the composer; one that works again lets the post go out as it is.
    <TextLink
      to={meant === undefined ? '/posts/$postId/edit' : '/posts/$postId'}
      params={{ postId }}
      onClick={forgetReturn}
    >
      Back to your post
    </TextLink>
  );
  if (error !== undefined)
    return (
      <Note
        tone="attention"
        role="alert"
        title={
          wanted ? `@${wanted.username} wasn’t reconnected` : `No account was connected to ${organization}`
        }
        onDismiss={onClose}
      >
        {reasonFor(error, atStart)} {back}
      </Note>
    );
  const account = accounts?.find(({ id }) => id === connected);
  if (!account) return null;
  const lacks = missingScopes(account);
  const close = () => {
    forgetReturn();
    onClose();
  };
  return (
    <Note tone="posted" role="status" title={`Connected as @${account.username}`} onDismiss={close}>
      {`${organization} can now post as @${account.username}. `}
      {wanted &&
        wanted.id !== account.id &&
        `You meant to reconnect @${wanted.username}; that account hasn’t changed. `}
      {/* Posts wait for an account that could not be used; a new one has none. */}
      {lacks.length === 0
        ? wanted?.id === account.id && 'Its scheduled posts will go out as planned.'
        : lacks.map(({ meaning }) => meaning).join(' ')}
      {back || <FirstPost />}
    </Note>
  );
}

/** The next step of a new organization. */
function FirstPost() {
  const mayWrite = useMay('posts:write');
  const total = useQuery({ ...postsQuery({ per_page: 1 }), enabled: mayWrite }).data?.pagination.total;
  if (total !== 0) return null;
  return (
    <div>
      <ButtonLink to="/posts/new" mt="xs">
        Create your first post
      </ButtonLink>
    </div>
  );
}

/** An account that was disconnected while scheduled posts wait for it. */
function DisconnectedCard({ awaited: { account, count, next_at } }: { awaited: AwaitedAccount }) {
  const mayManage = useMay('accounts:manage');
  const nameId = useId();
  const isOne = count === 1;
  return (
    <article className={classes.card} aria-labelledby={nameId}>
      <header className={classes.who}>
        <AccountAvatar account={{ ...account, display_name: null, avatar_url: null }} size={48} />
        <div className={classes.names}>
          <h2 className={classes.name} id={nameId}>
            @{account.username}
          </h2>
        </div>
        <StatusBadge tone="attention" label="Disconnected" />
      </header>
      <div className={classes.trouble}>
        <p>
          <strong>
            {isOne ? '1 scheduled post waits' : `${count} scheduled posts wait`} for this account.
          </strong>{' '}
          {next_at && (
            <>
              {isOne ? 'It’s due' : 'The first is due'} <Time at={next_at} />.{' '}
            </>
          )}
          {mayManage
            ? 'Connect the account again, or choose another one in each post.'
            : 'Ask an owner or admin to connect it again.'}
        </p>
        {mayManage && <ReconnectButton account={account} label="Connect again" />}
      </div>
      <TextLink to="/library" search={{ status: 'scheduled', account: account.id }}>
        See {isOne ? 'the post' : `the ${count} posts`}
      </TextLink>
    </article>
  );
}
