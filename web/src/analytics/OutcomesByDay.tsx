import { ChartFrame } from './ChartFrame.js';
import { Plot } from './Plot.js';
import classes from './Plot.module.css';
import type { Day, Timeline } from './queries.js';
import { depthOf, gridLines, middleOf } from './scale.js';
import { OUTCOMES } from './series.js';
import { attemptsInWords, dayLabel, number, sum } from './summaries.js';

/** The outcomes of the attempts that started on each day. */
export function OutcomesByDay({ timeline }: { timeline: Timeline }) {
  const { days } = timeline;
  const lines = gridLines(Math.max(...days.map((day) => upTo(OUTCOMES.length, day))));
  return (
    <ChartFrame
      title="Outcomes by day"
      summary={attemptsInWords(timeline)}
      legend={legendOf(days)}
      columns={['Day (UTC)', ...OUTCOMES.map(({ label }) => label)]}
      rows={() => days.map((day) => [dayLabel(day.date), ...OUTCOMES.map(({ of }) => number(of(day)))])}
    >
      <Plot days={days} series={OUTCOMES} lines={lines} say={number}>
        {OUTCOMES.map(({ key, color }, n) => (
          <path key={key} className={classes.bars} stroke={color} d={bars(days, n, lines.at(-1) as number)} />
        ))}
      </Plot>
    </ChartFrame>
  );
}

/** Outcomes that never came are left out, but for the two that everyone looks for. */
const legendOf = (days: Day[]) =>
  OUTCOMES.map(({ key, label, color, of }) => ({ key, label, color, total: sum(days, of) })).filter(
    ({ key, total }) => total > 0 || key === 'published' || key === 'failed',
  );

/** The height of the first outcomes of a day, stacked. */
const upTo = (outcomes: number, day: Day): number =>
  OUTCOMES.slice(0, outcomes).reduce((height, { of }) => height + of(day), 0);

/** The bars of one outcome, each above those of the outcomes before it. */
const bars = (days: Day[], outcome: number, top: number): string =>
  days
    .map((day, n) => {
      const [from, to] = [upTo(outcome, day), upTo(outcome + 1, day)];
      return to > from ? `M${middleOf(n, days.length)} ${depthOf(from, top)}V${depthOf(to, top)}` : '';
    })
    .join('');
