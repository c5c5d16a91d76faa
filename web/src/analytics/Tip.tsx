import type { TooltipContentProps } from 'recharts';
import classes from './Analytics.module.css';
import { dayLabel } from './words.js';

/** The values under the pointer. Zeros are left out. */
export function Tip({
  active,
  label,
  payload,
  say = String,
}: Partial<TooltipContentProps<number, string>> & { say?: (value: number) => string }) {
  const shown = (payload ?? []).filter(({ value }) => value !== 0 && value !== undefined && value !== null);
  if (!active) return null;
  return (
    <div className={classes.tip}>
      <strong>{dayLabel(String(label))}</strong>
      {shown.map(({ name, value, color }) => (
        <div key={name} className={classes.tipRow}>
          <span className={classes.swatch} style={{ background: color }} />
          {name}
          <span className="figures">{say(Number(value))}</span>
        </div>
      ))}
      {shown.length === 0 && <div>Nothing</div>}
    </div>
  );
}
