import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyField } from '../../ui/CopyField.js';

interface NewSecretProps {
  secret: string;
  children?: ReactNode;
  onDone: () => void;
}

/** The secret, shown once. */
export const NewSecret = ({ secret, children, onDone }: NewSecretProps) => (
  <Stack gap="md">
    <Text size="sm">
      Your app verifies with this secret that a request comes from Airdate: give it to any library for
      Standard Webhooks. You won’t see it again. {children}
    </Text>
    <CopyField label="Secret" value={secret} act="Copy secret" isFirst />
    <Group justify="flex-end">
      <Button onClick={onDone}>I’ve copied it</Button>
    </Group>
  </Stack>
);
