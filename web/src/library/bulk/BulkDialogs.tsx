import { lazyDialog } from '../../ui/lazy.js';
import type { BulkDialogProps } from './useBulkActions.js';

const ALL = {
  schedule: lazyDialog(async () => (await import('./ScheduleDialog.js')).ScheduleDialog),
  move: lazyDialog(async () => (await import('./MoveDialog.js')).MoveDialog),
  labels: lazyDialog(async () => (await import('./LabelsDialog.js')).LabelsDialog),
  delete: lazyDialog(async () => (await import('./DeleteDialog.js')).DeleteDialog),
};

export type BulkDialogName = keyof typeof ALL;

/** The dialogs of the bulk bar, which may be gone before they are. */
export const BulkDialogs = ({
  name,
  ...props
}: Omit<BulkDialogProps, 'opened'> & { name: BulkDialogName | null }) =>
  Object.entries(ALL).map(([each, Dialog]) => <Dialog key={each} opened={each === name} {...props} />);
