// Converts between local time and UTC. When clocks change, an hour exists twice or not at all; both are reported, so that
// the member can decide instead of a hidden rule. Pure: the zone is passed in.

const HOUR = 3_600_000;
/** Clocks change at most once within this distance. */
const DAY = 24 * HOUR;

/** What a wall time such as "2026-11-15T18:00" means in a zone. */
export type Meaning =
  | { kind: 'once'; at: number }
  /** Clocks go back: the same time comes twice. */
  | { kind: 'twice'; at: number; again: number }
  /** Clocks go forward over it: the moment is moved by as much as the clock jumps, as clocks themselves do. */
  | { kind: 'never'; at: number; wall: string };

const PATTERN = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/;

/** Null when it is not a date and time. */
export function meaningOf(wall: string, zone: string): Meaning | null {
  const parts = PATTERN.exec(wall)?.slice(1).map(Number);
  if (!parts) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const asUtc = Date.UTC(year, month - 1, day, hour || 0, minute || 0, second || 0);
  // 31 February and 25 o'clock would come back as another time.
  if (Number.isNaN(asUtc) || new Date(asUtc).toISOString().slice(0, 16) !== wall.slice(0, 16)) return null;

  const before = offsetAt(asUtc - DAY, zone);
  const after = offsetAt(asUtc + DAY, zone);
  const moments = [...new Set([before, after])]
    .filter((offset) => offsetAt(asUtc - offset, zone) === offset)
    .map((offset) => asUtc - offset)
    .sort((a, b) => a - b);
  const [at, again] = moments;
  if (at === undefined) {
    const moved = asUtc - before;
    return { kind: 'never', at: moved, wall: wallOf(moved, zone) };
  }
  return again === undefined ? { kind: 'once', at } : { kind: 'twice', at, again };
}

/** What the clock shows at a moment, as an input of type datetime-local takes it. */
export function wallOf(at: number | string | Date, zone: string): string {
  const ms = new Date(at).getTime();
  return new Date(ms + offsetAt(ms, zone)).toISOString().slice(0, 16);
}

/** "UTC+2", "UTC−3:30", "UTC". */
export function offsetName(at: number, zone: string): string {
  const minutes = Math.round(offsetAt(at, zone) / 60_000);
  if (minutes === 0) return 'UTC';
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes > 0 ? '+' : '−'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** How far the zone's clocks are ahead of UTC at a moment, in milliseconds. */
function offsetAt(ms: number, zone: string): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(ms)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  const whole = Math.floor(ms / 1000) * 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(zone, formatter);
  }
  return formatter;
}
