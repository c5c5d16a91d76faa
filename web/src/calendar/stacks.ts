// What the grid draws as one chip. The week has at most two side by side, as narrower ones could not be read: what does not fit
// shares a chip that opens the list of its posts. Pure.
import { groupBy } from '../text/group-by.js';
import { dayText } from '../text/month.js';
import { chipStateOf } from './chip-state.js';
import type { Item } from './items.js';
import type { View } from './range.js';

type Group = [Item, ...Item[]];

export interface Stack {
  /** Stays the same while its posts do. */
  id: string;
  at: string;
  /** At least one. */
  items: Group;
  /** Its place among those of its day; the first ones are shown. */
  rank: number;
  /** Its day of the month has space for two lines of its title. */
  isRoomy: boolean;
}

/** How many are shown on a day of the month; the others can be opened. */
export const MAX_PER_DAY = 3;

/** `items` in the order of their times. */
export const stacksOf = (view: View, items: Item[]): Stack[] =>
  view === 'week' ? byHour(items) : byDay(items);

/** With so few on a day, taller chips do not make the row of its week higher. */
const MAX_ROOMY = 2;

/** How many minutes of the week a chip covers. */
const CHIP_MINUTES = 58;
const MAX_BESIDE = 2;

/** On the clock of the viewer, by which the grid places posts. */
export function minuteOf({ at }: Pick<Item, 'at'>): number {
  const time = new Date(at);
  return time.getHours() * 60 + time.getMinutes();
}

function byHour(items: Item[]): Stack[] {
  const days = groupsOf(items, ({ at }) => dayText(new Date(at)));
  return days.flatMap((day) => besides(day).map((alike) => ({ ...stackOf(alike), rank: 0, isRoomy: false })));
}

/** The groups of a day: each is one chip, and none is beside more than one other. */
function besides(day: Group): Group[] {
  let groups: Group[] = [];
  for (const next of groupsOf(inOrder(day), (item) => String(minuteOf(item)))) {
    const close = [...groups.filter((group) => isBeside(group, next)), next];
    const others = groups.filter((group) => !close.includes(group));
    groups = [...others, ...(close.length > MAX_BESIDE ? shared(close, others) : close)];
  }
  return groups.toSorted(([a], [b]) => minuteOf(a) - minuteOf(b));
}

/** One keeps a chip to itself, the rest share the other: trouble comes first, then a single post, then the earliest. */
function shared(close: Group[], others: Group[]): Group[] {
  const troubled = inOrder(close.flat().filter(isTrouble)).map((item): Group => [item]);
  const whole = close.toSorted((a, b) => Number(b.length === 1) - Number(a.length === 1));
  const ways = [...troubled, ...whole].map((alone) => {
    const rest = inOrder(close.flat().filter((item) => !alone.includes(item))) as Group;
    return [alone, rest];
  });
  // A post taken out of a list may be beside two earlier chips; a whole group never is.
  const fits = (way: Group[]) =>
    way.every((group) => [...others, ...way].filter((other) => covers(other, group)).length <= MAX_BESIDE);
  return ways.find(fits) ?? (ways.at(-1) as Group[]);
}

const inOrder = (items: Item[]): Item[] => items.toSorted((a, b) => minuteOf(a) - minuteOf(b));

const isBeside = ([a]: Group, [b]: Group): boolean => Math.abs(minuteOf(a) - minuteOf(b)) < CHIP_MINUTES;

/** Whether the first one is still there where the second begins. */
const covers = (first: Group, second: Group): boolean =>
  isBeside(first, second) && minuteOf(first[0]) <= minuteOf(second[0]);

/** On a full day what failed or will fail comes first, then what still goes out: neither must be hidden behind what is done. */
function byDay(items: Item[]): Stack[] {
  return groupsOf(items, ({ at }) => dayText(new Date(at))).flatMap((day) => {
    const order = day.length > MAX_PER_DAY ? day.toSorted((a, b) => weightOf(a) - weightOf(b)) : day;
    const isRoomy = day.length <= MAX_ROOMY;
    return order.map((item, rank) => ({ ...stackOf([item]), rank, isRoomy }));
  });
}

const weightOf = (item: Item): number => (isTrouble(item) ? 0 : isOut(item) ? 2 : 1);

/** Nothing is left to do for it. In the inbox, it still waits for its creator. */
export const isOut = ({ post }: Item): boolean => post.status === 'posted' && !post.in_inbox;

export const isTrouble = ({ post }: Item): boolean => chipStateOf(post).tone === 'attention';

const stackOf = (items: Group): Omit<Stack, 'rank' | 'isRoomy'> => ({
  id: items.map(({ post }) => post.id).join(' '),
  at: items[0].at,
  items,
});

const groupsOf = (items: Item[], keyOf: (item: Item) => string): Group[] =>
  [...groupBy(items, keyOf).values()] as Group[];
