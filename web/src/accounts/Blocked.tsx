// The platform refuses posts of the account, or of the app: until when, why, and a button for people who know better.
import type { SocialAccount } from '@airdate/sdk/core';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import { accountsQuery } from '../api/queries.js';
import { named } from '../text/api-text.js';
import { withoutCode } from '../text/reason.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { Time } from '../ui/Time.js';
import classes from './Accounts.module.css';

interface Props {
  account: SocialAccount;
  mayManage: boolean;
  now: number;
}

export function Blocked({ account, mayManage, now }: Props) {
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
