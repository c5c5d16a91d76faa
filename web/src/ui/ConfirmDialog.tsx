import type { Confirmation } from './ConfirmModal.js';
import { lazyDialog } from './lazy.js';

const Opened = lazyDialog(async () => (await import('./ConfirmModal.js')).ConfirmModal);

type Props = Omit<Confirmation, 'opened'> & { isOpen: boolean };

/** Asks before an action that cannot be undone. */
export const ConfirmDialog = ({ isOpen, ...props }: Props) => <Opened {...props} opened={isOpen} />;
