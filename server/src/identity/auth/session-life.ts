// How long a session lasts: 12 hours without activity, and never more than 14 days.

const IDLE_MS = 12 * 3_600_000;
export const ABSOLUTE_MS = 14 * 86_400_000;

export const sessionExpiry = (createdAt: number, seenAt: number): number =>
  Math.min(createdAt + ABSOLUTE_MS, seenAt + IDLE_MS);
