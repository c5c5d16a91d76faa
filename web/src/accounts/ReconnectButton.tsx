import type { SocialAccount } from '@airdate/sdk/core';
import { Button, type ButtonProps } from '@mantine/core';
import { ProblemNote } from '../ui/ProblemNote.js';
import { useConnect } from './useConnect.js';

interface Props extends ButtonProps {
  account: Pick<SocialAccount, 'id' | 'username'>;
}

/** Goes to the consent page of the platform. */
export function ReconnectButton({ account, ...props }: Props) {
  const connect = useConnect();
  return (
    <>
      {connect.isError && <ProblemNote error={connect.error} />}
      <Button
        {...props}
        loading={connect.isPending || connect.isSuccess}
        onClick={() => connect.mutate(account.id)}
        aria-label={`Reconnect @${account.username}`}
      >
        Reconnect
      </Button>
    </>
  );
}
