import type { Status } from '../text/status.js';
import classes from './StatusBadge.module.css';

export function StatusBadge({ tone, label }: Status) {
  return (
    <span className={classes.badge} data-tone={tone}>
      <span className={classes.dot} aria-hidden />
      {label}
    </span>
  );
}
