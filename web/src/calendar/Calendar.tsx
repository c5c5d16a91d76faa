// When posts go out: a month or a week in which they can be moved; on a phone the next days as a list.

import { Button, Skeleton } from '@mantine/core';
import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Plus } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useLeadMs, useMay } from '../api/queries.js';
import { PublishDialog } from '../publish/LazyPublishDialog.js';
import { dayText, firstDayOf } from '../text/month.js';
import { zoneName } from '../text/time.js';
import { IconButton } from '../ui/IconButton.js';
import { lazyDialog } from '../ui/lazy.js';
import { ProblemNote } from '../ui/Note.js';
import { Page } from '../ui/Page.js';
import { Segments } from '../ui/Segments.js';
import { useNow } from '../ui/Time.js';
import { useFocusAfterDialog } from '../ui/useFocusAfterDialog.js';
import { passDroppedFiles } from '../uploads/dropped-files.js';
import { contentTypeOf } from '../uploads/limits.js';
import { Agenda } from './Agenda.js';
import classes from './Calendar.module.css';
import { Filters } from './Filters.js';
import { type Filter, type Item, itemsQuery } from './items.js';
import { refusalOf, refuse, useMove } from './move.js';
import { dayFrom, plusDays, rangeOf, step, timeOn, titleOf, type View, WEEK_HEIGHT } from './range.js';

const SlotDialog = lazyDialog(async () => (await import('./SlotDialog.js')).SlotDialog);
const Board = lazy(() => import('./Board.js'));
const route = getRouteApi('/inside/calendar');

const useScreen = (query: string) => useMediaQuery(query, undefined, { getInitialValueInEffect: false });

export function Calendar() {
  const { view: wantedView, date, ...filter } = route.useSearch();
  const navigate = route.useNavigate();
  const now = useNow();
  const isPhone = useScreen('(max-width: 767px)');
  const isWide = useScreen('(min-width: 1200px)');
  const mayWrite = useMay('posts:write');
  const maySchedule = useMay('posts:publish') && mayWrite;
  const leadMs = useLeadMs();
  const move = useMove();

  const view: View = isPhone || wantedView === 'week' ? 'week' : 'month';
  const today = dayText(new Date(now));
  const dateText = date ?? today;
  const firstDay = useMemo(() => firstDayOf(navigator.language), []);
  // The same days stay the same objects: the grid moves only when they change.
  const day = useMemo(() => dayFrom(dateText, Date.now()), [dateText]);
  const range = useMemo(
    () => (isPhone ? { from: day, to: plusDays(day, 7) } : rangeOf(view, day, firstDay)),
    [isPhone, view, day, firstDay],
  );
  const items = useQuery(itemsQuery(range, filter));
  const isFiltered = filter.account !== undefined || filter.status !== undefined;

  const [hasRail, setHasRail] = useLocalStorage({
    key: 'airdate-calendar-drafts',
    defaultValue: true,
    getInitialValueInEffect: false,
  });
  const mayHaveRail = isWide && maySchedule;
  const [slot, setSlot] = useState<Date | null>(null);
  const [scheduling, setScheduling] = useState<{ postId: string; at?: string } | null>(null);
  const [isScheduling, setIsScheduling] = useState(false);

  // The grid redraws a changed post, so the button that opened the form may be gone when it closes.
  useFocusAfterDialog(isScheduling, () =>
    document.querySelector<HTMLElement>(
      `[data-move="${scheduling?.postId}"], [data-posts~="${scheduling?.postId}"]`,
    ),
  );

  const show = (next: { view?: View; date?: string; filter?: Filter }) => {
    const wanted = { view, date: dateText, filter, ...next };
    void navigate({
      search: {
        ...(wanted.view === 'week' && !isPhone ? { view: 'week' as const } : {}),
        ...(wanted.date === today ? {} : { date: wanted.date }),
        ...wanted.filter,
      },
      replace: true,
    });
  };
  const stepBy = (by: 1 | -1) => show({ date: dayText(step(view, day, by)) });

  const schedule = (postId: string, at?: string) => {
    setSlot(null);
    setScheduling({ postId, ...(at ? { at } : {}) });
    setIsScheduling(true);
  };

  const chooseSlot = (at: Date, hasTime: boolean) => {
    if (!mayWrite) return;
    const wanted = hasTime ? at : timeOn(at, leadMs);
    const refusal = refusalOf(wanted, Date.now(), leadMs);
    if (refusal)
      refuse(refusal, wanted.getTime() < Date.now() ? 'You can’t schedule in the past' : 'That’s too soon');
    else setSlot(wanted);
  };

  const beginPost = (files: File[], at: Date) => {
    const [first] = files;
    if (!first) return;
    passDroppedFiles(files);
    const type = contentTypeOf(first, 'video') === undefined ? {} : { type: 'video' as const };
    void navigate({ to: '/posts/new', search: { at: at.toISOString(), ...type } });
  };

  const isEmpty = items.data?.items.length === 0 && !items.isPlaceholderData;

  return (
    <Page
      title="Calendar"
      actions={
        mayWrite && (
          <Button component={Link} to="/posts/new" leftSection={<Plus size={15} />}>
            New post
          </Button>
        )
      }
    >
      <Toolbar
        title={titleOf(view, day, range)}
        view={view}
        hasViews={!isPhone}
        onStep={stepBy}
        onToday={() => show({ date: today })}
        onView={(next) => show({ view: next })}
      >
        <Filters filter={filter} isPhone={isPhone} onChange={(next) => show({ filter: next })} />
        {mayHaveRail && (
          <Button variant="default" aria-expanded={hasRail} onClick={() => setHasRail(!hasRail)}>
            {hasRail ? 'Hide drafts' : 'Drafts'}
          </Button>
        )}
      </Toolbar>
      {items.isError && (
        <div className={classes.problem}>
          <ProblemNote query={items} />
        </div>
      )}
      {isPhone ? (
        <Agenda
          range={range}
          items={items.isPlaceholderData ? undefined : items.data?.items}
          now={now}
          mayMove={maySchedule}
          isFiltered={isFiltered}
          onMove={({ post }) => schedule(post.id)}
          onSlot={(chosen) => chooseSlot(chosen, false)}
          onStep={stepBy}
        />
      ) : (
        <div className={classes.board} data-rail={mayHaveRail && hasRail}>
          <Suspense fallback={<BoardToCome view={view} />}>
            <Board
              view={view}
              day={day}
              range={range}
              firstDay={firstDay}
              items={items.data?.items ?? NOTHING}
              isLoading={items.isPending}
              now={now}
              mayMove={maySchedule}
              onMove={move}
              onMoveByForm={(postId, at) => schedule(postId, at?.toISOString())}
              onSlot={chooseSlot}
              leadMs={leadMs}
              note={isEmpty ? emptyText(view, isFiltered, mayWrite) : null}
              hasRail={mayHaveRail && hasRail}
              onSchedule={schedule}
              onFiles={mayWrite ? beginPost : null}
            />
          </Suspense>
        </div>
      )}
      {items.data?.isPartial && (
        <p className={classes.note}>There are too many posts to show here. The library has them all.</p>
      )}
      <SlotDialog opened={slot !== null} at={slot} onClose={() => setSlot(null)} onDraft={schedule} />
      {scheduling && (
        <PublishDialog
          {...scheduling}
          when="schedule"
          opened={isScheduling}
          onClose={() => setIsScheduling(false)}
        />
      )}
    </Page>
  );
}

