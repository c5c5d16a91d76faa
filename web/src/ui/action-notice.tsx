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

/** A notice whose button says so can be undone by its key, too. */
const UNDO = 'Undo';

let shown = 0;
/** What is on the screen, by what the notice is about. */
const latestOf = new Map<string, string>();

/** What the Undo buttons on the screen do, the latest last. */
const undos = new Map<string, () => void>();

/** Presses the latest Undo button that is on the screen, if there is one. */
export const undoLatest = (): void => [...undos.values()].at(-1)?.();

/** Says what was done, with one button for the next step. It takes the place of an earlier notice with the same id. */
export function showActionNotice({ id: about, title, text, color = 'gray', button }: Notice): void {
  // A shown id would be ignored, and the time of an updated notice would run on.
  const earlier = latestOf.get(about);
  if (earlier !== undefined) notifications.hide(earlier);
  const id = `${about}-${++shown}`;
  latestOf.set(about, id);
  const press = () => {
    undos.delete(id);
    notifications.hide(id);
    button?.onClick();
  };
  if (button?.label === UNDO) undos.set(id, press);
  notifications.show({
    id,
    onClose: () => {
      undos.delete(id);
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
          <Button variant="default" size="xs" h={32} flex="none" onClick={press}>
            {button.label}
          </Button>
        )}
      </Group>
    ),
  });
}

/** Takes the notice away: what it says is not so any more. */
export function hideActionNotice(about: string): void {
  const shown = latestOf.get(about);
  if (shown !== undefined) notifications.hide(shown);
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
