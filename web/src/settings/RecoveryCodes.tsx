import { Button, Group, Stack, Text } from '@mantine/core';
import { CopyField } from '../ui/CopyField.js';

/** Shown once: only their hashes are stored. */
export const RecoveryCodes = ({ codes, onDone }: { codes: string[]; onDone: () => void }) => (
  <Stack gap="md">
    <Text size="sm">
      Each of these signs you in once when you don’t have your phone. Store them where you can reach them
      without it. You won’t see them again.
    </Text>
    <CopyField label="Recovery codes" value={codes.join('\n')} act="Copy recovery codes" isFirst />
    <Group justify="flex-end">
      <Button onClick={onDone}>I’ve stored them</Button>
    </Group>
  </Stack>
);
