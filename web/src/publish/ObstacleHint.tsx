import { UnstyledButton } from '@mantine/core';
import { goToField } from './fields.js';
import type { Obstacle } from './form.js';
import classes from './PublishDialog.module.css';

/** Why the button cannot be pressed yet. It leads to the field that it speaks of. */
export function ObstacleHint({ reason, field }: Obstacle) {
  if (field === undefined) return reason;
  return (
    <UnstyledButton className={classes.obstacleHint ?? ''} onClick={() => goToField(field)}>
      {reason}
    </UnstyledButton>
  );
}
