import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, api } from '../api/client.js';
import { quotasQuery, refreshQueries, type Scope, useMe } from '../api/queries.js';
import { FormActions } from '../ui/FormActions.js';
import { fieldError } from '../ui/Note.js';
import { SecretDialog } from '../ui/SecretDialog.js';
import { keysQuery } from './queries.js';
import { PRESETS, SCOPES } from './scopes.js';
import '../ui/overlays.css';
import { CopyField } from '../ui/CopyField.js';

const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'never', label: 'Never' },
];

const DAY_MS = 86_400_000;

interface NewKey {
  name: string;
  scopes: Scope[];
  expires_at: string | null;
  networks: string[] | null;
}

/** First the choice, then the key itself, once. */
export function NewKeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: NewKey) => api.data('POST', '/api/v1/keys', { body }),
    onSuccess: () => refreshQueries(client, keysQuery, quotasQuery),
  });
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={onClose}
      title="New API key"
      size="lg"
      noun="key"
      making={create}
      form={
        <KeyForm
          error={create.error}
          isPending={create.isPending}
          onCancel={onClose}
          onCreate={create.mutate}
        />
      }
    >
      {({ name, key }) => (
        <>
          <Text size="sm">
            You won’t see “{name}” again: Airdate doesn’t keep a copy. Store it somewhere safe.
          </Text>
          <CopyField label="Key" value={key} act="Copy key" isFirst />
          <CopyField label="Try it" value={commandWith(key)} act="Copy command" />
        </>
      )}
    </SecretDialog>
  );
}

const commandWith = (key: string) =>
  `curl -H "Authorization: Bearer ${key}" ${window.location.origin}/api/v1/me`;

interface KeyFormProps {
  error: unknown;
  isPending: boolean;
  onCancel: () => void;
  onCreate: (body: NewKey) => void;
}

function KeyForm({ error, isPending, onCancel, onCreate }: KeyFormProps) {
  const { scopes: own } = useMe();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['posts:read', 'posts:write', 'posts:publish']);
  const [expiry, setExpiry] = useState<string>('90');
  const [networks, setNetworks] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCreate({
      name: name.trim(),
      scopes: SCOPES.map(({ scope }) => scope).filter((scope) => scopes.includes(scope)),
      expires_at: expiry === 'never' ? null : daysFromNow(Number(expiry)),
      networks: networks.trim() === '' ? null : networks.trim().split(/[\s,;]+/),
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Which app will use it"
          placeholder="Nightly import"
          required
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(error, 'name', 'The name')}
        />
        <Checkbox.Group
          label="Permissions"
          description="A key can never do more than you can."
          value={scopes}
          onChange={setScopes}
          error={fieldError(error, 'scopes', 'The list')}
        >
          <Group gap="xs" my="xs">
            {PRESETS.map((preset) => (
              <Button
                key={preset.label}
                variant="default"
                size="xs"
                h={32}
                onClick={() => setScopes(preset.scopes.filter((scope) => own.includes(scope)))}
              >
                {preset.label}
              </Button>
            ))}
          </Group>
          <Stack gap={10}>
            {SCOPES.map(({ scope, label, may }) => (
              <Checkbox
                key={scope}
                value={scope}
                label={label}
                description={
                  own.includes(scope) ? `${may} (${scope})` : `You don’t have this permission (${scope})`
                }
                disabled={!own.includes(scope)}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <Select
          label="Expires"
          data={EXPIRIES}
          value={expiry}
          onChange={(chosen) => setExpiry(chosen ?? 'never')}
          allowDeselect={false}
          error={fieldError(error, 'expires_at', 'The expiry')}
        />
        <TextInput
          label="Works from"
          description="IP addresses or networks of the app. Empty: from everywhere."
          placeholder="203.0.113.0/24, 198.51.100.7"
          value={networks}
          onChange={(event) => setNetworks(event.currentTarget.value)}
          error={networkError(error)}
        />
        <FormActions
          act="Create key"
          error={error}
          isPending={isPending}
          disabled={name.trim() === '' || scopes.length === 0}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}

/** One of several entries is wrong. */
function networkError(error: unknown): string | undefined {
  const wrong =
    error instanceof ApiError && error.errors.find(({ pointer }) => pointer.startsWith('/networks/'));
  return wrong ? `Entry ${Number(wrong.pointer.split('/')[2]) + 1} ${wrong.message}.` : undefined;
}

const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