const BoardToCome = ({ view }: { view: View }) => (
  <Skeleton className={classes.toCome ?? ''} height={view === 'week' ? WEEK_HEIGHT : 771} />
);

const NOTHING: Item[] = [];

function emptyText(view: View, isFiltered: boolean, mayWrite: boolean): string {
  if (isFiltered) return 'No posts match these filters.';
  return `Nothing scheduled this ${view}.${mayWrite ? ` Pick a ${view === 'week' ? 'time' : 'day'} to start.` : ''}`;
}

/** The current period, the buttons to change it, and what narrows it down. */
function Toolbar({
  title,
  view,
  hasViews,
  onStep,
  onToday,
  onView,
  children,
}: {
  title: string;
  view: View;
  hasViews: boolean;
  onStep: (by: 1 | -1) => void;
  onToday: () => void;
  onView: (view: View) => void;
  children: ReactNode;
}) {
  const size = hasViews ? 36 : 44;
  return (
    <div className={classes.toolbar}>
      <IconButton
        label={`Previous ${view}`}
        icon={ChevronLeft}
        iconSize={18}
        variant="default"
        size={size}
        onClick={() => onStep(-1)}
      />
      <IconButton
        label={`Next ${view}`}
        icon={ChevronRight}
        iconSize={18}
        variant="default"
        size={size}
        onClick={() => onStep(1)}
      />
      <Button variant="default" h={size} onClick={onToday}>
        Today
      </Button>
      <div className={classes.period}>
        <h2
          className={classes.title}
          aria-live="polite"
          title={`All times are in your time zone, ${zoneName().replaceAll('_', ' ')}`}
        >
          {title}
        </h2>
        <span className={classes.zone} title="All times are in your time zone">
          {zoneName().replaceAll('_', ' ')}
        </span>
      </div>
      {children}
      {hasViews && (
        <Segments
          aria-label="View"
          value={view}
          onChange={(next) => onView(next as View)}
          data={[
            { value: 'month', label: 'Month' },
            { value: 'week', label: 'Week' },
          ]}
        />
      )}
    </div>
  );
}
