// When posts go out: a month or a week in which they can be moved; on a phone the week as a list.
import { Button, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useLeadMs, useMay } from '../api/permissions.js';
import { PublishDialog } from '../publish/PublishDialogLater.js';
import { dialogLater } from '../ui/later.js';
import { Page } from '../ui/Page.js';
import { ProblemNote } from '../ui/ProblemNote.js';
import { useNow } from '../ui/Time.js';
import { useFocusAfterDialog } from '../ui/useFocusAfterDialog.js';
import { Agenda } from './Agenda.js';
import classes from './Calendar.module.css';
import { type Item, itemsQuery } from './items.js';
import { refusalOf, refuse, useMove } from './move.js';
import {
  dayFrom,
  dayText,
  firstDayOf,
  midnight,
  plusDays,
  rangeOf,
  step,
  titleOf,
  type View,
  WEEK_HEIGHT,
} from './range.js';
import { Toolbar } from './Toolbar.js';

const SlotDialog = dialogLater(async () => (await import('./SlotDialog.js')).SlotDialog);
const Grid = lazy(() => import('./Grid.js'));
const route = getRouteApi('/inside/calendar');

export function Calendar() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const now = useNow();
  const isPhone = useMediaQuery('(max-width: 767px)', undefined, { getInitialValueInEffect: false });
  const mayWrite = useMay('posts:write');
  const maySchedule = useMay('posts:publish') && mayWrite;
  const leadMs = useLeadMs();
  const move = useMove();

  const view: View = isPhone || search.view === 'week' ? 'week' : 'month';
  const today = dayText(new Date(now));
  const dateText = search.date ?? today;
  const firstDay = useMemo(() => firstDayOf(navigator.language), []);
  // The same days stay the same objects: the grid moves only when they change.
  const day = useMemo(() => dayFrom(dateText, Date.now()), [dateText]);
  const range = useMemo(() => rangeOf(view, day, firstDay), [view, day, firstDay]);
  const items = useQuery(itemsQuery(range));

  const isEmpty = items.data?.items.length === 0 && !items.isPlaceholderData && mayWrite;

  const [slot, setSlot] = useState<Date | null>(null);
  const [scheduling, setScheduling] = useState<{ postId: string; at?: string } | null>(null);
  const [isScheduling, setIsScheduling] = useState(false);

  // The grid redraws a changed post, so the button that opened the form may be gone when it closes.
  useFocusAfterDialog(isScheduling, () =>
    document.querySelector<HTMLElement>(`[data-move="${scheduling?.postId}"]`),
  );

  const show = (next: { view?: View; date?: string }) => {
    const wanted = { view, date: dateText, ...next };
    void navigate({
      search: {
        ...(wanted.view === 'week' && !isPhone ? { view: 'week' as const } : {}),
        ...(wanted.date === today ? {} : { date: wanted.date }),
      },
      replace: true,
    });
  };

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

  return (
    <Page
      title="Calendar"
      actions={
        mayWrite && (
          <Button component={Link} to="/posts/new">
            New post
          </Button>
        )
      }
    >
      <Toolbar
        title={titleOf(view, day, range)}
        view={view}
        hasViews={!isPhone}
        onStep={(by) => show({ date: dayText(step(view, day, by)) })}
        onToday={() => show({ date: today })}
        onView={(next) => show({ view: next })}
      />
      {items.isError && (
        <div className={classes.problem}>
          <ProblemNote error={items.error} onRetry={() => void items.refetch()} />
        </div>
      )}
      {isPhone ? (
        <Agenda
          range={range}
          items={items.isPlaceholderData ? undefined : items.data?.items}
          now={now}
          mayMove={maySchedule}
          onMove={({ post }) => schedule(post.id)}
          onSlot={(chosen) => chooseSlot(chosen, false)}
        />
      ) : (
        <Suspense fallback={<GridToCome view={view} />}>
          {isEmpty && <p className={classes.none}>Nothing scheduled this {view}. Pick a day to start.</p>}
          <Grid
            view={view}
            day={day}
            firstDay={firstDay}
            items={items.data?.items ?? NOTHING}
            isLoading={items.isPending}
            now={now}
            mayMove={maySchedule}
            onMove={move}
            onMoveByForm={({ post }) => schedule(post.id)}
            onSlot={chooseSlot}
            leadMs={leadMs}
          />
        </Suspense>
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

const GridToCome = ({ view }: { view: View }) => <Skeleton height={view === 'week' ? WEEK_HEIGHT : 771} />;

const NOTHING: Item[] = [];
const HOUR = 3_600_000;

/** The default time on a day: noon, or the next full hour when that is past. */
function timeOn(day: Date, leadMs: number): Date {
  const noon = new Date(day.getFullYear(), day.getMonth(), day.getDate(), 12);
  if (noon.getTime() >= Date.now() + leadMs) return noon;
  const next = new Date(Math.ceil((Date.now() + leadMs) / HOUR) * HOUR);
  const isToday = midnight(day).getTime() === midnight(new Date()).getTime();
  // Late in the evening the next hour is on the next day: then the last minute of this day is suggested.
  if (isToday) return next < plusDays(day, 1) ? next : new Date(plusDays(day, 1).getTime() - 60_000);
  return noon;
}
