// Platform setbacks as problem responses.
import type { Setback } from '../connectors/connector.js';
import { AppError } from '../ground/problems.js';

/** Used when the platform does not say how long to wait. */
const WAIT_MS = 30_000;

export function problemOf(setback: Setback): AppError {
  const detail = `${setback.reason}.`;
  switch (setback.kind) {
    case 'later':
      return unavailable(detail, setback.retryAfterMs);
    case 'unknown':
      return new AppError('platform_timeout', detail);
    case 'refused':
      return new AppError(setback.isRepeatable ? 'platform_failed' : 'platform_refused', detail);
    case 'reauthorize':
      return new AppError('reconnect_required', detail);
  }
}

const unavailable = (detail: string, waitMs = WAIT_MS) =>
  new AppError('platform_unavailable', detail, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
