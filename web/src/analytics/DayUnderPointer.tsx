import { type PointerEvent, useState } from 'react';
import classes from './Plot.module.css';
import type { Day } from './queries.js';
import { middleOf } from './scale.js';
import type { Series } from './series.js';
import { dayLabel } from './summaries.js';

interface DayUnderPointerProps {
  days: Day[];
  series: Series[];
  say: (value: number) => string;
}

/** Marks the day under the pointer and lists its values. Zeros are left out. */
export function DayUnderPointer({ days, series, say }: DayUnderPointerProps) {
  const [at, setAt] = useState<number>();
  const follow = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const day = Math.floor(((clientX - left) / width) * days.length);
    setAt(Math.min(Math.max(day, 0), days.length - 1));
  };
  const day = at === undefined ? undefined : days[at];
  return (
    <div
      className={classes.pointer}
      onPointerDown={follow}
      onPointerMove={follow}
      onPointerLeave={() => setAt(undefined)}
    >
      {day && at !== undefined && (
        <div
          className={classes.day}
          style={{ left: `${middleOf(at, days.length)}%` }}
          data-side={at < days.length / 2 ? 'right' : 'left'}
        >
          <div className={classes.tip}>
            <strong>{dayLabel(day.date)}</strong>
            <Values day={day} series={series} say={say} />
          </div>
        </div>
      )}
    </div>
  );
}

function Values({ day, series, say }: { day: Day } & Omit<DayUnderPointerProps, 'days'>) {
  const shown = series.flatMap(({ label, color, of }) => {
    const value = of(day);
    return value ? [{ label, color, value }] : [];
  });
  if (shown.length === 0) return <div>Nothing</div>;
  return shown.map(({ label, color, value }) => (
    <div key={label} className={classes.tipRow}>
      <span className={classes.swatch} style={{ background: color }} />
      {label}
      <span className="figures">{say(value)}</span>
    </div>
  ));
}
