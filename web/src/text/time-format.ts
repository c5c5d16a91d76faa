// Whether times are shown and read on a clock of 12 or 24 hours: as the person prefers, or as the browser's language has it.

export type TimeFormat = '12h' | '24h';

/** "14:05", "2:05 pm" or "2:05:09 pm": every time of day that the dashboard shows. */
export function clockText(hour: number, minute: number, format: TimeFormat, second?: number): string {
  const rest = [minute, ...(second === undefined ? [] : [second])].map(twoDigits).join(':');
  if (format === '24h') return `${twoDigits(hour)}:${rest}`;
  return `${hour % 12 || 12}:${rest} ${hour < 12 ? 'am' : 'pm'}`;
}

const twoDigits = (n: number): string => String(n).padStart(2, '0');

/** Until the API has said who is signed in. */
let format: TimeFormat = '24h';
const listeners = new Set<() => void>();

export const timeFormat = (): TimeFormat => format;

export function preferTimeFormat(preferred: TimeFormat | null | undefined): void {
  const next = preferred ?? formatOfBrowser();
  if (next === format) return;
  format = next;
  for (const listener of listeners) listener();
}

/** Calls the listener whenever the format changes. Returns the undo. */
export function onTimeFormat(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function formatOfBrowser(): TimeFormat {
  const { hourCycle } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions();
  return hourCycle === 'h11' || hourCycle === 'h12' ? '12h' : '24h';
}
