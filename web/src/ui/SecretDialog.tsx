import { Button, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import './overlays.css';

interface Props<Made> extends Pick<ModalProps, 'size'> {
  isOpen: boolean;
  onClose: () => void;
  /** When it is no longer seen. */
  onGone?: () => void;
  /** Before there is a secret. */
  title: string;
  form: ReactNode;
  /** "key" or "secret". */
  noun: string;
  /** What makes the secret. It is forgotten when the dialog has gone. */
  making: { data: Made | undefined; reset: () => void };
  /** Shows it. */
  children: (made: Made) => ReactNode;
}

/** First a form, then what it made, which is shown once. */
export function SecretDialog<Made>(props: Props<Made>) {
  const { isOpen, onClose, onGone, title, form, noun, making, children, ...modal } = props;
  const { data } = making;
  return (
    <Modal
      {...modal}
      opened={isOpen}
      onClose={onClose}
      title={data === undefined ? title : `Copy the ${noun} now`}
      // A stray click must not lose a secret that is shown only once.
      closeOnClickOutside={data === undefined}
      closeOnEscape={data === undefined}
      onExitTransitionEnd={() => {
        making.reset();
        onGone?.();
      }}
    >
      {data === undefined ? (
        form
      ) : (
        <Stack gap="md">
          {children(data)}
          <Group justify="flex-end">
            <Button onClick={onClose}>I’ve copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
