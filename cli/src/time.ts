// Times that people type.
import { usage } from './exit.js';

const LOCAL = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?$/;
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i;

/** Of an option that takes a time. */
export const TIME_HELP = '"2030-12-01 18:00" in the time zone of this computer, or with an offset';

export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** With an offset, or in the time zone of this computer. */
export function parseTime(text: string): Date {
  const local = LOCAL.exec(text);
  const moment = new Date(text.replace(' ', 'T'));
  if ((!local && !WITH_OFFSET.test(text)) || Number.isNaN(moment.getTime()))
    throw usage(
      'A time looks like "2030-12-01 18:00" (in the time zone of this computer) or 2030-12-01T18:00:00Z.',
    );
  // When clocks are set forward, an hour is missing: another time would be chosen in silence.
  if (local && !localText(moment).startsWith(`${local[1]} ${local[2]}`))
    throw usage(`${text} does not exist in ${timeZone()}.`);
  const again = local ? secondTime(moment) : null;
  if (again)
    throw usage(
      `${text} occurs twice in ${timeZone()}, where clocks go back then. Write ${withOffset(moment)} for the first, ${withOffset(again)} for the second.`,
    );
  return moment;
}

const DAY_MS = 86_400_000;

/** When clocks are set back, an hour is there twice, and the first would be chosen in silence. */
function secondTime(first: Date): Date | null {
  const offsetAfter = (ms: number) => new Date(first.getTime() + ms).getTimezoneOffset();
  const second = new Date(first.getTime() + (offsetAfter(DAY_MS) - offsetAfter(-DAY_MS)) * 60_000);
  return second > first && localText(second) === localText(first) ? second : null;
}

/** 2030-10-27T02:30+02:00 */
function withOffset(moment: Date): string {
  const offset = -moment.getTimezoneOffset();
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = `${two(Math.trunc(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${localText(moment).replace(' ', 'T')}${offset < 0 ? '-' : '+'}${hours}`;
}

/** For people, in their time zone. */
export const localText = (moment: Date): string => {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}`;
};

/** Of a field of the API, for a table. */
export const formatTime = (timestamp: string | null | undefined): string =>
  timestamp ? localText(new Date(timestamp)) : '';
