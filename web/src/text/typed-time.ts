// A time of day as people type it: "9", "9:30", "930", "14:05", "2:05 pm". Kept as "09:30", whatever is shown.
import { clockText, type TimeFormat } from './time-format.js';

const TYPED = /^(\d{1,2})(?:[:.h]?(\d{2}))?\s*(?:([ap])\.?\s?m?\.?)?$/i;

/**
 * The time as "14:05"; null when it is not one. On a clock of 12 hours, a time without am or pm is in the same half of the day
 * as `before`, which the field showed until now.
 */
export function readTime(typed: string, format: TimeFormat, before = ''): string | null {
  const [, hours, minutes = '00', half] = TYPED.exec(typed.trim()) ?? [];
  if (hours === undefined) return null;
  const hour = hourOf(Number(hours), half?.toLowerCase(), format, before);
  if (hour === null || Number(minutes) > 59) return null;
  return `${String(hour).padStart(2, '0')}:${minutes}`;
}

function hourOf(hour: number, half: string | undefined, format: TimeFormat, before: string): number | null {
  const isOnDial = hour >= 1 && hour <= 12;
  if (half !== undefined) return isOnDial ? (hour % 12) + (half === 'p' ? 12 : 0) : null;
  if (hour > 23) return null;
  if (format === '24h' || !isOnDial || before === '') return hour;
  return (hour % 12) + (before >= '12:00' ? 12 : 0);
}

/** "14:05" as the field shows it. */
export function showTime(time: string, format: TimeFormat): string {
  return time === '' ? '' : clockText(Number(time.slice(0, 2)), Number(time.slice(3, 5)), format);
}

/** The time `minutes` later, on the same day. */
export function stepTime(time: string, minutes: number): string {
  const all = Number(time.slice(0, 2)) * 60 + Number(time.slice(3)) + minutes;
  const within = ((all % 1440) + 1440) % 1440;
  return `${String(Math.floor(within / 60)).padStart(2, '0')}:${String(within % 60).padStart(2, '0')}`;
}
