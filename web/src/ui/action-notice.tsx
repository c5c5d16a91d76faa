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

let shown = 0;
/** What is on the screen, by what the notice is about. */
const latestOf = new Map<string, string>();

/** Says what was done, with one button for the next step. It takes the place of an earlier notice with the same id. */
export function showActionNotice({ id: about, title, text, color = 'gray', button }: Notice): void {
  // A shown id would be ignored, and the time of an updated notice would run on.
  const earlier = latestOf.get(about);
  if (earlier !== undefined) notifications.hide(earlier);
  const id = `${about}-${++shown}`;
  latestOf.set(about, id);
  notifications.show({
    id,
    onClose: () => {
      if (latestOf.get(about) === id) latestOf.delete(about);
    },
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
