// The account, and its creator according to the platform: fetched each time the dialog is shown.
import type { CreatorOptions, SocialAccount } from '@airdate/sdk/core';
import { NativeSelect, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { disconnectedLabel } from '../accounts/disconnected.js';
import { ReconnectButton, ReconnectNote } from '../accounts/ReconnectButton.js';
import { usePlatform } from '../api/platform.js';
import { useMay } from '../api/queries.js';
import { AccountAvatar } from '../ui/AccountAvatar.js';
import { Note, ProblemNote } from '../ui/Note.js';
import { fieldId } from './fields.js';
import { AccountsLink } from './links.js';
import classes from './PublishDialog.module.css';

export function AccountField({
  postId,
  accounts,
  value,
  onChange,
  isUnusable,
  disconnectedName,
  advice,
  creator,
}: {
  /** The post that the account is for; of many there is none. */
  postId?: string;
  accounts: SocialAccount[];
  value: string | null;
  onChange: (id: string) => void;
  /** The chosen account cannot be used: it must be reconnected, or was disconnected and is not in the list. */
  isUnusable: boolean;
  /** The user name of the chosen account, in case it was disconnected. */
  disconnectedName?: string | undefined;
  /** What the API says is to do if it was disconnected. */
  advice?: string | undefined;
  /** Null for the inbox, which needs no creator info. */
  creator: UseQueryResult<CreatorOptions> | null;
}) {
  const field = useRef<HTMLSelectElement>(null);
  const link = useRef<HTMLAnchorElement>(null);
  // The sheet may come after the dialog has opened, when the focus has gone elsewhere.
  useEffect(() => (field.current ?? link.current)?.focus(), []);
  // The platform may say so only when the button at the bottom is pressed.
  useEffect(() => {
    if (isUnusable) field.current?.scrollIntoView({ block: 'nearest' });
  }, [isUnusable]);
  const chosen = accounts.find(({ id }) => id === value);
  if (accounts.length === 0 && disconnectedName === undefined)
    return (
      <Text size="sm" id={fieldId('account')} tabIndex={-1}>
        No accounts connected yet. <AccountsLink ref={link}>Connect one</AccountsLink>, then come back:
        nothing gets lost.
      </Text>
    );
  // None of them can be chosen: the next step is to connect one again.
  const lost = value === null && !accounts.some(isUsable) ? accounts : [];
  return (
    <div className={classes.stack}>
      <NativeSelect
        ref={field}
        id={fieldId('account')}
        data-autofocus
        label="Account"
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {value === null && (
          <option value="" disabled>
            Choose an account
          </option>
        )}
        {/* Without it the browser would show another account as chosen. */}
        {value !== null && !chosen && <option value={value}>{disconnectedLabel(disconnectedName)}</option>}
        {accounts.map((account) => (
          <option
            key={account.id}
            value={account.id}
            disabled={account.status !== 'connected' && account.id !== value}
          >
            {account.display_name ?? account.username} (@{account.username})
            {account.status === 'connected' ? '' : ', disconnected'}
          </option>
        ))}
      </NativeSelect>
      {lost.map((account) => (
        <ReconnectNote key={account.id} account={account} hasOthers={false} postId={postId} />
      ))}
      {isUnusable && chosen ? (
        <ReconnectNote account={chosen} hasOthers={accounts.some(isUsable)} postId={postId} />
      ) : value !== null && !chosen ? (
        <Disconnected id={value} name={disconnectedName} advice={advice} postId={postId} />
      ) : creator ? (
        value !== null && <Creator creator={creator} chosen={chosen} />
      ) : (
        <Receiver account={chosen} />
      )}
    </div>
  );
}

interface DisconnectedProps {
  id: string;
  name: string | undefined;
  advice: string | undefined;
  postId: string | undefined;
}

function Disconnected({ id, name, advice, postId }: DisconnectedProps) {
  const mayManage = useMay('accounts:manage');
  return (
    <Note tone="attention" role="alert">
      <strong>{name ? `@${name}` : 'This post’s account'} was disconnected.</strong>{' '}
      {advice ?? 'Connect it again, or choose another account.'}{' '}
      {mayManage ? (
        <ReconnectButton
          account={{ id, username: name ?? 'the account' }}
          label="Connect again"
          postId={postId}
          size="xs"
          h={36}
        />
      ) : (
        <AccountsLink>Go to accounts</AccountsLink>
      )}
    </Note>
  );
}

const isUsable = ({ status }: SocialAccount): boolean => status === 'connected';

interface CreatorProps {
  creator: UseQueryResult<CreatorOptions>;
  /** As the select shows it. */
  chosen: SocialAccount | undefined;
}

/** Whom the platform names, if the select does not show the same. A screen reader is told when it is known. */
function Creator({ creator, chosen }: CreatorProps) {
  const { name } = usePlatform();
  if (creator.isError) return <ProblemNote query={creator} />;
  const { data } = creator;
  if (!data || isSame(data, chosen))
    return (
      <div className="unseen" aria-live="polite">
        {data ? `Posting as ${data.nickname}` : `Loading this account’s options from ${name}`}
      </div>
    );
  return (
    <div className={classes.creator} aria-live="polite">
      <AccountAvatar account={{ ...data, display_name: data.nickname }} size={32} />
      <div>
        Posting as <strong dir="auto">{data.nickname}</strong>
        <br />
        <span className={classes.soft}>@{data.username}</span>
      </div>
    </div>
  );
}

const isSame = ({ nickname, username }: CreatorOptions, chosen: SocialAccount | undefined): boolean =>
  chosen !== undefined &&
  nickname === (chosen.display_name ?? chosen.username) &&
  username === chosen.username;

/** For the inbox: the creator who finishes the post there. */
const Receiver = ({ account }: { account: SocialAccount | undefined }) =>
  account && (
    <div className={classes.creator} aria-live="polite">
      <AccountAvatar account={account} size={32} />
      <div>
        Goes to the inbox of <strong dir="auto">{account.display_name ?? account.username}</strong>
        <br />
        <span className={classes.soft}>@{account.username}</span>
      </div>
    </div>
  );
