import { UnstyledButton } from '@mantine/core';
import { goToField } from './fields.js';
import type { Obstacle } from './form.js';
import classes from './PublishDialog.module.css';

/** Why the button cannot be pressed yet. It leads to the field that it speaks of. */
export function WhyNot({ reason, field }: Obstacle) {
  if (field === undefined) return reason;
  return (
    <UnstyledButton className={classes.whyNot ?? ''} onClick={() => goToField(field)}>
      {reason}
    </UnstyledButton>
  );
}
