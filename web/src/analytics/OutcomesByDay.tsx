import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import { ChartFrame } from './ChartFrame.js';
import { AXIS, PLOT } from './plot.js';
import type { Timeline } from './queries.js';
import { OUTCOMES } from './series.js';
import { Tip } from './Tip.js';
import { attemptsInWords, dayLabel, sum } from './words.js';

/** The outcomes of the attempts that started on each day. */
export function OutcomesByDay({ timeline }: { timeline: Timeline }) {
  const { days } = timeline;
  const data = days.map((day) => ({
    date: day.date,
    ...Object.fromEntries(OUTCOMES.map(({ key, of }) => [key, of(day)])),
  }));
  return (
    <ChartFrame
      title="Outcomes by day"
      summary={attemptsInWords(timeline)}
      legend={OUTCOMES.map(({ label, color, of }) => ({ label, color, total: sum(days, of) }))}
      columns={['Day (UTC)', ...OUTCOMES.map(({ label }) => label)]}
      rows={days.map((day) => [
        dayLabel(day.date),
        ...OUTCOMES.map(({ of }) => of(day).toLocaleString('en')),
      ])}
    >
      <BarChart {...PLOT} data={data} barCategoryGap="22%">
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis {...AXIS} dataKey="date" tickFormatter={dayLabel} minTickGap={24} />
        <YAxis {...AXIS} width={32} allowDecimals={false} />
        <Tooltip content={<Tip />} cursor={{ fill: 'var(--sunken)' }} isAnimationActive={false} />
        {OUTCOMES.map(({ key, label, color }) => (
          <Bar
            key={key}
            dataKey={key}
            name={label}
            fill={color}
            stackId="all"
            maxBarSize={28}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ChartFrame>
  );
}
