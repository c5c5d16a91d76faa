// When to try again, as pure functions.

/** As often as a scheduled post is tried again before it goes back to draft. */
export const MOST_RETRIES = 5;

const LONGEST_POLL_MS = 600_000;

/** However long the platform asks to wait: nobody is forgotten for it. */
const LONGEST_ASKED_MS = 3_600_000;

/**
 * How long to wait before retry number `retry` (from 1 on): doubled each time, up to a fifth longer at random so that
 * those who failed together do not come back together, and never shorter than the platform asked for (within an hour).
 */
export function retryDelay(retry: number, baseMs: number, random: number, askedMs = 0): number {
  return Math.max(
    Math.round(baseMs * 2 ** (retry - 1) * (1 + random / 5)),
    Math.min(askedMs, LONGEST_ASKED_MS),
  );
}

/** How long to wait before the platform is asked again: often at first, at last every ten minutes. */
export function pollDelay(checks: number, baseMs: number, askedMs = 0): number {
  const patient = baseMs * 1.5 ** Math.max(0, Math.min(checks, 60) - 5);
  return Math.max(
    Math.min(Math.round(patient), Math.max(LONGEST_POLL_MS, baseMs)),
    Math.min(askedMs, LONGEST_ASKED_MS),
  );
}
