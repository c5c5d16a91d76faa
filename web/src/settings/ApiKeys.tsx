import type { ApiKey } from '@airdate/sdk/core';
import { Anchor, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useMe } from '../api/permissions.js';
import { Cell, DataTable } from '../ui/DataTable.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { QuotaBar } from '../ui/QuotaBar.js';
import { Time } from '../ui/Time.js';
import { NewKeyDialog } from './NewKeyDialog.js';
import { keysQuery } from './queries.js';
import { RevokeKeyDialog } from './RevokeKeyDialog.js';
import { Section } from './Section.js';
import classes from './Settings.module.css';
import { inWords } from './scopes.js';

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
        <Button leftSection={<Plus size={16} aria-hidden />} onClick={dialog.open}>
          New API key
        </Button>
      }
    >
      <div className={classes.quota}>
        <QuotaBar name="keys" />
      </div>
      {keys.error && !keys.data ? (
        <ProblemNote error={keys.error} onRetry={() => void keys.refetch()} />
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
          <div className={classes.strong}>{apiKey.name}</div>
          <div className={classes.soft}>
            <span className={classes.mono}>{apiKey.prefix}…</span>
            {apiKey.created_by && ` · created by ${apiKey.created_by.name}`}
            {apiKey.id === key_id && ' · you’re using this one'}
          </div>
        </div>
      </td>
      <Cell of="Access">{inWords(apiKey.scopes)}</Cell>
      <Cell of="Created">
        <Time at={apiKey.created_at} />
      </Cell>
      <Cell of="Last used">{apiKey.last_used_at ? <Time at={apiKey.last_used_at} /> : 'Never'}</Cell>
      <Cell of="Expires">{apiKey.expires_at ? <Time at={apiKey.expires_at} /> : 'Never'}</Cell>
      <td>
        <Button variant="default" size="xs" h={32} onClick={onRevoke} aria-label={`Revoke ${apiKey.name}`}>
          Revoke…
        </Button>
      </td>
    </tr>
  );
}
