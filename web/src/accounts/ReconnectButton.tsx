import type { SocialAccount } from '@airdate/sdk/core';
import { Button, type ButtonProps, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { useMay } from '../api/queries.js';
import { Note, ProblemNote, TechnicalDetails } from '../ui/Note.js';
import { returnTo } from './return-post.js';

interface Props extends ButtonProps {
  account: Pick<SocialAccount, 'id' | 'username'>;
  label?: 'Reconnect' | 'Connect again';
  /** The post that it is pressed for, which is offered afterwards. */
  postId?: string | undefined;
}

/** Goes to the consent page of the platform. */
export function ReconnectButton({ account, label = 'Reconnect', postId, ...props }: Props) {
  const connect = useConnect();
  const start = () => {
    if (postId !== undefined) returnTo(postId);
    connect.mutate(account.id);
  };
  return (
    <>
      {connect.isError && <ProblemNote error={connect.error} />}
      <Button
        {...props}
        loading={connect.isPending || connect.isSuccess}
        onClick={start}
        aria-label={`${label} @${account.username}`}
      >
        {label}
      </Button>
    </>
  );
}

/** Goes to the platform's consent page, which redirects to /accounts. With an id, that account is to be reconnected. */
export const useConnect = () =>
  useMutation({
    mutationFn: (accountId?: string) =>
      api.data('POST', '/api/v1/social-accounts/connect', {
        body: accountId === undefined ? {} : { social_account_id: accountId },
      }),
    onSuccess: ({ authorize_url }) => window.location.assign(authorize_url),
  });

/** An account that cannot be used, with its one next step. With `hasOthers`, another one can be chosen instead. */
export function ReconnectNote({
  account,
  hasOthers,
  postId,
}: {
  account: SocialAccount;
  hasOthers: boolean;
  postId?: string | undefined;
}) {
  const mayManage = useMay('accounts:manage');
  return (
    <Note tone="attention" role="alert">
      <Group justify="space-between" gap="sm">
        <div>
          <strong>@{account.username} is disconnected.</strong>{' '}
          {mayManage
            ? hasOthers && 'You can also choose another account.'
            : `Ask an owner or admin to reconnect it${hasOthers ? ', or choose another account' : ''}.`}
          {account.status_reason && <TechnicalDetails>{account.status_reason}</TechnicalDetails>}
        </div>
        {mayManage && <ReconnectButton account={account} postId={postId} size="xs" h={36} />}
      </Group>
    </Note>
  );
}
