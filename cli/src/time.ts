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
  return moment;
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
