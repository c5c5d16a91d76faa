import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { ApiError } from '../api/client.js';
import { analyticsQuery } from '../api/queries.js';
import { ANALYTICS, searchBy } from '../text/search-params.js';
import { EmptyState } from '../ui/EmptyState.js';
import { Page } from '../ui/Page.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { Segments } from '../ui/Segments.js';
import { useSlices } from '../ui/useSlices.js';
import classes from './Analytics.module.css';
import { Attempts } from './Attempts.js';
import { Failures } from './Failures.js';
import { Figures } from './Figures.js';
import { LinesOverDays } from './LinesOverDays.js';
import { OutcomesByDay } from './OutcomesByDay.js';
import { PlanNotice } from './PlanNotice.js';
import { type Timeline, timelineQuery } from './queries.js';
import { latenessOf, POSTS } from './series.js';
import { delay, delaysUpTo, number, summarizeLateness, summarizePosts } from './summaries.js';

const RANGES = [7, 30, 90];
const DEFAULT_RANGE = 30;

const route = getRouteApi('/inside/analytics');

export function Analytics() {
  const { days = DEFAULT_RANGE } = route.useSearch();
  const summary = useQuery(analyticsQuery);
  const timeline = useQuery(timelineQuery(days));
  // All of them arrive together: drawn at once, they would block the page.
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
        {summary.error && !summary.data && (
          <ProblemNote error={summary.error} onRetry={() => void summary.refetch()} />
        )}
        {!(summary.error && !summary.data) && <Figures summary={figures} timeline={drawn} days={days} />}
        {isEmpty ? (
          <NothingYet />
        ) : (
          <>
            {timeline.error && !timeline.data && (
              <ProblemNote error={timeline.error} onRetry={() => void timeline.refetch()} />
            )}
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
      <Button component={Link} to="/posts/new">
        New post
      </Button>
    }
  >
    Once posts go out, you’ll see how many made it, why others didn’t, and how punctual they were.
  </EmptyState>
);

const isPlanTooSmall = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'plan_required';
