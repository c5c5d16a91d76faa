// The week shows some of its hours; what is scheduled above and below them is counted, and one click away.
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { dateAndTime } from '../text/time.js';
import classes from './HiddenHours.module.css';
import type { Item } from './items.js';
import { minuteOf } from './stacks.js';

interface Hidden {
  earlier: Item[];
  later: Item[];
}

const NONE: Hidden = { earlier: [], later: [] };
/** The height of a post, and the space around it. */
const CHIP = 42;
const SPACE = 8;

export function HiddenHours({ hours, items }: { hours: HTMLElement; items: Item[] }) {
  const [{ earlier, later }, setHidden] = useState(NONE);
  const shown = useRef('');
  useEffect(() => {
    const measure = () => {
      const hidden = hiddenOf(hours, items);
      const ids = JSON.stringify([hidden.earlier.map(idOf), hidden.later.map(idOf)]);
      if (ids !== shown.current) setHidden(hidden);
      shown.current = ids;
    };
    // Also when it gets its first height.
    const observer = new ResizeObserver(measure);
    observer.observe(hours);
    hours.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      hours.removeEventListener('scroll', measure);
    };
  }, [hours, items]);
  const show = (edge: 'top' | 'bottom') => {
    const item = edge === 'top' ? farthest(earlier, -1) : farthest(later, 1);
    if (item) reach(hours, item, edge);
  };
  return (
    <>
      {earlier.length > 0 && (
        <button
          type="button"
          className={classes.mark}
          data-edge="top"
          title={listed(earlier)}
          onClick={() => show('top')}
        >
          <span className={classes.count}>
            <ArrowUp size={13} /> {earlier.length}
          </span>{' '}
          earlier
        </button>
      )}
      {later.length > 0 && (
        <button
          type="button"
          className={classes.mark}
          data-edge="bottom"
          title={listed(later)}
          onClick={() => show('bottom')}
        >
          <span className={classes.count}>
            <ArrowDown size={13} /> {later.length}
          </span>{' '}
          later
        </button>
      )}
    </>
  );
}

const idOf = ({ post }: Item): string => post.id;

const listed = (items: Item[]): string =>
  items.map(({ post, at }) => `${dateAndTime(at)}: ${post.title}`).join('\n');

/** The first of the day (-1), or the last (1). */
const farthest = (items: Item[], way: 1 | -1): Item | undefined =>
  items.toSorted((a, b) => way * (minuteOf(b) - minuteOf(a)))[0];

/** Where an item begins on the screen: all days of the week have the same hours. */
function placeIn(hours: HTMLElement): ((item: Item) => number) | null {
  const day = hours.querySelector('[role=cell][data-date]')?.getBoundingClientRect();
  return day ? (item) => day.top + (day.height * minuteOf(item)) / 1440 : null;
}

function hiddenOf(hours: HTMLElement, items: Item[]): Hidden {
  const place = placeIn(hours);
  const { top, bottom, height } = hours.getBoundingClientRect();
  if (!place || height === 0) return NONE;
  // At the end of the day a post begins so low that only its first line fits.
  const isAtEnd = hours.scrollTop + hours.clientHeight >= hours.scrollHeight - 1;
  return {
    earlier: items.filter((item) => place(item) + CHIP / 2 < top),
    later: isAtEnd ? [] : items.filter((item) => place(item) + CHIP / 2 > bottom),
  };
}

/** Scrolls it into view, and gives it the focus: the button is gone then. */
function reach(hours: HTMLElement, item: Item, edge: 'top' | 'bottom'): void {
  const place = placeIn(hours);
  if (!place) return;
  const { top, bottom } = hours.getBoundingClientRect();
  hours.scrollTop += edge === 'top' ? place(item) - SPACE - top : place(item) + CHIP + SPACE - bottom;
  const { id } = item.post;
  const chip = hours.querySelector<HTMLElement>(`a[href="/posts/${id}"], [data-posts~="${id}"]`);
  (chip ?? hours).focus({ preventScroll: true });
}
