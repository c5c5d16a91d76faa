// The time of a slot: read as an agent gives it, and told as people check it, with the offset that was asked for, in the zone of the
// audience, and from now.
import { parseTimestamp } from '../../core/clock.js';
import { MINUTE_MS } from '../../core/durations.js';
import { invalid } from '../../core/problems.js';
import { localTimeIn } from '../../core/time-zones.js';

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)[ Tt](\d\d:\d\d(?::\d\d)?)$/;
const OFFSET = /(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/;

export interface AskedTime {
  at: number;
  times: Record<string, string>;
  /** For an agent that may have taken the wrong offset. */
  doubt?: string;
}

/** `input` has an offset, or is a local time of `timeZone`: agents are bad at offsets, above all when clocks change in between. */
export function readTime(input: string, timeZone: string | undefined, now: number): AskedTime {
  const text = input.trim();
  const read = timeZone === undefined ? undefined : localTimeIn(timeZone);
  if (read === null) throw refused('/time_zone', 'must be an IANA time zone, such as Europe/Berlin');
  const [, date, time] = LOCAL_TIME.exec(text) ?? [];
  const moment = date === undefined ? text.replace(' ', 'T') : `${date}T${time}Z`;
  const instant = parseTimestamp(moment);
  if (instant === null)
    throw refused(
      '/scheduled_at',
      'must be a date and time, such as 2030-12-01T18:00 with a time_zone, or 2030-12-01T18:00:00+01:00',
    );
  const at = date === undefined ? instant : momentOf(instant, read, timeZone);
  const local = parseTimestamp(moment.replace(OFFSET, 'Z')) as number;
  const there = timeZone === undefined ? undefined : clocksIn(at, timeZone);
  return {
    at,
    times: {
      as_asked: `${shown(local)} (${offsetOf(local - at)})`,
      ...(there === undefined
        ? {}
        : { in_time_zone: `${shown(there)} (${timeZone}, ${offsetOf(there - at)})` }),
      from_now: fromNow(at - now),
    },
    ...(there === undefined || there === local
      ? {}
      : {
          doubt: `${clock(local)} was asked for, and clocks in ${timeZone} show ${clock(there)} then. If the person means ${clock(local)} there, call this tool again with scheduled_at ${new Date(local).toISOString().slice(0, 16)}, without an offset.`,
        }),
  };
}

function momentOf(
  local: number,
  read: ReturnType<typeof localTimeIn> | undefined,
  timeZone: string | undefined,
): number {
  if (!read)
    throw refused(
      '/scheduled_at',
      'has no UTC offset. Send time_zone, too: the IANA time zone that the person means, such as Europe/Berlin',
    );
  const found = read(local);
  if ('at' in found) return found.at;
  const [first, second] = found.instead;
  throw refused(
    '/scheduled_at',
    found.isSkipped
      ? `does not exist in ${timeZone}, where clocks go forward at that time. Ask the person for another, such as ${first}`
      : `occurs twice in ${timeZone}, where clocks go back at that time. Ask the person which is meant: ${first} is the first, ${second} the second`,
  );
}

const refused = (pointer: string, message: string) => invalid([{ pointer, message }]);

/** What clocks show, as if it were UTC. */
function clocksIn(at: number, timeZone: string): number {
  const text = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium', timeZone }).format(
    at,
  );
  const shown = parseTimestamp(`${text.replace(' ', 'T')}Z`);
  if (shown === null) throw refused('/scheduled_at', 'is too far ahead');
  return shown + (at % 1_000);
}

/** Tuesday, 2026-12-01 18:00 */
function shown(local: number): string {
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(local);
  return `${weekday}, ${new Date(local).toISOString().slice(0, 16).replace('T', ' ')}`;
}

const clock = (local: number): string => new Date(local).toISOString().slice(11, 16);

function offsetOf(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / MINUTE_MS);
  const twoDigits = (n: number) => String(n).padStart(2, '0');
  return `UTC${ms < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

function fromNow(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  const words = new Intl.RelativeTimeFormat('en');
  if (Math.abs(minutes) < 120) return words.format(minutes, 'minute');
  if (Math.abs(minutes) < 48 * 60) return words.format(Math.round(minutes / 60), 'hour');
  return words.format(Math.round(minutes / 60 / 24), 'day');
}
