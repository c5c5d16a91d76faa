import type { AnalyticsSummary } from '@airdate/sdk/core';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { nextUpQuery } from '../api/queries.js';
import { count, number } from '../text/numbers.js';
import { Time } from '../ui/Time.js';
import classes from './Analytics.module.css';
import type { Timeline } from './queries.js';
import { sum } from './summaries.js';

interface FiguresProps {
  summary: AnalyticsSummary | undefined;
  timeline: Timeline | undefined;
  days: number;
}

/** The four key figures. */
export function Figures({ summary, timeline, days }: FiguresProps) {
  if (!summary)
    return (
      <div className={classes.figures}>
        {[1, 2, 3, 4].map((n) => (
          <Skeleton key={n} height={128} />
        ))}
      </div>
    );
  const all = timeline?.days ?? [];
  const within = `in the last ${days} days`;
  return (
    <dl className={classes.figures}>
      <Figure
        name="Total posts"
        value={number(summary.total_posts)}
        trend={<Trend values={all.map((day) => day.posts_created)} color="var(--chart-created)" />}
      >
        {timeline && `${number(sum(all, (day) => day.posts_created))} new ${within}`}
      </Figure>
      <Figure
        name="Sent"
        value={number(summary.published)}
        trend={<Trend values={all.map((day) => day.posts_published)} color="var(--chart-published)" />}
      >
        {timeline && `${number(sum(all, (day) => day.posts_published))} ${within}`}
      </Figure>
      <Figure name="Scheduled" value={number(summary.scheduled)}>
        <NextSlot />
      </Figure>
      <Figure
        name="Success rate"
        value={summary.total_dispatches === 0 ? '–' : `${summary.success_rate}%`}
        trend={<Trend values={all.map((day) => day.success_rate)} color="var(--chart-published)" />}
      >
        {summary.total_dispatches === 0
          ? 'Nothing posted yet'
          : `Of ${count(summary.total_dispatches, 'attempt')}`}
      </Figure>
    </dl>
  );
}

function NextSlot() {
  const { data } = useQuery(nextUpQuery);
  const next = data?.data[0]?.scheduled_at;
  if (!data) return null;
  return next ? (
    <>
      Next goes out <Time at={next} />
    </>
  ) : (
    'Nothing scheduled'
  );
}

interface FigureProps {
  name: string;
  value: string;
  trend?: ReactNode;
  children: ReactNode;
}

const Figure = ({ name, value, trend, children }: FigureProps) => (
  <div className={classes.figure}>
    <dt>{name}</dt>
    <dd>
      <span className={classes.valueRow}>
        <span className={`figures ${classes.value}`}>{value}</span>
        {trend}
      </span>
      <span className={classes.note}>{children}</span>
    </dd>
  </div>
);

const WIDTH = 96;
const HEIGHT = 28;

/** A small line of a figure's course. Decoration: the words beside it say what matters. */
function Trend({ values, color }: { values: (number | null)[]; color: string }) {
  const known = values.flatMap((value, at) => (value === null ? [] : [{ value, at }]));
  if (known.length < 2) return null;
  const highest = Math.max(...known.map(({ value }) => value), 1);
  const points = known.map(({ value, at }) => {
    const x = (at / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 2 - (value / highest) * (HEIGHT - 4)).toFixed(1)}`;
  });
  return (
    <svg
      className={classes.trend}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      aria-hidden="true"
      preserveAspectRatio="none"
    >
      <polyline points={points.join(' ')} fill="none" stroke={color} strokeWidth={1.5} />
    </svg>
  );
}
