import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { messageOf } from '../api/client.js';

/** Long enough to change one's mind. */
const SHOWN_MS = 10_000;

interface Notice {
  id: string;
  title?: string;
  text: string;
  color?: 'gray' | 'green';
  /** Undoes what was done, or leads to it. */
  button?: { label: string; onClick: () => void } | undefined;
}

/** Says what was done, with one button for the next step. */
export function showActionNotice({ id, title, text, color = 'gray', button }: Notice): void {
  notifications.show({
    id,
    title,
    color,
    autoClose: SHOWN_MS,
    withCloseButton: true,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
        {button && (
          <Button
            variant="default"
            size="xs"
            h={32}
            flex="none"
            onClick={() => {
              notifications.hide(id);
              button.onClick();
            }}
          >
            {button.label}
          </Button>
        )}
      </Group>
    ),
  });
}

/** Says what could not be done, and why. With `isLasting`, until it is closed. */
export function showFailure(title: string | undefined, why: unknown, isLasting = false): void {
  notifications.show({
    color: 'red',
    title,
    message: typeof why === 'string' ? why : messageOf(why),
    ...(isLasting ? { autoClose: false } : {}),
  });
}
