import type { Post } from '@airdate/sdk/core';
import { Modal } from '@mantine/core';
import type { When } from './form.js';
import '../ui/overlays.css';

interface Props {
  when: When;
  /** As it was when the sheet opened: the title stays while it closes. */
  status: Post['status'] | undefined;
}

/** Says what the button of the sheet will do. */
export const SheetHeader = ({ when, status }: Props) => (
  <Modal.Header>
    <Modal.Title>
      {when === 'now' ? 'Publish now' : status === 'scheduled' ? 'Reschedule' : 'Schedule'}
    </Modal.Title>
    <Modal.CloseButton aria-label="Close dialog" />
  </Modal.Header>
);
