import classes from './StatusBadge.module.css';
import type { Status } from './status.js';

export function StatusBadge({ tone, label }: Status) {
  return (
    <span className={classes.badge} data-tone={tone}>
      <span className={classes.dot} aria-hidden />
      {label}
    </span>
  );
}
