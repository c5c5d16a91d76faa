// The days of the grid are one stop of the Tab key; the arrow keys go from day to day, and Enter opens one. The posts of a day come
// after it.
import { type RefObject, useEffect } from 'react';
import { dayText } from '../text/month.js';

/** What FullCalendar makes of a day that can be opened: in the month its number, in the week its name. */
const DAYS =
  '[role=cell][data-date] [role=link][tabindex], [role=columnheader][data-date] [role=link][tabindex]';
const WEEK = 7;

export function useDayKeys(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const grid = frame.current;
    if (!grid) return;
    let current = dayText(new Date());
    const mark = () => {
      const days = daysIn(grid);
      const stop = days.find((day) => dateOf(day) === current) ?? days[0];
      for (const day of days) {
        const index = day === stop ? 0 : -1;
        if (day.tabIndex !== index) day.tabIndex = index;
      }
      if (days.length > WEEK) grid.querySelector('[role=table]')?.setAttribute('role', 'grid');
    };
    const goTo = (day: HTMLElement) => {
      current = dateOf(day);
      mark();
    };
    const follow = ({ target }: FocusEvent) => {
      const day = dayAround(target);
      if (day) goTo(day);
    };
    const move = (event: KeyboardEvent) => {
      const day = dayAround(event.target);
      if (!day || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const days = daysIn(grid);
      const next = days[placeAfter(event.key, days.indexOf(day))];
      if (!next) return;
      event.preventDefault();
      goTo(next);
      next.focus();
    };
    // FullCalendar draws its days over several frames, and others when the month changes.
    const observer = new MutationObserver(mark);
    observer.observe(grid, { childList: true, subtree: true });
    grid.addEventListener('focusin', follow);
    grid.addEventListener('keydown', move);
    mark();
    return () => {
      observer.disconnect();
      grid.removeEventListener('focusin', follow);
      grid.removeEventListener('keydown', move);
    };
  }, [frame]);
}

const daysIn = (grid: HTMLElement) => [...grid.querySelectorAll<HTMLElement>(DAYS)];

const dayAround = (target: EventTarget | null) =>
  target instanceof Element ? target.closest<HTMLElement>(DAYS) : null;

const dateOf = (day: HTMLElement): string => day.closest<HTMLElement>('[data-date]')?.dataset.date ?? '';

/** In days from the first. -1 if the key leads nowhere. */
function placeAfter(key: string, place: number): number {
  const inWeek = place % WEEK;
  switch (key) {
    case 'ArrowLeft':
      return place - 1;
    case 'ArrowRight':
      return place + 1;
    case 'ArrowUp':
      return place - WEEK;
    case 'ArrowDown':
      return place + WEEK;
    case 'Home':
      return place - inWeek;
    case 'End':
      return place - inWeek + WEEK - 1;
    default:
      return -1;
  }
}
