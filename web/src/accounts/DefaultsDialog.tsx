// What the dashboard fills in for posts of an account. Members can change it in each post.

import type { SocialAccount } from '@airdate/sdk/core';
import { Modal, Radio, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import { accountsQuery } from '../api/queries.js';
import { FormActions } from '../ui/FormActions.js';
import { GrowingTextarea } from '../ui/GrowingTextarea.js';
import { fieldError } from '../ui/Note.js';
import { allowsMode, defaultHashtagsOf, modeFor } from './defaults.js';
import '@mantine/core/styles/Radio.layer.css';
import '../ui/overlays.css';

interface Props {
  account: SocialAccount;
  opened: boolean;
  onClose: () => void;
}

export const DefaultsDialog = ({ account, opened, onClose }: Props) => (
  <Modal opened={opened} onClose={onClose} title={`Defaults for @${account.username}`}>
    <DefaultsForm account={account} onClose={onClose} />
  </Modal>
);

const MAX_CHARACTERS = 500;

function DefaultsForm({ account, onClose }: Omit<Props, 'opened'>) {
  const client = useQueryClient();
  const { inbox } = usePlatform();
  const [mode, setMode] = useState(() => modeFor(account, null));
  const [hashtags, setHashtags] = useState(defaultHashtagsOf(account));
  const save = useMutation({
    mutationFn: () =>
      api.data('PATCH', '/api/v1/social-accounts/{id}', {
        path: { id: account.id },
        body: { default_mode: mode, default_hashtags: hashtags.trim() || null },
      }),
    onSuccess: (saved) => {
      client.setQueryData(accountsQuery.queryKey, (all) =>
        all?.map((one) => (one.id === saved.id ? saved : one)),
      );
      void client.invalidateQueries({ queryKey: accountsQuery.queryKey, exact: true });
      notifications.show({ color: 'gray', message: `Defaults for @${account.username} saved.` });
      onClose();
    },
  });
  const excess = [...hashtags.trim()].length - MAX_CHARACTERS;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (excess <= 0) save.mutate();
  };
  const missing = 'This account hasn’t allowed it. Reconnect it and allow it.';
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Radio.Group
          label="Delivery"
          value={mode}
          onChange={(value) => setMode(value as typeof mode)}
          error={fieldError(save.error, 'default_mode', 'The delivery')}
        >
          <Stack gap={10} mt="xs">
            <Radio
              data-autofocus
              value="direct"
              label="Post directly"
              disabled={!allowsMode(account, 'direct')}
              description={allowsMode(account, 'direct') ? 'Goes straight to the profile.' : missing}
            />
            <Radio
              value="inbox"
              label="Send to inbox"
              disabled={!allowsMode(account, 'inbox')}
              description={allowsMode(account, 'inbox') ? `Sent to ${inbox}; finish it there.` : missing}
            />
          </Stack>
        </Radio.Group>
        <GrowingTextarea
          label="Hashtags"
          description="New posts for this account start with these."
          placeholder="#maps #outdoors"
          minRows={2}
          maxRows={6}
          value={hashtags}
          onChange={({ currentTarget }) => setHashtags(currentTarget.value)}
          error={
            excess > 0
              ? `${excess} over the ${MAX_CHARACTERS}-character limit.`
              : fieldError(save.error, 'default_hashtags', 'The hashtags')
          }
        />
        <Text size="xs" c="dimmed">
          You can change both in each post. Audience and interactions are always chosen when you publish.
        </Text>
        <FormActions act="Save" error={save.error} isPending={save.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
