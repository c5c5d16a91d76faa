import { type CSSProperties, type PointerEvent, type ReactNode, useState } from 'react';
import classes from './Plot.module.css';
import type { Day } from './queries.js';
import type { Series } from './series.js';
import { depthOf, middleOf, namedDays } from './series.js';
import { dayLabel } from './summaries.js';

interface PlotProps {
  days: Day[];
  series: Series[];
  /** From 0 up. The last is the top of the chart. */
  lines: number[];
  /** A value in words, with its unit. */
  say: (value: number) => string;
  /** The same for the axis, if it differs. */
  sayLine?: ((value: number) => string) | undefined;
  /** Paths in percent of the chart's width and height. */
  children: ReactNode;
}

/**
 * Axes, grid, and the values under the pointer. Everything is placed in percent, so nothing is measured and nothing is drawn
 * again when the width changes. A series is one path, however many days there are.
 */
export function Plot({ days, series, lines, say, sayLine = say, children }: PlotProps) {
  const top = lines.at(-1) as number;
  return (
    <div className={classes.plot} data-chart>
      <div className={classes.values}>
        {lines.map((line) => (
          <span key={line}>{sayLine(line)}</span>
        ))}
      </div>
      <div className={classes.area} style={{ '--days': days.length } as CSSProperties}>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: hidden from screen readers with the whole drawing */}
        <svg viewBox="0 0 100 100" preserveAspectRatio="none">
          <path className={classes.grid} d={lines.map((line) => `M0 ${depthOf(line, top)}H100`).join('')} />
          {children}
        </svg>
        <DayUnderPointer days={days} series={series} say={say} />
      </div>
      <div className={classes.days}>
        {namedDays(days.length).map((day) => (
          <span key={day} style={{ left: `${middleOf(day, days.length)}%` }}>
            {dayLabel((days[day] as Day).date)}
          </span>
        ))}
      </div>
    </div>
  );
}

interface DayUnderPointerProps {
  days: Day[];
  series: Series[];
  say: (value: number) => string;
}

/** Marks the day under the pointer and lists its values. Zeros are left out. */
function DayUnderPointer({ days, series, say }: DayUnderPointerProps) {
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
