// Step-up: what would outlive a stolen session, such as a new key or a new owner, asks its person to prove themselves again unless
// they did so in the last quarter of an hour. Keys have no person to ask, and need none; what must not be done with a key has the
// access `session`.
import type { Clock } from '../core/clock.js';
import { MINUTE_MS } from '../core/durations.js';
import { AppError } from '../core/problems.js';

const PROOF_MS = 15 * MINUTE_MS;

export const isProved = (clock: Clock, { provedAt }: { provedAt: number | null }): boolean =>
  provedAt !== null && clock.now() - provedAt < PROOF_MS;

/** For acts that need it only with some bodies; see STEP_UP in access.ts. Called by the use case. */
export function assertProved(
  { clock }: { clock: Clock },
  caller: { via: 'key' } | { via: 'session'; provedAt: number | null },
): void {
  if (caller.via === 'session' && !isProved(clock, caller)) throw reauthenticationRequired();
}

export const reauthenticationRequired = () =>
  new AppError(
    'reauthentication_required',
    'Confirm that it is you: POST /api/v1/auth/confirm with your password, or with a code of your authenticator app. Then repeat the request.',
  );
