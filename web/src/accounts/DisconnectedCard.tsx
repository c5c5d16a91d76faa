import { useId } from 'react';
import { useMay } from '../api/permissions.js';
import { AccountAvatar } from '../ui/AccountAvatar.js';
import { TextLink } from '../ui/links.js';
import { StatusBadge } from '../ui/StatusBadge.js';
import { Time } from '../ui/Time.js';
import classes from './Accounts.module.css';
import type { Waiting } from './lost.js';
import { ReconnectButton } from './ReconnectButton.js';

/** An account that was disconnected while scheduled posts wait for it. */
export function DisconnectedCard({ waiting: { account, count, next_at } }: { waiting: Waiting }) {
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
