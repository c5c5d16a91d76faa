// What a failed request to publish or schedule means for the next step. Pure.
import { AirdateError } from '@airdate/sdk/core';

/** The platform may have it: sending it again could publish it twice. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof AirdateError && error.code === 'platform_timeout';

/** Nothing was taken, or the same request takes effect only once: trying again is safe. */
export const isSafeToRepeat = (error: unknown): boolean =>
  error instanceof AirdateError && !isOutcomeUnknown(error) && (error.status === 0 || error.status >= 429);

/** The platform lets nothing through until the account is connected again. */
export const mustReconnect = (error: unknown): boolean =>
  error instanceof AirdateError && error.code === 'reconnect_required';
