import type { SocialAccount } from '@airdate/sdk/core';
import { Group } from '@mantine/core';
import { useMay } from '../api/permissions.js';
import { Note } from '../ui/Note.js';
import { TechnicalDetails } from '../ui/TechnicalDetails.js';
import { ReconnectButton } from './ReconnectButton.js';

/** An account that cannot be used, with its one next step. With `hasOthers`, another one can be chosen instead. */
export function ReconnectNote({ account, hasOthers }: { account: SocialAccount; hasOthers: boolean }) {
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
        {mayManage && <ReconnectButton account={account} size="xs" h={36} />}
      </Group>
    </Note>
  );
}
