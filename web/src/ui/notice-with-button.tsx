import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';

/** Long enough to change one's mind. */
const UNDO_MS = 10_000;

/** Says what was done, with a button beside it: to undo it, or to follow it. */
export function sayWithButton(id: string, text: string, act: string, onAct: () => void): void {
  notifications.show({
    id,
    color: 'gray',
    autoClose: UNDO_MS,
    withCloseButton: true,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
        <Button
          variant="default"
          size="xs"
          h={32}
          flex="none"
          onClick={() => {
            notifications.hide(id);
            onAct();
          }}
        >
          {act}
        </Button>
      </Group>
    ),
  });
}
