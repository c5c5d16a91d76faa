// Failures of the platform as problem responses.
import type { PlatformFailure } from '../connectors/connector.js';
import { AppError } from '../core/problems.js';

/** Used when the platform does not say how long to wait. */
const WAIT_MS = 30_000;

export function platformError(failure: PlatformFailure): AppError {
  const detail = `${failure.reason}.`;
  switch (failure.kind) {
    case 'later':
      return new AppError(unavailableCode(failure.code), detail, {
        headers: retryAfter(failure.retryAfterMs ?? WAIT_MS),
      });
    case 'unknown':
      return new AppError('platform_timeout', detail);
    case 'refused':
      return new AppError(failure.isRepeatable ? 'platform_failed' : 'platform_refused', detail);
    case 'blocked':
      return new AppError('account_blocked', detail, { headers: retryAfter(failure.windowMs) });
    case 'reauthorize':
      return new AppError('reconnect_required', detail);
  }
}

/** What kept us from the platform: safe mode, a fault of our own, or the platform. */
export const unavailableCode = (code: string | null) =>
  code === 'safe_mode'
    ? code
    : code === 'store_unavailable' || code === 'unavailable' || code === 'key_unknown'
      ? 'unavailable'
      : 'platform_unavailable';

export const retryAfter = (ms: number) => ({ 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) });
