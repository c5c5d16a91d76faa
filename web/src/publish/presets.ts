// Times that people often choose, in the viewer's zone. Pure.
import { plusDays, weekdayOf } from '../text/month.js';
import { clockText, type TimeFormat } from '../text/time-format.js';
import { isSecondOccurrence } from './form.js';
import { meaningOf, wallOf } from './wall-time.js';

const MINUTE = 60_000;
const MONDAY = 1;

export interface Preset {
  name: string;
  /** The local time, in the format of the form. */
  wall: string;
  /** Whether the second of two equal local times is meant. */
  isSecondOccurrence: boolean;
  at: number;
}

export function presetsOf(now: number, zone: string, format: TimeFormat): Preset[] {
  const today = wallOf(now, zone).slice(0, 10);
  const nine = clockText(9, 0, format);
  const untilMonday = (MONDAY - weekdayOf(today) + 7) % 7 || 7;
  const morning = (name: string, days: number): Preset => {
    const wall = `${plusDays(today, days)}T09:00`;
    return { name: `${name} ${nine}`, wall, isSecondOccurrence: false, at: meaningOf(wall, zone)?.at ?? 0 };
  };
  return [inAnHour(now, zone), morning('Tomorrow', 1), morning('Next Monday', untilMonday)];
}

/** Not sooner than that, at a minute that people would choose. */
function inAnHour(now: number, zone: string): Preset {
  const at = Math.ceil((now + 60 * MINUTE) / (5 * MINUTE)) * 5 * MINUTE;
  return { name: 'In an hour', wall: wallOf(at, zone), isSecondOccurrence: isSecondOccurrence(at, zone), at };
}
