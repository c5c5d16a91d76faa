import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyField } from '../ui/CopyField.js';

interface NewKeyProps {
  created: { name: string; key: string };
  onDone: () => void;
}

/** The key, shown once, and a command to try it. */
export function NewKey({ created, onDone }: NewKeyProps) {
  const curl = `curl -H "Authorization: Bearer ${created.key}" ${window.location.origin}/api/v1/me`;
  return (
    <Stack gap="md">
      <Text size="sm">
        You won’t see “{created.name}” again: Airdate doesn’t keep a copy. Store it somewhere safe.
      </Text>
      <CopyField label="Key" value={created.key} act="Copy key" isFirst />
      <CopyField label="Try it" value={curl} act="Copy command" />
      <Group justify="flex-end">
        <Button onClick={onDone}>I’ve copied it</Button>
      </Group>
    </Stack>
  );
}
