// The month and the week, as grids in which posts can be dragged.
import FullCalendar, { type CalendarOptions, type CalendarRef, type EventInput } from '@fullcalendar/react';
import dayGridPlugin from '@fullcalendar/react/daygrid';
import interactionPlugin from '@fullcalendar/react/interaction';
import timeGridPlugin from '@fullcalendar/react/timegrid';
import '@fullcalendar/react/skeleton.css';
import { Skeleton } from '@mantine/core';
import { type CSSProperties, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { takeSeenPost } from '../ui/back-target.js';
import { useTimeFormat } from '../ui/Time.js';
import { useSlices } from '../ui/useSlices.js';
import { Chip } from './Chip.js';
import chip from './Chip.module.css';
import { ChipFacts, useChipFacts } from './chip-facts.js';
import type { Drag } from './DragHint.js';
import classes from './Grid.module.css';
import { gridOptions, hoursIn } from './grid-options.js';
import { HiddenHours } from './HiddenHours.js';
import type { Item } from './items.js';
import { refusalOf } from './move.js';
import { freeWeek, midnight, ownTimeOn, type Range, type View } from './range.js';
import { OpenStack, StackChip } from './StackChip.js';
import { type Stack, stacksOf } from './stacks.js';
import { useDayKeys } from './useDayKeys.js';

const PLUGINS = [dayGridPlugin, timeGridPlugin, interactionPlugin];
const NAMES: Record<View, string> = { month: 'dayGridMonth', week: 'timeGridWeek' };
const MINUTE = 60_000;
/** How many posts are drawn in one task. */
const SLICE = 8;

export interface GridProps {
  view: View;
  day: Date;
  range: Range;
  firstDay: number;
  items: Item[];
  /** The posts are not known yet. They make rows higher, so the grid is not shown without them. */
  isLoading: boolean;
  now: number;
  mayMove: boolean;
  onMove: (item: Item, at: Date) => void;
  /** In the form, because a person has to decide more than the time, or because no mouse chose it. */
  onMoveByForm: (postId: string, at?: Date) => void;
  /** A free slot was chosen; in the month it is a day without a time. */
  onSlot: (at: Date, hasTime: boolean) => void;
  /** The minimum notice of a slot. */
  leadMs: number;
  /** Said over the grid when it is empty. */
  note: string | null;
  drag: Drag;
  frame: RefObject<HTMLDivElement | null>;
}

export default function Grid(props: GridProps) {
  const { view, day, frame, note } = props;
  const calendar = useRef<CalendarRef>(null);
  const [first] = useState({ initialView: NAMES[view], initialDate: day });
  // First the empty grid, then its posts.
  const [drawn] = useSlices(props.items.length + SLICE, SLICE);
  const items = useMemo(() => props.items.slice(0, drawn - SLICE), [props.items, drawn]);
  const [hours, setHours] = useState<HTMLElement | null>(null);
  const options = useOptions({ ...props, items }, setHours);
  const isSettled = useSettled(frame, !props.isLoading && items.length === props.items.length);
  const facts = useChipFacts();
  const openStack = useState<string | null>(null);
  const inSight = useMemo(() => within(props.range, props.items), [props.range, props.items]);
  useDayKeys(frame);
  useFocusOnReturn(frame, isSettled);
  useEffect(() => calendar.current?.getApi().changeView(NAMES[view], day), [view, day]);
  return (
    <div className={classes.ground}>
      {!isSettled && <Skeleton className={classes.ghost ?? ''} />}
      <div ref={frame} className={classes.frame} data-settled={isSettled} data-empty={note !== null}>
        <OpenStack value={openStack}>
          <ChipFacts value={facts}>
            <FullCalendar ref={calendar} plugins={PLUGINS} {...first} {...options} />
          </ChipFacts>
        </OpenStack>
      </div>
      {isSettled && view === 'week' && hours && <HiddenHours hours={hours} items={inSight} />}
      {isSettled && note !== null && (
        <p
          className={classes.note}
          role="status"
          data-view={view}
          style={{ '--week': freeWeek(props.range, Date.now()) } as CSSProperties}
        >
          {note}
        </p>
      )}
    </div>
  );
}

/**
 * If an option changes during a drag, FullCalendar treats the drop as one into another calendar and does not report it.
 * So the options stay the same during a drag; changes are shown afterwards.
 */
function useOptions(props: GridProps, onHours: (hours: HTMLElement | null) => void): CalendarOptions {
  const { view, firstDay, items, mayMove, drag } = props;
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  // The month shows no hours, so it need not redraw each minute and lose the focus.
  const format = useTimeFormat();
  const minute = view === 'week' ? Math.floor(props.now / MINUTE) * MINUTE : 0;
  const next = useMemo<CalendarOptions>(() => {
    const isMovable = ({ post }: Item) => mayMove && (post.status === 'scheduled' || post.status === 'draft');
    const isFree = (at: Date): boolean => {
      const refusal = refusalOf(at, Date.now(), latest.current.leadMs);
      drag.show({ at, refusal });
      return refusal === null;
    };
    const moveOf = (item: Item) =>
      isMovable(item) ? () => latest.current.onMoveByForm(item.post.id) : undefined;
    const timeAt = (at: Date, isDay: boolean) =>
      isDay ? ownTimeOn(at, drag.ownTime(), latest.current.leadMs) : at;
    return {
      ...gridOptions(view, format),
      viewDidMount: ({ el }) => onHours(hoursIn(el)),
      navLinks: mayMove,
      firstDay,
      events: [
        ...stacksOf(view, items).map((stack) => eventOf(stack, isMovable(stack.items[0]))),
        ...passed(view, minute),
      ],
      eventContent: ({ event }) => {
        const stack = event.extendedProps.stack as Stack | undefined;
        if (!stack || !event.start) return null;
        if (stack.items.length > 1) return <StackChip stack={stack} onMove={moveOf} />;
        const [item] = stack.items;
        return (
          <div className={chip.place} data-roomy={stack.isRoomy || undefined}>
            <Chip item={item} at={event.start} isDragged={drag.hasJustEnded} onMove={moveOf(item)} />
          </div>
        );
      },
      navLinkDayClick: (date) => latest.current.onSlot(date, false),
      dateClick: ({ date, allDay }) => latest.current.onSlot(date, !allDay),
      eventDragStart: () => drag.start(),
      eventAllow: ({ start }) => isFree(start),
      eventDragStop: () => drag.end(),
      eventDrop: ({ event, revert }) => {
        const [item] = (event.extendedProps.stack as Stack).items;
        if (!event.start) return;
        if (item.post.status === 'scheduled') return latest.current.onMove(item, event.start);
        // It failed, so a person looks at it before it goes out again.
        const at = event.start;
        revert();
        latest.current.onMoveByForm(item.post.id, at);
      },
      // A draft from beside the grid. FullCalendar checks its slot as if the time itself were selected.
      droppable: mayMove,
      dropAccept: '[data-draft]',
      selectAllow: ({ start, allDay }) => isFree(timeAt(start, allDay)),
      drop: ({ date, allDay, draggedEl }) =>
        latest.current.onMoveByForm(draggedEl.dataset.draft ?? '', timeAt(date, allDay)),
    };
  }, [view, firstDay, items, mayMove, minute, drag, onHours, format]);
  const shown = useRef(next);
  if (!drag.isUnderWay()) shown.current = next;
  return shown.current;
}

/** Back from the page of a post, people go on at its chip, or at the stack that it is in. */
function useFocusOnReturn(frame: RefObject<HTMLElement | null>, isSettled: boolean): void {
  useEffect(() => {
    const id = isSettled ? takeSeenPost() : undefined;
    if (id === undefined) return;
    frame.current?.querySelector<HTMLElement>(`a[href="/posts/${id}"], [data-posts~="${id}"]`)?.focus();
  }, [frame, isSettled]);
}

/** Not those of the week before, which stay until these are known. */
function within({ from, to }: Range, items: Item[]): Item[] {
  return items.filter(({ at }) => Date.parse(at) >= from.getTime() && Date.parse(at) < to.getTime());
}

/** Several posts of one minute are moved one by one, from their list. */
const eventOf = (stack: Stack, isMovable: boolean): EventInput => ({
  id: stack.id,
  title: stack.items[0].post.title ?? '',
  start: stack.at,
  startEditable: isMovable && stack.items.length === 1,
  durationEditable: false,
  extendedProps: { stack, rank: stack.rank },
});

/** The past part of today is dimmed like the days before it. */
const passed = (view: View, now: number): EventInput[] =>
  view === 'week' ? [{ start: midnight(new Date(now)), end: new Date(now), display: 'background' }] : [];

/** Enough for every pass, also on a slow machine. */
const MAX_FRAMES = 30;

/**
 * FullCalendar measures what it has drawn and draws again, over several frames. True when everything is drawn and two frames
 * had the same layout; until then the grid stays hidden, so that nothing is seen moving.
 */
function useSettled(frame: RefObject<HTMLElement | null>, isComplete: boolean): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (!isComplete) return;
    let last = '';
    let frames = 0;
    let request = requestAnimationFrame(function inspect() {
      const now = layoutOf(frame.current);
      if ((now === last && now !== '') || ++frames > MAX_FRAMES) setSettled(true);
      else request = requestAnimationFrame(inspect);
      last = now;
    });
    return () => cancelAnimationFrame(request);
  }, [frame, isComplete]);
  return isSettled;
}

/** Where its rows and links are. */
const layoutOf = (frame: HTMLElement | null): string =>
  [...(frame?.querySelectorAll('[role=row], a') ?? [])]
    .map((part) => {
      const { x, y, height } = part.getBoundingClientRect();
      return [x, y, height].map(Math.round).join();
    })
    .join(' ');
