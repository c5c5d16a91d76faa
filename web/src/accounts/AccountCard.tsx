import type { SocialAccount } from '@airdate/sdk/core';
import { Button, Collapse, Group, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronDown, TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import { api } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import { accountsQuery, creatorQuery, postsQuery, useMay } from '../api/queries.js';
import { named, withoutCode } from '../text/api-text.js';
import { audienceOf } from '../text/audiences.js';
import type { Status } from '../text/status.js';
import { dateAndTime, duration } from '../text/time.js';
import { AccountAvatar } from '../ui/AccountAvatar.js';
import { lazyDialog } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';
import { ProblemNote, TechnicalDetails } from '../ui/Note.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { Time, useNow } from '../ui/Time.js';
import classes from './Accounts.module.css';
import { isExpiring, missingScopes } from './authorization.js';
import { DisconnectDialog } from './DisconnectDialog.js';
import { ReconnectButton } from './ReconnectButton.js';

const DefaultsDialog = lazyDialog(async () => (await import('./DefaultsDialog.js')).DefaultsDialog);

export function AccountCard({ account }: { account: SocialAccount }) {
  const mayManage = useMay('accounts:manage');
  const [showsSettings, settings] = useDisclosure(false);
  const [isAsking, asking] = useDisclosure(false);
  const [isSetting, setting] = useDisclosure(false);
  const now = useNow(60_000);
  const nameId = useId();
  const settingsId = useId();
  const isBroken = account.status === 'reconnect_required';
  const isBlocked = !isBroken && account.blocked_until !== null;
  return (
    <article className={classes.card} aria-labelledby={nameId}>
      <header className={classes.who}>
        <AccountAvatar account={account} size={48} />
        <div className={classes.names}>
          <h2 className={classes.name} id={nameId} dir="auto">
            {account.display_name ?? account.username}
          </h2>
          <p className={classes.handle}>@{account.username}</p>
        </div>
        <StatusBadge {...healthOf(account, now)} />
      </header>
      {isBroken && <Broken account={account} mayManage={mayManage} />}
      {isBlocked && <Blocked account={account} mayManage={mayManage} now={now} />}
      {!isBroken && <Lacks account={account} mayManage={mayManage} />}
      {!isBroken && isExpiring(account, now) && <Expiring account={account} mayManage={mayManage} />}
      {/* Not since when it is connected: that is not known of an account that was connected again. */}
      <p className={classes.planned}>
        <Scheduled account={account} />
      </p>
      <Group gap="xs" className={classes.actions ?? ''}>
        <Button
          variant="default"
          px={12}
          onClick={settings.toggle}
          aria-expanded={showsSettings}
          aria-controls={settingsId}
          rightSection={<ChevronDown size={14} className={classes.chevron} />}
        >
          Permissions and limits
        </Button>
        {mayManage && (
          <Button variant="default" px={12} onClick={setting.open}>
            Defaults…
          </Button>
        )}
        {mayManage && (
          <Button variant="subtle" color="gray" px={8} ml="auto" onClick={asking.open}>
            Disconnect…
          </Button>
        )}
      </Group>
      <Collapse expanded={showsSettings} id={settingsId}>
        {showsSettings && <CreatorSettings accountId={account.id} />}
      </Collapse>
      <DefaultsDialog account={account} opened={isSetting} onClose={setting.close} />
      <DisconnectDialog account={account} isOpen={isAsking} onClose={asking.close} />
    </article>
  );
}

/** What goes out through it, and when next. */
function Scheduled({ account }: { account: SocialAccount }) {
  const found = useQuery(
    postsQuery({ social_account_id: account.id, status: 'scheduled', sort: 'scheduled_at', per_page: 1 }),
  ).data;
  const next = found?.data[0]?.scheduled_at;
  if (!found) return <span>&nbsp;</span>;
  if (!next) return <span>Nothing scheduled</span>;
  return (
    <span className="figures">
      <TextLink to="/library" search={{ status: 'scheduled', account: account.id }}>
        {found.pagination.total} scheduled
      </TextLink>
      , next {dateAndTime(next)}
    </span>
  );
}

interface Part {
  account: SocialAccount;
  mayManage: boolean;
}

function Broken({ account, mayManage }: Part) {
  return (
    <div className={classes.trouble}>
      <div>
        <strong>Reconnect this account to publish again.</strong> Scheduled posts are waiting.
        {account.status_reason && <TechnicalDetails>{account.status_reason}</TechnicalDetails>}
      </div>
      {mayManage ? <ReconnectButton account={account} /> : <p>Ask an owner or admin to reconnect it.</p>}
    </div>
  );
}

function Lacks({ account, mayManage }: Part) {
  const lacks = missingScopes(account);
  if (lacks.length === 0) return null;
  return (
    <div className={classes.lack}>
      {lacks.map(({ scope, meaning }) => (
        <p key={scope}>
          <TriangleAlert size={14} /> {meaning} The <code>{scope}</code> permission wasn’t granted.
        </p>
      ))}
      {mayManage && <ReconnectButton account={account} variant="default" />}
    </div>
  );
}

function Expiring({ account, mayManage }: Part) {
  const { atStart } = usePlatform();
  return (
    <div className={classes.trouble}>
      <p>
        <strong>
          Access expires <Time at={account.authorization_expires_at ?? ''} />.
        </strong>{' '}
        {atStart} hasn’t renewed it. Posts due after that will wait.
      </p>
      {mayManage ? (
        <ReconnectButton account={account} variant="default" />
      ) : (
        <p>Ask an owner or admin to reconnect it.</p>
      )}
    </div>
  );
}

function healthOf(account: SocialAccount, now: number): Status {
  if (account.status === 'reconnect_required') return { tone: 'attention', label: 'Reconnect needed' };
  if (account.blocked_until !== null) return { tone: 'attention', label: 'Blocked' };
  if (isExpiring(account, now)) return { tone: 'attention', label: 'Expires soon' };
  if (missingScopes(account).length > 0) return { tone: 'publishing', label: 'Limited' };
  return { tone: 'posted', label: 'Connected' };
}

// The platform refuses posts of the account, or of the app: until when, why, and a button for people who know better.
interface Props {
  account: SocialAccount;
  mayManage: boolean;
  now: number;
}

function Blocked({ account, mayManage, now }: Props) {
  const platform = usePlatform();
  const isOver = Date.parse(account.blocked_until ?? '') <= now;
  return (
    <div className={classes.trouble}>
      <p>
        <strong>{named(withoutCode(account.block_reason ?? ''), platform)}</strong>{' '}
        {isOver ? (
          'The next post goes first. The others follow once it was accepted.'
        ) : (
          <>
            Scheduled posts wait. The next one is tried <Time at={account.blocked_until ?? ''} />.
          </>
        )}
      </p>
      {mayManage && !isOver && <TryAgain account={account} />}
    </div>
  );
}

function TryAgain({ account }: Pick<Props, 'account'>) {
  const client = useQueryClient();
  const unblock = useMutation({
    mutationFn: () => api.data('POST', '/api/v1/social-accounts/{id}/unblock', { path: { id: account.id } }),
    onSuccess: (saved) => {
      client.setQueryData(accountsQuery.queryKey, (all) =>
        all?.map((one) => (one.id === saved.id ? saved : one)),
      );
      void client.invalidateQueries({ queryKey: accountsQuery.queryKey, exact: true });
    },
  });
  return (
    <>
      {unblock.isError && <ProblemNote error={unblock.error} />}
      <Button
        variant="default"
        loading={unblock.isPending}
        onClick={() => unblock.mutate()}
        aria-label={`Try again with @${account.username}`}
      >
        Try again
      </Button>
    </>
  );
}

/** The options of the creator when posting, as the platform reports them now. */
function CreatorSettings({ accountId }: { accountId: string }) {
  const { data, error, refetch, isPending } = useQuery(creatorQuery(accountId));
  const { name } = usePlatform();
  if (error) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (isPending) return <Skeleton height={132} aria-label={`Loading from ${name}`} />;
  const rows: [label: string, value: string][] = [
    ['Nickname', data.nickname],
    ['Audiences', data.privacy_level_options.map(audienceOf).join(', ')],
    ['Comments', allowed(data.comment_disabled)],
    ['Duets', allowed(data.duet_disabled)],
    ['Stitches', allowed(data.stitch_disabled)],
    ['Longest video', duration(data.max_video_post_duration_sec * 1000)],
  ];
  return (
    <dl className={classes.facts}>
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="figures">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const allowed = (isDisabled: boolean) => (isDisabled ? 'Off in the account’s settings' : 'Available');
