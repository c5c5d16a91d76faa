// What the grid draws as one chip. The week has one for all posts of the same minute: side by side they would be too narrow to
// read. Pure.
import { chipStateOf } from './chip-state.js';
import type { Item } from './items.js';
import { dayText, type View } from './range.js';

export interface Stack {
  /** Stays the same while its posts do. */
  id: string;
  at: string;
  /** At least one. */
  items: [Item, ...Item[]];
  /** Its place among those of its day; the first ones are shown. */
  rank: number;
}

/** So many are shown on a day of the month; the others can be opened. */
export const MOST_PER_DAY = 3;

/** `items` in the order of their times. */
export const stacksOf = (view: View, items: Item[]): Stack[] =>
  view === 'week' ? byMinute(items) : byDay(items);

function byMinute(items: Item[]): Stack[] {
  const minutes = groupBy(items, ({ at }) => String(Math.floor(Date.parse(at) / 60_000)));
  return minutes.map((alike) => ({ ...stackOf(alike), rank: 0 }));
}

/** On a full day what failed or will fail comes first: it must not be among those that are hidden. */
function byDay(items: Item[]): Stack[] {
  return groupBy(items, ({ at }) => dayText(new Date(at))).flatMap((day) => {
    const urgent = day.filter(isTrouble);
    const others = day.filter((item) => !isTrouble(item));
    const order = day.length > MOST_PER_DAY ? [...urgent, ...others] : day;
    return order.map((item, rank) => ({ ...stackOf([item]), rank }));
  });
}

export const isTrouble = ({ post }: Item): boolean => chipStateOf(post).tone === 'attention';

const stackOf = (items: [Item, ...Item[]]): Omit<Stack, 'rank'> => ({
  id: items.map(({ post }) => post.id).join(' '),
  at: items[0].at,
  items,
});

/** In the order in which the keys come. */
function groupBy(items: Item[], keyOf: (item: Item) => string): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}
