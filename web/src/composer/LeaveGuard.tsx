import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { messageOf } from '../api/client.js';
import { type Draft, useDraft } from './draft.js';
import '../ui/overlays.css';

/** The restored text is asked about again on the next visit. */
const isLosable = (draft: Draft): boolean => draft.hasUnsaved() && draft.view().saving !== 'unanswered';

/** Leaving saves unsaved text, and asks only when that fails. Uploads continue on every screen. */
export function LeaveGuard({ draft }: { draft: Draft }) {
  const blocker = useBlocker({
    shouldBlockFn: async () => isLosable(draft) && !(await draft.flush()),
    enableBeforeUnload: () => isLosable(draft),
    withResolver: true,
  });
  const { problem, mistakes } = useDraft(draft);
  const said = [...new Set(Object.values(mistakes))].join(' ');
  const reason = problem === undefined ? said : messageOf(problem);
  const isAsking = blocker.status === 'blocked';
  return (
    <Modal opened={isAsking} onClose={() => blocker.reset?.()} title="Some text isn’t saved">
      <Text size="sm">
        {reason} If you leave, your text stays in this browser and will be here when you come back.
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={() => blocker.proceed?.()}>
          Leave
        </Button>
        <Button data-autofocus onClick={() => blocker.reset?.()}>
          Stay
        </Button>
      </Group>
    </Modal>
  );
}
