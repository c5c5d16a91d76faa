import { CartesianGrid, Line, LineChart, Tooltip, XAxis, YAxis } from 'recharts';
import { ChartFrame } from './ChartFrame.js';
import { AXIS, PLOT } from './plot.js';
import type { Day } from './queries.js';
import type { Series } from './series.js';
import { Tip } from './Tip.js';
import { dayLabel } from './words.js';

interface LinesOverDaysProps {
  title: string;
  summary: string;
  days: Day[];
  series: Series[];
  /** A value in words, with its unit. */
  say: (value: number) => string;
  /** The table's text for a day without a value. */
  none?: string;
}

/** The course of values over days. */
export function LinesOverDays({ title, summary, days, series, say, none = '0' }: LinesOverDaysProps) {
  const data = days.map((day) => ({
    date: day.date,
    ...Object.fromEntries(series.map(({ key, of }) => [key, of(day)])),
  }));
  const isEmpty = days.every((day) => series.every(({ of }) => of(day) === null));
  const inWords = (value: number | null) => (value === null ? none : say(value));
  return (
    <ChartFrame
      title={title}
      summary={summary}
      isEmpty={isEmpty}
      legend={series}
      columns={['Day (UTC)', ...series.map(({ label }) => label)]}
      rows={days.map((day) => [dayLabel(day.date), ...series.map(({ of }) => inWords(of(day)))])}
    >
      <LineChart {...PLOT} data={data}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis {...AXIS} dataKey="date" tickFormatter={dayLabel} minTickGap={24} />
        <YAxis {...AXIS} width={52} tickFormatter={say} allowDecimals={false} />
        <Tooltip content={<Tip say={say} />} cursor={{ stroke: 'var(--line)' }} isAnimationActive={false} />
        {series.map(({ key, label, color }) => (
          <Line
            key={key}
            dataKey={key}
            name={label}
            stroke={color}
            strokeWidth={2}
            dot={days.length > 31 ? false : { r: 2, fill: color }}
            // A day without a value is not zero.
            connectNulls
            isAnimationActive={false}
          />
        ))}
      </LineChart>
    </ChartFrame>
  );
}
