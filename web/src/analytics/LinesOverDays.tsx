import { Fragment } from 'react';
import { ChartFrame } from './ChartFrame.js';
import { Plot } from './Plot.js';
import classes from './Plot.module.css';
import type { Day } from './queries.js';
import { depthOf, gridLines, middleOf } from './scale.js';
import type { Series } from './series.js';
import { dayLabel } from './summaries.js';

/** With more days than these the dots would touch each other. */
const MAX_DOTS = 31;

interface LinesOverDaysProps {
  title: string;
  summary: string;
  days: Day[];
  series: Series[];
  /** A value in words, with its unit. */
  say: (value: number) => string;
  /** The axis, with one unit for all of it; as the values if absent. */
  sayUpTo?: (top: number) => (value: number) => string;
  /** The table's text for a day without a value. */
  none?: string;
}

/** The course of values over days. */
export function LinesOverDays({
  title,
  summary,
  days,
  series,
  say,
  sayUpTo,
  none = '0',
}: LinesOverDaysProps) {
  const lines = gridLines(Math.max(...days.flatMap((day) => series.map(({ of }) => of(day) ?? 0))));
  const isEmpty = days.every((day) => series.every(({ of }) => of(day) === null));
  const inWords = (value: number | null) => (value === null ? none : say(value));
  return (
    <ChartFrame
      title={title}
      summary={summary}
      isEmpty={isEmpty}
      legend={series}
      columns={['Day (UTC)', ...series.map(({ label }) => label)]}
      rows={() => days.map((day) => [dayLabel(day.date), ...series.map(({ of }) => inWords(of(day)))])}
    >
      <Plot days={days} series={series} lines={lines} say={say} sayLine={sayUpTo?.(lines.at(-1) as number)}>
        {series.map(({ key, color, of }) => {
          const points = pointsOf(days, of, lines.at(-1) as number);
          return (
            <Fragment key={key}>
              <path className={classes.line} stroke={color} d={`M${points.join('L')}`} />
              {days.length <= MAX_DOTS && (
                <path className={classes.dots} stroke={color} d={points.map((at) => `M${at}h0`).join('')} />
              )}
            </Fragment>
          );
        })}
      </Plot>
    </ChartFrame>
  );
}

/** A day without a value is not zero: the line goes on to the next value. */
const pointsOf = (days: Day[], of: Series['of'], top: number): string[] =>
  days.flatMap((day, n) => {
    const value = of(day);
    return value === null ? [] : [`${middleOf(n, days.length)} ${depthOf(value, top)}`];
  });
