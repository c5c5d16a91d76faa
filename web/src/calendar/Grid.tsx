// The month and the week, as grids in which posts can be dragged.
import FullCalendar, { type CalendarOptions, type CalendarRef, type EventInput } from '@fullcalendar/react';
import dayGridPlugin from '@fullcalendar/react/daygrid';
import interactionPlugin from '@fullcalendar/react/interaction';
import timeGridPlugin from '@fullcalendar/react/timegrid';
import '@fullcalendar/react/skeleton.css';
import { Skeleton } from '@mantine/core';
import { type RefObject, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { useSlices } from '../ui/useSlices.js';
import { Chip } from './Chip.js';
import { DragHint, type Drop, type ShowDrop } from './DragHint.js';
import classes from './Grid.module.css';
import { looks } from './grid-looks.js';
import type { Item } from './items.js';
import { refusalOf, refuse } from './move.js';
import { midnight, type View } from './range.js';
import { useSettled } from './useSettled.js';

const PLUGINS = [dayGridPlugin, timeGridPlugin, interactionPlugin];
const NAMES: Record<View, string> = { month: 'dayGridMonth', week: 'timeGridWeek' };
/** How long after the end of a drag the browser may still report a click. */
const CLICK_MS = 100;
const MINUTE = 60_000;
/** So many posts are drawn in one task. */
const SLICE = 16;

export interface GridProps {
  view: View;
  day: Date;
  firstDay: number;
  items: Item[];
  /** The posts are not known yet. They make rows higher, so the grid is not shown without them. */
  isLoading: boolean;
  now: number;
  mayMove: boolean;
  onMove: (item: Item, at: Date) => void;
  onMoveByForm: (item: Item) => void;
  /** A free slot was chosen; in the month it is a day without a time. */
  onSlot: (at: Date, hasTime: boolean) => void;
  /** The minimum notice of a slot. */
  leadMs: number;
}

export default function Grid(props: GridProps) {
  const { view, day } = props;
  const calendar = useRef<CalendarRef>(null);
  const [first] = useState({ initialView: NAMES[view], initialDate: day });
  const hint = useRef<ShowDrop>(null);
  // First the empty grid, then its posts.
  const [drawn] = useSlices(props.items.length + SLICE, SLICE);
  const items = useMemo(() => props.items.slice(0, drawn - SLICE), [props.items, drawn]);
  const options = useOptions({ ...props, items }, hint);
  const frame = useRef<HTMLDivElement>(null);
  const isSettled = useSettled(frame, !props.isLoading && items.length === props.items.length);
  useEffect(() => calendar.current?.getApi().changeView(NAMES[view], day), [view, day]);
  return (
    <>
      <div className={classes.ground}>
        {!isSettled && <Skeleton className={classes.ghost ?? ''} />}
        <div ref={frame} className={classes.frame} data-settled={isSettled}>
          <FullCalendar ref={calendar} plugins={PLUGINS} {...first} {...options} />
        </div>
      </div>
      <DragHint ref={hint} />
    </>
  );
}

/**
 * If an option changes during a drag, FullCalendar treats the drop as one into another calendar and does not report it.
 * So the options stay the same during a drag; changes are shown afterwards.
 */
function useOptions(props: GridProps, hint: RefObject<ShowDrop | null>): CalendarOptions {
  const { view, firstDay, items, mayMove } = props;
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const [, release] = useReducer((count: number) => count + 1, 0);
  const isHeld = useRef(false);
  const heldTill = useRef(0);
  // The month shows no hours, so it need not redraw each minute and lose the focus.
  const minute = view === 'week' ? Math.floor(props.now / MINUTE) * MINUTE : 0;
  const next = useMemo<CalendarOptions>(() => {
    const isMovable = (item: Item) => mayMove && item.post.status === 'scheduled';
    let drop: Drop | null = null;
    const say = (at: Drop | null) => {
      drop = at;
      hint.current?.(at);
    };
    return {
      ...looks(view),
      navLinks: mayMove,
      firstDay,
      events: [...items.map((item) => eventOf(item, isMovable(item))), ...passed(view, minute)],
      eventContent: ({ event }) => {
        const item = event.extendedProps.item as Item | undefined;
        if (!item || !event.start) return null;
        return (
          <Chip
            item={item}
            at={event.start}
            isDragged={() => performance.now() - heldTill.current < CLICK_MS}
            onMove={isMovable(item) ? () => latest.current.onMoveByForm(item) : undefined}
          />
        );
      },
      navLinkDayClick: (date) => latest.current.onSlot(date, false),
      dateClick: ({ date, allDay }) => latest.current.onSlot(date, !allDay),
      eventDragStart: () => {
        isHeld.current = true;
      },
      eventAllow: ({ start }) => {
        const refusal = refusalOf(start, Date.now(), latest.current.leadMs);
        say({ at: start, refusal });
        return refusal === null;
      },
      eventDragStop: () => {
        heldTill.current = performance.now();
        if (drop?.refusal) refuse(drop.refusal);
        say(null);
        setTimeout(() => {
          isHeld.current = false;
          release();
        });
      },
      eventDrop: ({ event }) => {
        if (event.start) latest.current.onMove(event.extendedProps.item as Item, event.start);
      },
    };
  }, [view, firstDay, items, mayMove, minute, hint]);
  const shown = useRef(next);
  if (!isHeld.current) shown.current = next;
  return shown.current;
}

const eventOf = (item: Item, isMovable: boolean): EventInput => ({
  id: item.post.id,
  title: item.post.title ?? '',
  start: item.at,
  startEditable: isMovable,
  durationEditable: false,
  extendedProps: { item },
});

/** The past part of today is dimmed like the days before it. */
const passed = (view: View, now: number): EventInput[] =>
  view === 'week' ? [{ start: midnight(new Date(now)), end: new Date(now), display: 'background' }] : [];
