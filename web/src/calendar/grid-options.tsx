// The style of FullCalendar: it brings structure only, every line and colour is defined here.
import type { CalendarOptions } from '@fullcalendar/react';
import { X } from 'lucide-react';
import { number } from '../text/numbers.js';
import { clockText, type TimeFormat } from '../text/time-format.js';
import classes from './Grid.module.css';
import { midnight, type View, WEEK_HEIGHT } from './range.js';
import { MAX_PER_DAY } from './stacks.js';

const join = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ');

/** Made once: a format takes longer than all the days of a month. */
const SHORT = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric' });
const LONG = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

const HOUR = 3_600_000;

const dayName = (day: Date): string => SHORT.format(day);

const fullName = (day: Date): string => LONG.format(day);

/** The hours of a week scroll in a separate box, which only a mouse would reach. Null in a month. */
export function hoursIn(view: HTMLElement): HTMLElement | null {
  const hours = [...view.querySelectorAll<HTMLElement>('div')].find(
    ({ style }) => style.overflowY === 'auto',
  );
  if (!hours) return null;
  hours.tabIndex = 0;
  hours.dataset.hours = '';
  // Only named parts of a table may take the focus, so the box is the group of rows.
  hours.role = 'rowgroup';
  hours.parentElement?.setAttribute('role', 'presentation');
  return hours;
}

/** The list of a full day begins at its top: on the last days of a month it would end below the window. */
function keepInView(): string {
  requestAnimationFrame(() => {
    const list = document.querySelector<HTMLElement>(`.${classes.popover}`);
    const excess = list ? list.getBoundingClientRect().bottom + 10 - window.innerHeight : 0;
    if (list && excess > 0) list.style.top = `${Number.parseFloat(list.style.top) - excess}px`;
  });
  return 'popover';
}

export const gridOptions = (view: View, format: TimeFormat): CalendarOptions => ({
  headerToolbar: false,
  height: view === 'week' ? WEEK_HEIGHT : 'auto',
  className: classes.calendar,
  viewClass: classes.view,
  expandRows: true,
  fixedWeekCount: false,
  nowIndicator: true,
  allDaySlot: false,
  // Its own name of the day is in American English.
  navLinkHint: (_, date) =>
    date < midnight(new Date()) ? fullName(date) : `Schedule a post for ${fullName(date)}`,
  eventOrder: 'rank,start,title',
  dayMaxEvents: MAX_PER_DAY,
  moreLinkText: (count) => `+${number(count)} more`,
  moreLinkHint: (count) => `Show ${number(count)} more posts on this day`,
  moreLinkClick: keepInView,
  closeHint: 'Close',
  eventDisplay: 'block',
  eventInteractive: false,
  eventLongPressDelay: 400,
  // It would wait for the end of an animation that users with reduced motion never see.
  dragRevertDuration: 0,
  // A post has no duration; its height is that of its chip.
  defaultTimedEventDuration: '00:01',
  forceEventDuration: true,
  slotDuration: '01:00',
  snapDuration: '00:15',
  slotEventOverlap: false,
  slotMinHeight: 44,
  eventMinHeight: 42,
  scrollTime: '08:00',
  dayHeaderFormat: { weekday: 'short' },
  dayHeaderContent: ({ date, text, inPopover }) =>
    inPopover ? fullName(date) : view === 'month' ? text : dayName(date),
  // FullCalendar labels these links with a date that differs from the one they show.
  dayHeaderDidMount: ({ el, date, inPopover }) => {
    const link = inPopover ? null : (el.closest('[role=link]') ?? el.querySelector('[role=link]'));
    link?.setAttribute('aria-label', `${dayName(date)}: schedule a post`);
  },
  dayHeaderAlign: ({ inPopover }) => (inPopover ? 'start' : 'center'),
  slotHeaderContent: ({ time }) => clockText(Math.floor((time?.milliseconds ?? 0) / HOUR), 0, format),
  dayHeaderClass: ({ inPopover }) => (inPopover ? classes.popoverHeader : classes.dayHeader),
  dayHeaderInnerClass: ({ inPopover, isToday }) =>
    join(!inPopover && classes.dayName, isToday && !inPopover && view === 'week' && classes.today),
  dayHeaderRowClass: classes.line,
  dayHeaderDividerClass: classes.divider,
  dayRowClass: classes.dayRow,
  dayCellClass: ({ inPopover, isPast, isOther }) =>
    join(!inPopover && classes.dayCell, isPast && !inPopover && classes.past, isOther && classes.other),
  dayCellTopClass: classes.dayTop,
  dayCellTopInnerClass: ({ isToday }) => join(classes.dayNumber, isToday && classes.today),
  dayCellInnerClass: ({ inPopover }) => (inPopover ? classes.popoverBody : undefined),
  dayLaneClass: ({ isPast }) => join(classes.line, isPast && classes.past),
  dayLaneInnerClass: classes.lane,
  slotLaneClass: classes.line,
  slotHeaderClass: classes.slotHeader,
  slotHeaderInnerClass: classes.slotTime,
  slotHeaderDividerClass: classes.axis,
  fillerClass: classes.line,
  navLinkClass: classes.navLink,
  eventClass: ({ isDragging, isMirror }) =>
    join(classes.event, isDragging && classes.dragging, isMirror && classes.mirror),
  backgroundEventClass: classes.past,
  rowMoreLinkClass: classes.more,
  popoverClass: classes.popover,
  popoverCloseClass: classes.close,
  popoverCloseContent: () => <X size={16} />,
  nowIndicatorLineClass: classes.now,
  highlightClass: classes.highlight,
  tableHeaderClass: classes.tableHeader,
});
