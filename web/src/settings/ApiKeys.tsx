import type { ApiKey } from '@airdate/sdk/core';
import { Anchor, Button, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.js';
import { useMe } from '../api/queries.js';
import { queryKeys } from '../api/query-keys.js';
import { roleLabel } from '../text/roles.js';
import { Cell, DataTable } from '../ui/DataTable.js';
import { ConfirmDialog } from '../ui/lazy.js';
import { ProblemNote } from '../ui/Note.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { Time } from '../ui/Time.js';
import { EndingGroup, times } from './EndingGroup.js';
import { NewKeyDialog } from './NewKeyDialog.js';
import { type KeyDetails, keyQuery, keysQuery } from './queries.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';
import { scopesText } from './scopes.js';

const COLUMNS = ['Name', 'Access', 'Created', 'Last used', 'Expires', '-Actions'];

export function ApiKeys() {
  const keys = useQuery(keysQuery);
  const [isOpen, dialog] = useDisclosure(false);
  const [leaving, setLeaving] = useState<ApiKey | null>(null);
  return (
    <Section
      title="API keys"
      about={
        <>
          For apps that create and publish posts. You see a key once. It works until it expires or you revoke
          it. See the{' '}
          <Anchor inherit href="/docs" underline="always">
            API documentation
          </Anchor>
          .
        </>
      }
      action={
        <Button leftSection={<Plus size={16} />} onClick={dialog.open}>
          New API key
        </Button>
      }
    >
      <div className={classes.quota}>
        <QuotaBar name="keys" />
      </div>
      {keys.error && !keys.data ? (
        <ProblemNote query={keys} />
      ) : (
        <DataTable
          label="API keys"
          columns={COLUMNS}
          rows={keys.data}
          none="No active API keys. Create one to use the API."
        >
          {(key) => <KeyRow key={key.id} apiKey={key} onRevoke={() => setLeaving(key)} />}
        </DataTable>
      )}
      <NewKeyDialog isOpen={isOpen} onClose={dialog.close} />
      <RevokeKeyDialog apiKey={leaving} onClose={() => setLeaving(null)} />
    </Section>
  );
}

function KeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }) {
  const { key_id } = useMe();
  return (
    <tr>
      <td>
        <div>
          <div className={classes.strong} dir="auto">
            {apiKey.name}
          </div>
          <div className={classes.soft}>
            <span className={classes.mono}>{apiKey.prefix}…</span>
            {apiKey.created_by && (
              <>
                {' '}
                · created by <bdi>{apiKey.created_by.name}</bdi>
              </>
            )}
            {apiKey.networks && ` · works from ${apiKey.networks.join(', ')}`}
            {apiKey.id === key_id && ' · you’re using this one'}
          </div>
        </div>
      </td>
      <Cell of="Access">{scopesText(apiKey.scopes)}</Cell>
      <Cell of="Created">
        <Time at={apiKey.created_at} />
      </Cell>
      <Cell of="Last used">
        {apiKey.last_used_at ? <Time at={apiKey.last_used_at} /> : 'Never'}
        {apiKey.last_used_network && <div className={classes.soft}>from {apiKey.last_used_network}</div>}
      </Cell>
      <Cell of="Expires">{apiKey.expires_at ? <Time at={apiKey.expires_at} /> : 'Never'}</Cell>
      <td>
        <Button variant="default" size="xs" h={32} onClick={onRevoke} aria-label={`Revoke ${apiKey.name}`}>
          Revoke…
        </Button>
      </td>
    </tr>
  );
}

/** Shows what ends with the key before it is revoked. */
function RevokeKeyDialog({ apiKey, onClose }: { apiKey: ApiKey | null; onClose: () => void }) {
  const client = useQueryClient();
  const details = useQuery({ ...keyQuery(apiKey?.id ?? ''), enabled: apiKey !== null });
  const revoke = async () => {
    if (!apiKey) return;
    await api.request('DELETE', '/api/v1/keys/{id}', { path: { id: apiKey.id } });
    client.setQueryData(keysQuery.queryKey, (all) => all?.filter(({ id }) => id !== apiKey.id));
    // Not the details of this key, which is gone.
    void client.invalidateQueries({ queryKey: keysQuery.queryKey, exact: true });
    for (const queryKey of [queryKeys.quotas, queryKeys.invitations, queryKeys.webhooks])
      void client.invalidateQueries({ queryKey });
  };
  return (
    <ConfirmDialog
      opened={apiKey !== null}
      onClose={onClose}
      title={`Revoke “${apiKey?.name ?? ''}”?`}
      act="Revoke key"
      onConfirm={revoke}
      isLoading={details.isLoading}
    >
      <p className={classes.paragraph}>
        Apps that use the key {apiKey?.prefix}… lose access immediately. You can’t undo this, but you can
        create a new key any time.
      </p>
      {details.data && <RevocationEffects details={details.data} />}
      {details.isPending && <Skeleton height={40} mt="sm" />}
      {details.isError && <ProblemNote query={details} />}
    </ConfirmDialog>
  );
}

/** What ends with the key. */
function RevocationEffects({ details }: { details: KeyDetails }) {
  const { keys, descendant_keys, invitations, invitations_ending_with_it, webhooks } = details;
  return (
    <>
      <EndingGroup
        title={`Revokes ${times(descendant_keys, 'API key')} created with it`}
        names={keys.map(({ id, name, prefix }) => [id, `${name} (${prefix}…)`])}
        total={descendant_keys}
      />
      <EndingGroup
        title={`Withdraws ${times(invitations_ending_with_it, 'invitation')} created with it`}
        names={invitations.map(({ id, email, role }) => [
          id,
          `${email ?? 'Anyone with the link'}, as ${roleLabel(role).toLowerCase()}`,
        ])}
        total={invitations_ending_with_it}
      />
      <EndingGroup
        title={`Disables ${times(webhooks.length, 'webhook')} set up with it`}
        names={webhooks.map(({ id, url, description }) => [id, description ? `${description}: ${url}` : url])}
        total={webhooks.length}
      />
    </>
  );
}
