import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemNote } from './Note.js';
import './overlays.css';

export interface Confirmation {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What will happen, naming the thing. */
  children: ReactNode;
  /** The act, as a verb and its object: "Revoke key". */
  act: string;
  onConfirm: () => Promise<unknown>;
  /** What will happen is not shown yet. */
  isLoading?: boolean;
}

/** It stays open, with the reason, when the action fails. */
export function ConfirmModal({
  opened,
  onClose,
  title,
  children,
  act,
  onConfirm,
  isLoading = false,
}: Confirmation) {
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  return (
    <Modal opened={opened} onClose={onClose} title={title} onExitTransitionEnd={() => confirm.reset()}>
      <Stack gap="md">
        <Text size="sm" component="div">
          {children}
        </Text>
        {confirm.isError && <ProblemNote error={confirm.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button
            color="red.9"
            disabled={isLoading}
            loading={confirm.isPending}
            onClick={() => confirm.mutate()}
          >
            {act}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
