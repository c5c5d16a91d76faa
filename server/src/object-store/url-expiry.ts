// The expiry of URLs in lists.

const HOUR_MS = 3_600_000;
const FIVE_MINUTES_MS = 300_000;

/** When a URL shown in lists expires. It changes only every five minutes, so that browsers can cache the file. */
export const roundedExpiry = (now: number): number =>
  Math.floor((now + HOUR_MS) / FIVE_MINUTES_MS) * FIVE_MINUTES_MS;
