import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Fragment, useDeferredValue } from 'react';
import { ApiError } from '../api/client.js';
import { usePlatform } from '../api/platform.js';
import { analyticsQuery, useMe } from '../api/queries.js';
import { number } from '../text/numbers.js';
import { PLANS } from '../text/plans.js';
import { ANALYTICS, searchBy } from '../text/search-params.js';
import { ProblemNote } from '../ui/Note.js';
import { EmptyState, Page } from '../ui/Page.js';
import { Segments } from '../ui/Segments.js';
import { useSlices } from '../ui/useSlices.js';
import classes from './Analytics.module.css';
import { Attempts } from './Attempts.js';
import { ChartFrame } from './ChartFrame.js';
import { Failures } from './Failures.js';
import { Figures } from './Figures.js';
import { Plot } from './Plot.js';
import plotClasses from './Plot.module.css';
import { type Day, type Timeline, timelineQuery } from './queries.js';
import { depthOf, gridLines, latenessOf, middleOf, OUTCOMES, POSTS, type Series } from './series.js';
import {
  dayLabel,
  delay,
  delaysUpTo,
  sum,
  summarizeAttempts,
  summarizeLateness,
  summarizePosts,
} from './summaries.js';

const RANGES = [7, 30, 90];
const DEFAULT_RANGE = 30;

const route = getRouteApi('/inside/analytics');

export function Analytics() {
  const { days = DEFAULT_RANGE } = route.useSearch();
  const summary = useQuery(analyticsQuery);
  const timeline = useQuery(timelineQuery(days));
  // All of them arrive together: drawn together, they would block the page.
  const figures = useDeferredValue(summary.data);
  const drawn = useDeferredValue(timeline.data);
  if (isPlanTooSmall(summary.error))
    return (
      <Page title="Analytics">
        <div className={classes.screen}>
          <PlanNotice />
          <Attempts />
        </div>
      </Page>
    );
  const isEmpty = figures?.total_dispatches === 0;
  return (
    <Page title="Analytics" actions={!isEmpty && <Range days={days} />}>
      <div className={classes.screen}>
        {summary.error && !summary.data && <ProblemNote query={summary} />}
        {!(summary.error && !summary.data) && <Figures summary={figures} timeline={drawn} days={days} />}
        {isEmpty ? (
          <NothingYet />
        ) : (
          <>
            {timeline.error && !timeline.data && <ProblemNote query={timeline} />}
            {drawn && <Charts timeline={drawn} />}
            {!drawn && !timeline.error && <ChartsToCome />}
            <Attempts />
          </>
        )}
      </div>
    </Page>
  );
}

function Range({ days }: { days: number }) {
  const navigate = route.useNavigate();
  return (
    <Segments
      aria-label="Range"
      value={String(days)}
      data={RANGES.map((range) => ({ value: String(range), label: `${range} days` }))}
      onChange={(chosen) =>
        void navigate({
          search: (before) => searchBy(ANALYTICS)({ ...before, days: chosen }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}

function Charts({ timeline }: { timeline: Timeline }) {
  const charts = [
    <OutcomesByDay key="outcomes" timeline={timeline} />,
    <LinesOverDays
      key="posts"
      title="Posts created and sent"
      summary={summarizePosts(timeline.days)}
      days={timeline.days}
      series={POSTS}
      say={number}
    />,
    <LinesOverDays
      key="lateness"
      title="Punctuality of scheduled posts"
      summary={summarizeLateness(timeline.days)}
      days={timeline.days}
      series={latenessOf(timeline.days)}
      say={delay}
      sayUpTo={delaysUpTo}
      none="None due"
    />,
    <Failures key="failures" timeline={timeline} />,
  ];
  const [drawn] = useSlices(charts.length, 1);
  return (
    <div className={classes.charts}>
      {charts.map((chart, i) => (i < drawn ? chart : <ChartToCome key={chart.key} />))}
    </div>
  );
}

const ChartToCome = () => <Skeleton height={CHART_HEIGHT} />;

/** With a summary of one line and a legend. */
const CHART_HEIGHT = 342;

const ChartsToCome = () => (
  <div className={classes.charts}>
    {[1, 2, 3, 4].map((n) => (
      <ChartToCome key={n} />
    ))}
  </div>
);

const NothingYet = () => (
  <EmptyState
    title="Nothing posted yet"
    action={
      <Button component={Link} to="/posts/new" leftSection={<Plus size={15} />}>
        New post
      </Button>
    }
  >
    Once posts go out, you’ll see how many made it, why others didn’t, and how punctual they were.
  </EmptyState>
);

const isPlanTooSmall = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'plan_required';

/** The plan does not include analytics: what they would show, and which plan has them. */
function PlanNotice() {
  const { organization } = useMe();
  const { name } = usePlatform();
  return (
    <section className={classes.plan} aria-labelledby="plan-notice">
      <h2 id="plan-notice" className={classes.planTitle}>
        Analytics is part of the Growth and Agency plans
      </h2>
      <p>
        Your organization is on {PLANS[organization.plan]}
        {organization.trial_ends_at ? ', and its trial has ended' : ''}. Publishing works as before. With
        analytics, you see:
      </p>
      <ul>
        <li>how many posts went out, failed, or have an unknown outcome, day by day</li>
        <li>why attempts failed, with the reason from {name}</li>
        <li>how punctual scheduled posts are</li>
      </ul>
      <Button variant="default" component={Link} to="/settings/organization">
        See your plan
      </Button>
    </section>
  );
}

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
function LinesOverDays({ title, summary, days, series, say, sayUpTo, none = '0' }: LinesOverDaysProps) {
  const lines = gridLines(Math.max(...days.flatMap((day) => series.map(({ of }) => of(day) ?? 0))));
  const isEmpty = days.every((day) => series.every(({ of }) => of(day) === null));
  const valueText = (value: number | null) => (value === null ? none : say(value));
  return (
    <ChartFrame
      title={title}
      summary={summary}
      isEmpty={isEmpty}
      legend={series}
      columns={['Day (UTC)', ...series.map(({ label }) => label)]}
      rows={() => days.map((day) => [dayLabel(day.date), ...series.map(({ of }) => valueText(of(day)))])}
    >
      <Plot days={days} series={series} lines={lines} say={say} sayLine={sayUpTo?.(lines.at(-1) as number)}>
        {series.map(({ key, color, of }) => {
          const points = pointsOf(days, of, lines.at(-1) as number);
          return (
            <Fragment key={key}>
              <path className={plotClasses.line} stroke={color} d={`M${points.join('L')}`} />
              {days.length <= MAX_DOTS && (
                <path
                  className={plotClasses.dots}
                  stroke={color}
                  d={points.map((at) => `M${at}h0`).join('')}
                />
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

/** The outcomes of the attempts that started on each day. */
function OutcomesByDay({ timeline }: { timeline: Timeline }) {
  const { days } = timeline;
  const lines = gridLines(Math.max(...days.map((day) => upTo(OUTCOMES.length, day))));
  return (
    <ChartFrame
      title="Outcomes by day"
      summary={summarizeAttempts(timeline)}
      legend={legendOf(days)}
      columns={['Day (UTC)', ...OUTCOMES.map(({ label }) => label)]}
      rows={() => days.map((day) => [dayLabel(day.date), ...OUTCOMES.map(({ of }) => number(of(day)))])}
    >
      <Plot days={days} series={OUTCOMES} lines={lines} say={number}>
        {OUTCOMES.map(({ key, color }, n) => (
          <path
            key={key}
            className={plotClasses.bars}
            stroke={color}
            d={bars(days, n, lines.at(-1) as number)}
          />
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
