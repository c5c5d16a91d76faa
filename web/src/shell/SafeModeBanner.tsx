// After a restored backup nothing is published until the operator releases it: a banner says so on every screen.
import { useMe } from '../api/permissions.js';
import classes from './Shell.module.css';

export function SafeModeBanner() {
  const { safe_mode, safe_mode_reason } = useMe();
  if (!safe_mode) return null;
  return (
    <aside className={classes.banner} data-tone="attention" role="status" aria-label="Safe mode">
      <strong>Safe mode: nothing is published until your Airdate administrator ends it.</strong>{' '}
      {safe_mode_reason} You can keep writing.
    </aside>
  );
}
