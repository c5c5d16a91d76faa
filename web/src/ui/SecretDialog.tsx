import { Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import './overlays.css';

interface SecretDialogProps extends Pick<ModalProps, 'size'> {
  isOpen: boolean;
  onClose: () => void;
  /** Before there is a secret. */
  title: string;
  form: ReactNode;
  /** "key" or "secret". */
  noun: string;
  /** Null until the server has made one. */
  secret: ReactNode;
  /** The dialog has gone, and with it the secret. */
  onForget: () => void;
}

/** First a form, then what it made, which is shown once. */
export const SecretDialog = ({
  isOpen,
  onClose,
  title,
  form,
  noun,
  secret,
  onForget,
  ...modal
}: SecretDialogProps) => (
  <Modal
    {...modal}
    opened={isOpen}
    onClose={onClose}
    title={secret === null ? title : `Copy the ${noun} now`}
    // A stray click must not lose a secret that is shown only once.
    closeOnClickOutside={secret === null}
    closeOnEscape={secret === null}
    onExitTransitionEnd={onForget}
  >
    {secret ?? form}
  </Modal>
);
