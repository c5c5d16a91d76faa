import type { SocialAccount } from '@airdate/sdk/core';
import { Button, Collapse, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import { useMay } from '../api/permissions.js';
import { usePlatform } from '../api/platform.js';
import { postsQuery } from '../api/queries.js';
import type { Status } from '../text/status.js';
import { dateAndTime } from '../text/time.js';
import { AccountAvatar } from '../ui/AccountAvatar.js';
import { lazyDialog } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { TechnicalDetails } from '../ui/TechnicalDetails.js';
import { Time, useNow } from '../ui/Time.js';
import classes from './Accounts.module.css';
import { Blocked } from './Blocked.js';
import { CreatorSettings } from './CreatorSettings.js';
import { DisconnectDialog } from './DisconnectDialog.js';
import { isExpiring, missingScopes } from './health.js';
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
          <h2 className={classes.name} id={nameId}>
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
      <p className={classes.since}>
        <span>
          Connected <Time at={account.created_at} />
        </span>
        <Scheduled account={account} />
      </p>
      <Group gap="xs" className={classes.actions ?? ''}>
        <Button
          variant="default"
          px={12}
          onClick={settings.toggle}
          aria-expanded={showsSettings}
          aria-controls={settingsId}
          rightSection={<ChevronDown size={14} aria-hidden className={classes.chevron} />}
        >
          What it allows
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
          <TriangleAlert size={14} aria-hidden /> {meaning} The <code>{scope}</code> permission wasn’t
          granted.
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
