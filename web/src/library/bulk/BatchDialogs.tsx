import { lazyDialog } from '../../ui/lazy.js';
import type { BatchDialogProps } from './useBatch.js';

const ALL = {
  schedule: lazyDialog(async () => (await import('./ScheduleDialog.js')).ScheduleDialog),
  move: lazyDialog(async () => (await import('./MoveDialog.js')).MoveDialog),
  labels: lazyDialog(async () => (await import('./LabelsDialog.js')).LabelsDialog),
  delete: lazyDialog(async () => (await import('./DeleteDialog.js')).DeleteDialog),
};

export type Asked = keyof typeof ALL;

/** The dialogs of the batch bar, which may be gone before they are. */
export const BatchDialogs = ({
  asked,
  ...props
}: Omit<BatchDialogProps, 'opened'> & { asked: Asked | null }) =>
  Object.entries(ALL).map(([name, Dialog]) => <Dialog key={name} opened={name === asked} {...props} />);
