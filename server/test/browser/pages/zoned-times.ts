// Days and times as a tab in this zone shows them.
export const ZONE = 'Europe/Berlin';

/** "2026-11-18 12:00". */
export const wallOf = (at: number | string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'short' }).format(
    new Date(at),
  );

/** "2026-11-18". */
export const dayOf = (at: number | string): string => wallOf(at).slice(0, 10);
