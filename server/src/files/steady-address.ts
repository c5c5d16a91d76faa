// Addresses of what lists show.

const HOUR_MS = 3_600_000;
const FIVE_MINUTES_MS = 300_000;

/** When the address of what is shown in lists ends. It changes every five minutes only, so that browsers know it again. */
export const endOfSteadyAddress = (now: number): number =>
  Math.floor((now + HOUR_MS) / FIVE_MINUTES_MS) * FIVE_MINUTES_MS;
