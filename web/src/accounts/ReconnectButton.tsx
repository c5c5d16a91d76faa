import type { SocialAccount } from '@airdate/sdk/core';
import { Button, type ButtonProps } from '@mantine/core';
import { ProblemNote } from '../ui/ProblemNote.js';
import { useConnect } from './useConnect.js';

interface Props extends ButtonProps {
  account: Pick<SocialAccount, 'id' | 'username'>;
  label?: 'Reconnect' | 'Connect again';
}

/** Goes to the consent page of the platform. */
export function ReconnectButton({ account, label = 'Reconnect', ...props }: Props) {
  const connect = useConnect();
  return (
    <>
      {connect.isError && <ProblemNote error={connect.error} />}
      <Button
        {...props}
        loading={connect.isPending || connect.isSuccess}
        onClick={() => connect.mutate(account.id)}
        aria-label={`${label} @${account.username}`}
      >
        {label}
      </Button>
    </>
  );
}
