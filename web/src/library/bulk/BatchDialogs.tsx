import { dialogLater } from '../../ui/lazy.js';
import type { BatchDialogProps } from './useBatch.js';

const ALL = {
  schedule: dialogLater(async () => (await import('./ScheduleDialog.js')).ScheduleDialog),
  move: dialogLater(async () => (await import('./MoveDialog.js')).MoveDialog),
  labels: dialogLater(async () => (await import('./LabelsDialog.js')).LabelsDialog),
  delete: dialogLater(async () => (await import('./DeleteDialog.js')).DeleteDialog),
};

export type Asked = keyof typeof ALL;

/** The dialogs of the batch bar, which may be gone before they are. */
export const BatchDialogs = ({
  asked,
  ...props
}: Omit<BatchDialogProps, 'opened'> & { asked: Asked | null }) =>
  Object.entries(ALL).map(([name, Dialog]) => <Dialog key={name} opened={name === asked} {...props} />);
