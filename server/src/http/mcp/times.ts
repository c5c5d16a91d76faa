// A time as people check it: with the offset that was asked for, in the zone of the audience, and from now.
import { invalid } from '../../core/problems.js';

const MINUTE_MS = 60_000;

/** `asked` is the text that names the time `at`. */
export function timesOf(
  at: number,
  asked: string,
  timeZone: string | undefined,
  now: number,
): Record<string, string> {
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):?(\d\d)$/.exec(asked) ?? [];
  const offset = `${sign}${hours.padStart(2, '0')}:${minutes.padStart(2, '0')}`;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS * (sign === '-' ? -1 : 1);
  return {
    as_asked: `${local(at + offsetMs, 'UTC')} (UTC${offset})`,
    ...(timeZone === undefined ? {} : { in_time_zone: `${inZone(at, timeZone)} (${timeZone})` }),
    from_now: fromNow(at - now),
  };
}

function inZone(at: number, timeZone: string): string {
  try {
    return local(at, timeZone);
  } catch {
    throw invalid([{ pointer: '/time_zone', message: 'must be an IANA time zone, such as Europe/Berlin' }]);
  }
}

/** Tuesday, 2026-12-01 18:00 */
function local(at: number, timeZone: string): string {
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone }).format(at);
  const time = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'short', timeZone }).format(at);
  return `${weekday}, ${time}`;
}

function fromNow(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  const words = new Intl.RelativeTimeFormat('en');
  if (Math.abs(minutes) < 120) return words.format(minutes, 'minute');
  if (Math.abs(minutes) < 48 * 60) return words.format(Math.round(minutes / 60), 'hour');
  return words.format(Math.round(minutes / 60 / 24), 'day');
}
