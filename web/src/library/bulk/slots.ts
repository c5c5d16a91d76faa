// When the selected posts go out. Pure: the zone is passed in. Days are counted on the calendar, so the local hour stays
// when clocks change.

import type { Post } from '@airdate/sdk/core';
import { isSecondOccurrence, momentOf } from '../../publish/form.js';
import { meaningOf, wallOf } from '../../publish/wall-time.js';
import { plusDays } from '../../text/month.js';
import { number } from '../../text/numbers.js';

export type Unit = 'hours' | 'days' | 'weeks';

export interface Spacing {
  every: number;
  unit: Unit;
}

const HOUR = 3_600_000;

/** The slot of each post. Null if the start is no time, or the spacing no number. */
export function slotsFrom(
  start: { wall: string; isSecondOccurrence: boolean },
  zone: string,
  { every, unit }: Spacing,
  count: number,
): number[] | null {
  const { wall } = start;
  const first = momentOf(start, zone);
  if (first === null || !Number.isInteger(every) || every < 1) return null;
  return Array.from({ length: count }, (_, n) =>
    unit === 'hours' || n === 0
      ? first + n * every * HOUR
      : (meaningOf(addDays(wall, n * every * (unit === 'weeks' ? 7 : 1)), zone)?.at ?? first),
  );
}

/** The same local hour, so many days later. */
export function movedBy(at: string, days: number, zone: string): number {
  return meaningOf(addDays(wallOf(at, zone), days), zone)?.at ?? Date.parse(at);
}

const addDays = (wall: string, days: number): string => plusDays(wall.slice(0, 10), days) + wall.slice(10);

/** Nine in the morning of the next day. */
export const tomorrowMorning = (now: number, zone: string): string =>
  `${addDays(wallOf(now, zone), 1).slice(0, 10)}T09:00`;

/** Nine in the morning of the next day; a single draft begins with its own time while that is far enough ahead. */
export function firstStart(posts: Post[], now: number, leadMs: number, zone: string) {
  const own = posts.length === 1 ? timeOf(posts[0]) : null;
  if (own === null || own < now + leadMs) return { wall: tomorrowMorning(now, zone) };
  return { wall: wallOf(own, zone), isSecondOccurrence: isSecondOccurrence(own, zone) };
}

/** The times that the posts carry themselves. Null unless each has one, and one of them is a draft. */
export function ownSlots(posts: Post[]): number[] | null {
  const times = posts.flatMap((post) => timeOf(post) ?? []);
  return times.length === posts.length && posts.some(({ status }) => status === 'draft') ? times : null;
}

const timeOf = (post: Post | undefined): number | null =>
  post?.scheduled_at ? Date.parse(post.scheduled_at) : null;

/** The slot of a scheduled post that gets another one. A draft may have a time, which schedules nothing. */
export const slotToLose = ({ status, scheduled_at }: Post, slot: number): string | null =>
  status === 'scheduled' && scheduled_at !== null && Date.parse(scheduled_at) !== slot ? scheduled_at : null;

/** "2 of these posts are already scheduled and will move to a new time." */
export function rescheduleText(posts: Post[], slots: number[]): string | null {
  const count = posts.filter((post, n) => slotToLose(post, slots[n] ?? 0) !== null).length;
  if (count === 0) return null;
  if (posts.length === 1) return 'This post is already scheduled and will move to the new time.';
  return count === 1
    ? '1 of these posts is already scheduled and will move to a new time.'
    : `${number(count)} of these posts are already scheduled and will move to new times.`;
}

export const isoOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
