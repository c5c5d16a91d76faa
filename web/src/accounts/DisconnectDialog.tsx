import type { SocialAccount } from '@airdate/sdk/core';
import { Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import { accountsQuery, quotasQuery, refreshPosts, refreshQueries } from '../api/queries.js';
import { queryKeys } from '../api/query-keys.js';
import { ConfirmDialog } from '../ui/lazy.js';
import { TextLink } from '../ui/links.js';

interface DisconnectDialogProps {
  account: SocialAccount;
  isOpen: boolean;
  onClose: () => void;
}

export function DisconnectDialog({ account, isOpen, onClose }: DisconnectDialogProps) {
  const client = useQueryClient();
  const { on } = usePlatform();
  const scheduled = useQuery({
    // Not from a list of posts: those are fetched again afterwards, when the account no longer exists.
    queryKey: queryKeys.scheduledPosts(account.id),
    queryFn: () => api.request('GET', '/api/v1/posts', { query: scheduledOf(account) }),
    enabled: isOpen,
  });
  const disconnect = async () => {
    await api.request('DELETE', '/api/v1/social-accounts/{id}', { path: { id: account.id } });
    client.setQueryData(accountsQuery.queryKey, (all) => all?.filter(({ id }) => id !== account.id));
    void client.invalidateQueries({ queryKey: accountsQuery.queryKey, exact: true });
    void refreshQueries(client, quotasQuery);
    void refreshPosts(client);
  };
  const count = scheduled.data?.pagination.total;
  return (
    <ConfirmDialog
      opened={isOpen}
      onClose={onClose}
      title={`Disconnect @${account.username}?`}
      act="Disconnect"
      onConfirm={disconnect}
    >
      <Stack gap="xs">
        <Text size="sm">
          Airdate will lose access to <bdi>{account.display_name ?? account.username}</bdi>. Published posts
          stay {on}.
        </Text>
        <Text size="sm" role="status">
          {count === undefined && 'Counting scheduled posts…'}
          {count === 0 && 'No scheduled posts use this account.'}
          {count !== undefined && count > 0 && (
            <>
              <strong>{count === 1 ? '1 scheduled post' : `${count} scheduled posts`}</strong> won’t go out.{' '}
              {count === 1 ? 'It waits' : 'They wait'} until you reconnect the account, and{' '}
              {count === 1 ? 'goes' : 'go'} back to draft if that’s too late.{' '}
              <TextLink to="/library" search={{ status: 'scheduled', account: account.id }}>
                See {count === 1 ? 'it' : 'them'}
              </TextLink>
            </>
          )}
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}

const scheduledOf = ({ id }: SocialAccount) => ({
  social_account_id: id,
  status: 'scheduled' as const,
  per_page: 1,
});
