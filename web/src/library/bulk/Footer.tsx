import { Button } from '@mantine/core';
import { useId } from 'react';
import type { Obstacle } from '../../publish/form.js';
import { ObstacleHint } from '../../publish/ObstacleHint.js';
import classes from './Dialogs.module.css';

/** The end of a dialog of the bulk bar. With an obstacle, the button cannot be pressed yet. */
export function Footer({
  act,
  obstacle = null,
  isPending,
  onAct,
  onClose,
}: {
  act: string;
  obstacle?: Obstacle | null;
  isPending: boolean;
  onAct: () => void;
  onClose: () => void;
}) {
  const id = useId();
  return (
    <div className={classes.footer}>
      <span className={classes.reason} id={id} role="status">
        {obstacle && <ObstacleHint {...obstacle} />}
      </span>
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      <Button
        loading={isPending}
        aria-describedby={id}
        onClick={() => obstacle === null && onAct()}
        {...(obstacle === null ? {} : { 'data-disabled': true, 'aria-disabled': true })}
      >
        {act}
      </Button>
    </div>
  );
}
