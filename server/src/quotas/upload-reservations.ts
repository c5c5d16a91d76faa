// Uploads of unannounced length on their way to the disk store. They are counted when they have arrived; until then they
// share what the organization has left, so that many at the same time cannot fill the disk.

import type { App } from '../app/app.js';
import type { AppError } from '../core/problems.js';
import { readByteUsage } from './quotas.js';
import { quotaExceeded } from './refusal.js';

/** What an upload may take while it arrives. */
export interface UploadReservation {
  /** How many bytes are reserved, until the reservation ends. */
  readonly taken: number;
  /** A problem if there is no room for these bytes. */
  take(bytes: number): AppError | null;
  /** Called once the upload has arrived or failed. */
  leave(): void;
}

/** Refuses an upload that cannot fit. `sent` is its length, if the client says it. */
export async function reserveUploadBytes(
  app: App,
  orgId: string,
  sent: number | null,
): Promise<UploadReservation | null> {
  const left = await readByteUsage(app, app.db.read, orgId);
  if (left === null) return null;
  const { used, limit } = left;
  if (used + Math.max(sent ?? 0, 1) > limit) throw quotaExceeded('bytes', used, limit, sent ?? undefined);
  const { arrivingBytes } = app.state;
  let taken = 0;
  return {
    get taken() {
      return taken;
    },
    take(bytes) {
      taken += bytes;
      arrivingBytes.add(orgId, bytes);
      return used + arrivingBytes.of(orgId) > limit ? quotaExceeded('bytes', used, limit) : null;
    },
    leave() {
      arrivingBytes.add(orgId, -taken);
      taken = 0;
    },
  };
}
