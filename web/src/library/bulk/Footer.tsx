import { Button } from '@mantine/core';
import { useId } from 'react';
import classes from './Dialogs.module.css';

/** The end of a dialog of the batch bar. With a reason, the button cannot be pressed yet. */
export function Footer({
  act,
  reason = null,
  isPending,
  onAct,
  onClose,
}: {
  act: string;
  reason?: string | null;
  isPending: boolean;
  onAct: () => void;
  onClose: () => void;
}) {
  const id = useId();
  return (
    <div className={classes.footer}>
      <span className={classes.reason} id={id} role="status">
        {reason}
      </span>
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      <Button
        loading={isPending}
        aria-describedby={id}
        onClick={() => reason === null && onAct()}
        {...(reason === null ? {} : { 'data-disabled': true, 'aria-disabled': true })}
      >
        {act}
      </Button>
    </div>
  );
}
