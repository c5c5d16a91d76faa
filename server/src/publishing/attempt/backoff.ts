// When to try again, as pure functions.
import { HOUR_MS } from '../../core/durations.js';

/** Retries of a scheduled post before it returns to draft. */
export const MAX_RETRIES = 5;

const MAX_POLL_MS = 600_000;

/** The longest wait that the platform can ask for. */
const MAX_ASKED_MS = HOUR_MS;

/**
 * The wait before retry number `retry` (from 1): doubled each time, up to a fifth longer at random so that posts that
 * failed together are not retried together, and never shorter than the platform asks for (up to an hour).
 */
export function retryDelay(retry: number, baseMs: number, random: number, askedMs = 0): number {
  return Math.max(Math.round(baseMs * 2 ** (retry - 1) * (1 + random / 5)), Math.min(askedMs, MAX_ASKED_MS));
}

/** No poll waits longer. */
export const maxPollDelay = (baseMs: number): number => Math.max(MAX_ASKED_MS, baseMs);

/** The wait before the next poll: short at first, ten minutes in the end. */
export function pollDelay(checks: number, baseMs: number, askedMs = 0): number {
  const patient = baseMs * 1.5 ** Math.max(0, Math.min(checks, 60) - 5);
  return Math.max(
    Math.min(Math.round(patient), Math.max(MAX_POLL_MS, baseMs)),
    Math.min(askedMs, MAX_ASKED_MS),
  );
}
